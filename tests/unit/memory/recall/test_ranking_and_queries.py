"""Test ranking and full-text queries: scores are sums of parts, order does not matter, text is escaped."""

import re
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.embeddings.token_vectors import pack
from extraction.query_analysis import QueryAnalysis, name_keys
from extraction.text.chinese import is_chinese
from extraction.text.fulltext_words import words_in
from graph_service.graph.lucene import name_query, scoped_query
from graph_service.memory.recall.candidates import CandidateSet, Hit
from graph_service.memory.recall.corrections import parts_of
from graph_service.memory.recall.final_order import below_replacements
from graph_service.memory.recall.query import HitKind, Question, check_question
from graph_service.memory.recall.ranking import CHINESE, ENGLISH, ENGLISH_BY_VECTORS, rank
from graph_service.memory.recall.retrieval import candidates_in
from schema.errors import InputError
from schema.labels import Role
from schema.timespan import Timespan, millis
from tests.support.builders import NOON


def a_row(
    name: str = "a", *, kind: str = "message", day: int = 0, cosine: float | None = None, **found: float
) -> list[Any]:
    """Return a message, scene or fact as a row of the recall statement."""
    said_ms = millis(NOON + timedelta(days=day))
    channels = [list(pair) for pair in found.items()]
    if kind == "message":
        said: list[Any] = [name, "s1", said_ms, 0, None, f"text {name}", "memory://x", "user", 5, *[None] * 4]
        return [said, [None, None], None, cosine, channels, None]
    if kind == "scene":
        channels += [] if cosine is None else [["abstract", cosine]]
        return [kind, channels, [name, "memory://x", "text", None, said_ms, 5], [None, None], []]
    values: list[Any] = [name, "memory://x", "text", None, 5, None, 0.8, None, None, [], None, [], None, None]
    ends = [["Alice", "u", False], ["tea", "e", True]]
    return [kind, channels, values, [said_ms, None, None], None, False, False, "PREFERS", ends, cosine, None, []]


def name_in(row: list[Any]) -> str:
    """Return the id in a row of `a_row`."""
    return str(row[2][0] if row[0] in ("scene", "fact") else row[0][0])


def found_of(rows: list[list[Any]]) -> CandidateSet:
    """Return the parsed result of the recall statement."""
    told = [row for row in rows if row[0] not in ("scene", "fact")]
    return candidates_in({"messages": told, "rows": [row for row in rows if row[0] in ("scene", "fact")], "named": []})


rows = st.lists(
    st.builds(
        a_row,
        st.sampled_from("abcdef"),
        kind=st.sampled_from([kind.value for kind in HitKind]),
        cosine=st.none() | st.floats(0, 1),
        words=st.floats(0, 20),
        entity=st.floats(0, 3),
    ),
    max_size=20,
    unique_by=lambda row: (row[0] if row[0] in ("scene", "fact") else "message", name_in(row)),
)


def _ranked(found: list[list[Any]]) -> list[tuple[str, str, float]]:
    order = rank(found_of(found), ENGLISH, analysis=QueryAnalysis(), now=NOON)
    return [(item.candidate.kind, item.candidate.id, item.score) for item in order]


@settings(deadline=None)
@given(rows)
def test_score_is_the_sum_of_its_parts(found: list[list[Any]]) -> None:
    for item in rank(found_of(found), ENGLISH, analysis=QueryAnalysis(time=Timespan()), now=NOON):
        assert item.score == pytest.approx(sum(item.parts.values()), abs=1e-5)
        assert all(part >= 0 for part in item.parts.values())


@settings(deadline=None)
@given(rows, st.randoms())
def test_order_of_rows_does_not_change_the_ranking(found: list[list[Any]], random: Any) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert _ranked(shuffled) == _ranked(found)


@settings(deadline=None)
@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.floats(0, 1))
def test_difference_of_two_scores_does_not_depend_on_a_third(one: float, other: float, third: float) -> None:
    """Features have fixed units, so that a feature that hardly varies among the candidates has little effect."""

    def apart(*more: list[Any]) -> float:
        found = found_of([a_row("a", cosine=one), a_row("b", cosine=other), *more])
        parts = {
            item.candidate.id: item.parts["similarity"]
            for item in rank(found, ENGLISH_BY_VECTORS, analysis=QueryAnalysis(), now=NOON)
        }
        return parts["a"] - parts["b"]

    assert apart() == pytest.approx(apart(a_row("c", cosine=third)), abs=1e-5)


@pytest.mark.parametrize("kinds", [(HitKind.MESSAGE,), tuple(HitKind)])
def test_fact_raises_the_score_of_its_evidence_messages(kinds: tuple[HitKind, ...]) -> None:
    """Also when facts are not requested."""
    messages = [a_row(name, cosine=0.6) for name in "abc"]
    facts = [a_row(name, kind="fact", cosine=cosine) for name, cosine in (("f", 0.8), ("g", 0.9), ("h", 0.7))]
    for fact, proofs in zip(facts, (["a", "b"], ["b"], ["c"]), strict=True):
        fact[2][11] = proofs
    found = candidates_in({"messages": messages, "rows": facts, "named": []}, kinds)
    assert {one.id: one.fact_cosine for one in found.messages} == pytest.approx({"a": 0.6, "b": 0.8, "c": 0.4})
    assert {one.kind for one in found.candidates} == {HitKind.MESSAGE, HitKind.FACT} & set(kinds)
    for weights in (ENGLISH, ENGLISH_BY_VECTORS, CHINESE):
        order = rank(found, weights, analysis=QueryAnalysis(), now=NOON)
        assert [item.candidate.id for item in order if item.candidate.kind is HitKind.MESSAGE] == ["b", "a", "c"]
        assert [item.candidate.id for item in order if item.candidate.kind is HitKind.FACT] == [
            name for name in "gfh" if HitKind.FACT in kinds
        ]


@pytest.mark.parametrize("asks_agent", [True, False])
def test_fact_raises_a_message_of_the_agent_only_if_the_question_is_about_the_agent(asks_agent: bool) -> None:
    """Regression: "I'll bring the flour order on Monday" came first for "Which flour supplier did we have?"."""
    message, fact = a_row("a"), a_row("f", kind="fact", cosine=0.8)
    message[0][7], fact[2][11] = "assistant", ["a"]
    found = candidates_in(
        {"messages": [message], "rows": [fact], "named": []}, tuple(HitKind), QueryAnalysis(asks_agent=asks_agent)
    )
    assert [one.fact_cosine for one in found.messages] == [pytest.approx(0.6) if asks_agent else None]


def test_unrequested_fact_is_not_returned() -> None:
    """Only its effect on messages is."""
    fact = a_row("f", kind="fact", cosine=0.8)
    fact[2][11] = ["a"]
    found = candidates_in({"messages": [a_row("a")], "rows": [fact], "named": []}, (HitKind.MESSAGE,))
    assert [(one.kind, one.id) for one in found.candidates] == [(HitKind.MESSAGE, "a")]
    assert [one.fact_cosine for one in found.messages] == pytest.approx([0.6])


def test_message_not_compared_by_the_index_is_compared_by_its_own_vector() -> None:
    axes = np.eye(4, dtype=np.float32)
    held = {
        name: pack(axes[:1], model="any", whole=whole)
        for name, whole in (("near", axes[0]), ("far", (axes[0] + axes[1]) / 2**0.5))
    }
    rows = [a_row("by index", cosine=0.7), a_row("near"), a_row("far"), a_row("without")]
    for row in rows:
        row[-1] = held.get(name_in(row), held["near"] if name_in(row) == "by index" else None)
    for vector, expected in (
        (axes[0].tolist(), {"by index": 0.4, "near": 1.0, "far": 0.707, "without": None}),
        (None, {"by index": 0.4, "near": None, "far": None, "without": None}),
    ):
        found = candidates_in({"messages": rows, "rows": [], "named": []}, tuple(HitKind), QueryAnalysis(vector=vector))
        assert {one.id: one.cosine for one in found.candidates} == pytest.approx(expected, abs=0.01)
        assert {one.id: one.cosine for one in found.messages} == pytest.approx(expected, abs=0.01)


def test_messages_of_the_requested_time_rank_first() -> None:
    asked = Timespan(start=NOON + timedelta(days=4), end=NOON + timedelta(days=6))
    order = rank(
        found_of([a_row("a", words=1), a_row("b", day=5, words=1)]),
        ENGLISH,
        analysis=QueryAnalysis(time=asked),
        now=NOON,
    )
    assert [item.candidate.id for item in order] == ["b", "a"]


@given(st.text(max_size=200))
def test_no_text_can_become_query_syntax(text: str) -> None:
    """Between our clauses Lucene finds only words and phrases."""
    query = scoped_query(words_in(text), fields=["text"], scope_user="sabc")
    terms = re.sub(r"\+?scope_user:\w+(\^0)?|\+\(|\)|text:", " ", query)
    assert re.search(r"[-+&|!(){}\[\]^~*?:\\/<>=]", terms) is None
    assert terms.count('"') % 2 == 0


@given(st.text(max_size=100))
def test_name_query_always_contains_the_scope(name: str) -> None:
    assert name_query(name, scope_user="sabc").startswith(("+scope_user:sabc^0 ", "scope_user:nothing"))


def test_question_words_are_left_out_in_both_languages() -> None:
    assert words_in("What does Bart like about penguins?") == ["bart", "like", "penguins"]
    assert words_in("What's Bart's favourite animal, or JAMES’S?") == ["bart", "favourite", "animal", "james"]
    assert "什么" not in "".join(words_in("张曼婷喜欢什么？"))


def test_every_possible_name_span_is_a_key() -> None:
    keys = name_keys("Did Tom Hanks meet 张曼婷 in the penguins house?")
    assert {"tom hanks", "张曼婷", "penguin"} <= set(keys)
    assert {"caroline", "tom hanks", "什么"} <= set(name_keys("Caroline和Tom Hanks聊了什么？"))


@pytest.mark.parametrize(("text", "chinese"), [("我喜欢喝茶", True), ("I like tea", False), ("Bart喜欢企鹅吗", True)])
def test_language_of_a_question_is_detected(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


def test_every_error_of_a_question_is_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        check_question(Question(user_id="", text=" ", limit=0, evidence=99, kinds=()))
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize(
    ("echo", "is_withdrawn"),
    [
        ("Noted: dentist at 2:15.", True),
        ("Noted. Anything else?", False),
        ("At 2:15? They close at 3:45!", False),
    ],
)
def test_message_of_the_assistant_that_repeats_an_error_is_corrected_too(echo: str, is_withdrawn: bool) -> None:
    rows = [a_row(name, cosine=0.5) for name in "abc"]
    for place, text in enumerate(("The dentist is at 2:15.", echo, "Sorry, 3:45.")):
        rows[place][0][3], rows[place][0][5] = place, text
    rows[1][0][7] = Role.ASSISTANT
    found = candidates_in({"messages": rows, "rows": [], "named": []})
    assert [one.withdrawn for one in found.messages] == [True, is_withdrawn, False]
    assert found.messages[0].overtaken_by == "c"


def test_correction_stands_directly_above_the_message_that_it_corrects() -> None:
    rows = [a_row("a", cosine=0.9), a_row("b", cosine=0.8), a_row("c", cosine=0.1)]
    for place, text in enumerate(("I weigh 82 kilos.", "How much does Rex weigh?", "Oops, I meant 72.")):
        rows[place][0][3], rows[place][0][5] = place, text
    found = candidates_in({"messages": rows, "rows": [], "named": []})
    assert [(one.id, one.overtaken_by, one.withdrawn) for one in found.messages] == [
        ("a", "c", True),
        ("b", None, False),
        ("c", None, False),
    ]
    assert [one.meant for one in found.messages] == [None, None, "I weigh 72 kilos."]
    hits = [
        Hit(candidate=one, score=score, parts={}) for one, score in zip(found.messages, (0.9, 0.8, 0.1), strict=True)
    ]
    assert [(hit.candidate.id, hit.score) for hit in below_replacements(hits)] == [("c", 0.9), ("a", 0.9), ("b", 0.8)]
    # "Where do I live?", asked of "I live in Porto, my weight is 82": the correction stands below.
    for order in (hits, hits[::-1]):
        kept = [(hit.candidate.id, hit.score) for hit in below_replacements(order, unaffected=("a",))]
        assert kept[kept.index(("a", 0.9)) + 1][0] == "c"


@pytest.mark.parametrize(
    ("said", "meant", "parts"),
    [
        ("上个月我搬到厦门了，房租2600。", "上个月我搬到厦门了，房租2900。", ("房租2900。", "上个月我搬到厦门了，")),
        ("洗衣机是海尔的,花了1890", "洗衣机是海尔的,花了1980", ("花了1980", "洗衣机是海尔的,")),
        ("The room is 1,240 euros.", "The room is 1,340 euros.", None),
        ("Flight on the 12th, hotel Mila.", "Flight on the 14th, hotel Mila.", ("Flight on the 14th,", " hotel Mila.")),
        ("At 3:45, ok?", "At 4:45, ok?", ("At 4:45,", " ok?")),
        ("Fix am 12. um 7, Aula.", "Fix am 14. um 7, Aula.", ("Fix am 14. um 7,", " Aula.")),
        ("", "", None),
    ],
)
def test_parts_of_a_corrected_text(said: str, meant: str, parts: tuple[str, str] | None) -> None:
    assert parts_of(said, meant) == parts
