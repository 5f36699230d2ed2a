"""Test the ranking of messages to an assistant: which weights apply, current before former, and no repeats."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import QueryAnalysis, TimeReference, analyse
from extraction.text.choices import CHOSE
from graph_service.memory.recall.candidates import Candidate, CandidateSet, Hit
from graph_service.memory.recall.corrections import with_corrections
from graph_service.memory.recall.features import features_of
from graph_service.memory.recall.final_order import below_replacements, without_repeats
from graph_service.memory.recall.query import HitKind, Question, resolve_question
from graph_service.memory.recall.ranking import (
    ENGLISH,
    EVERYDAY,
    EVERYDAY_BY_WORDS,
    Weights,
    dialogue_share,
    long_answer_share,
    rank,
    weights_for,
    with_question_weights,
)
from graph_service.memory.recall.retrieval import filtered
from schema.ids import TenantId, fact_uri, user_uri
from schema.timespan import Timespan
from tests.support.builders import NOON
from tests.support.candidates import a_candidate, all_found
from tests.support.growth import cpu_within


def said(
    name: str, *, role: str = "user", speaker: str | None = None, day: int = 0, scene: str | None = None
) -> Candidate:
    return a_candidate(name, role=role, speaker=speaker, said_at=NOON + timedelta(days=day), scene=scene)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([said("hi"), said("hello", role="assistant")], 1.0),
        ([said("hi", speaker="Ann"), said("hello", role="assistant", speaker="Bob")], 0.0),
        ([said("hi", speaker="Ann"), said("hello", speaker="Bob")], 0.0),
        ([said(f"note {place}") for place in range(12)], 1.0),
        ([said(f"note {place}") for place in range(60)], 0.5),
        ([said(f"note {place}") for place in range(200)], 0.0),
        ([], 1.0),
    ],
)
def test_messages_to_an_assistant_are_told_from_conversations(messages: list[Candidate], expected: float) -> None:
    assert dialogue_share(messages) == expected


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "Can you explain how yeast works?",
            [
                "when you explain things give an example from the kitchen",
                "yeast bread turned out flat",
                "can't bake today",
            ],
        ),
        ("帮我写一封辞职信", ["以后给我写东西的时候别用感叹号", "辞职信的事再想想", "今天写了日记"]),
        ("Where do I usually swim?", ["I swim at the lido", "I swim at the uni pool this week", "tired after work"]),
        ("平时我在哪儿游泳？", ["我在市体育馆游泳", "这周我在学校游泳", "游泳镜丢了"]),
    ],
)
def test_instructions_and_what_is_usual_rank_first_where_they_count(question: str, texts: list[str]) -> None:
    """The second text shares at least as many words with the question."""
    found = all_found(*(replace(said(str(place)), text=text) for place, text in enumerate(texts)))
    analysis = analyse(question, reference=NOON)
    hits = rank(found, EVERYDAY_BY_WORDS, analysis=analysis, now=NOON)
    assert hits[0].candidate.id == "0"


LONG_ANSWER = "Here is a plan for the trip. **Step one**: book a train. " * 40
LONG_ANSWER_ZH = "以下是这次旅行的计划：第一步，订火车票。" * 40


@pytest.mark.parametrize(("answer", "expected"), [(LONG_ANSWER, 1.0), (LONG_ANSWER_ZH, 1.0), ("See you there!", 0.0)])
def test_named_speaker_with_long_answers_is_an_assistant_and_one_with_short_messages_a_person(
    answer: str, expected: float
) -> None:
    user, other = said("hi", speaker="Ann"), replace(said("reply", role="assistant", speaker="Aria"), text=answer)
    assert (dialogue_share([user, other]), long_answer_share([user, other])) == (expected, expected)


@pytest.mark.parametrize("speaker", [None, "Aria"])
@pytest.mark.parametrize("by", [{"tokens": True, "vectors": True}, {"tokens": False, "vectors": False}])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When do I leave for the trip to Oslo?", "told"),
        ("What did you suggest for the trip to Oslo?", "answered"),
        ("我什么时候去奥斯陆旅行？", "told-zh"),
        ("你之前给我推荐的奥斯陆旅行计划是什么？", "answered-zh"),
    ],
)
def test_long_answers_rank_below_what_the_user_said_unless_the_question_asks_for_them(
    speaker: str | None, by: dict[str, bool], question: str, first: str
) -> None:
    """The long answers have more words of the question."""
    texts = {
        "told": ("user", "I leave for my trip to Oslo on Friday."),
        "answered": (
            "assistant",
            f"When you leave for the trip to Oslo, do this. {LONG_ANSWER} Trip to Oslo: leave early.",
        ),
        "told-zh": ("user", "我周五去奥斯陆旅行。"),
        "answered-zh": ("assistant", f"去奥斯陆旅行什么时候都好。{LONG_ANSWER_ZH}奥斯陆旅行的时候注意安全。"),
    }
    found = all_found(
        *(
            replace(said(name, role=role, speaker=speaker if role == "assistant" else "Ann", day=day), text=text)
            for day, (name, (role, text)) in enumerate(texts.items())
            if name.endswith("-zh") == first.endswith("-zh")
        )
    )
    analysis = analyse(question, reference=NOON)
    share = dialogue_share(found.messages)
    weights = weights_for(
        chinese=analysis.chinese, **by, dialogue=share, long_answers=long_answer_share(found.messages)
    )
    weights = with_question_weights(weights, analysis)
    hits = rank(found, weights, analysis=analysis, now=NOON)
    assert hits[0].candidate.id == first


def test_weights_change_gradually_from_notes_to_conversation() -> None:
    alone = {"chinese": False, "vectors": True, "tokens": True}
    assert weights_for(**alone) == ENGLISH
    assert weights_for(**alone, dialogue=1.0) == EVERYDAY
    half = weights_for(**alone, dialogue=0.5)
    assert half.plain["speaker"] == pytest.approx((ENGLISH.plain["speaker"] + EVERYDAY.plain["speaker"]) / 2)
    assert half.plain["newer_now"] == pytest.approx(EVERYDAY.plain["newer_now"] / 2)


@pytest.mark.parametrize(
    ("reference", "first"), [(TimeReference.NOW, "new"), (TimeReference.OPEN, "new"), (TimeReference.FORMER, "old")]
)
def test_question_decides_if_the_later_or_the_earlier_statement_is_first(reference: TimeReference, first: str) -> None:
    """Both messages are equally similar to the question."""
    text = "my number is 555"
    found = all_found(
        replace(said("old", day=0), text=text), replace(said("new", day=30), text=text), said("other", day=10)
    )
    hits = rank(found, EVERYDAY, analysis=QueryAnalysis(time_reference=reference), now=NOON)
    assert next(hit.candidate.id for hit in hits if hit.candidate.text == text) == first


def a_fact(name: str, *proofs: str, closed: bool = False, said_at: datetime = NOON, **more: object) -> Candidate:
    uri = fact_uri(user_uri("t", "ann"), "RELATES_TO", name, "o", 0)
    return a_candidate(name, HitKind.FACT, uri=uri, proofs=proofs, closed=closed, said_at=said_at, **more)


@pytest.mark.parametrize(
    ("analysis", "kept"),
    [
        (QueryAnalysis(), ["open"]),
        (QueryAnalysis(time_reference=TimeReference.NOW), ["open"]),
        (QueryAnalysis(time_reference=TimeReference.FORMER), ["early", "late", "open"]),
        (
            QueryAnalysis(
                time_reference=TimeReference.DATED,
                time=Timespan(start=datetime(2025, 5, 1, tzinfo=UTC), end=datetime(2025, 6, 1, tzinfo=UTC)),
            ),
            ["late", "open"],
        ),
    ],
)
def test_closed_facts_answer_only_questions_about_their_time(analysis: QueryAnalysis, kept: list[str]) -> None:
    year, april = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC)
    facts = (
        a_fact("early", closed=True, said_at=year, invalid_at=april),
        a_fact("late", closed=True, said_at=april, invalid_at=NOON),
        a_fact("open", said_at=year),
    )
    asked = resolve_question(TenantId("t"), Question(user_id="ann", text="x"), now=NOON)
    left, _ = filtered(CandidateSet(candidates=facts, messages=()), asked, analysis)
    assert [one.id for one in left.candidates] == kept


@pytest.mark.parametrize(
    ("analysis", "first"),
    [
        # Each question matches the words for one home and asks for another.
        (QueryAnalysis(time_reference=TimeReference.FORMER), "porto"),
        (QueryAnalysis(time_reference=TimeReference.NOW), "lisbon"),
        (QueryAnalysis(), "lisbon"),
        (
            QueryAnalysis(
                time_reference=TimeReference.DATED,
                time=Timespan(start=NOON - timedelta(days=300), end=NOON - timedelta(days=290)),
            ),
            "berlin",
        ),
    ],
    ids=["before", "now", "open", "dated"],
)
def test_value_asked_for_inherits_what_other_values_of_its_attribute_match(analysis: QueryAnalysis, first: str) -> None:
    days = [NOON - timedelta(days=number) for number in (400, 200, 100)]
    berlin = a_fact("berlin", closed=True, said_at=days[0], invalid_at=days[1], overtaken_by="porto", cosine=0.5)
    porto = a_fact("porto", closed=True, said_at=days[1], invalid_at=days[2], overtaken_by="lisbon", cosine=0.5)
    lisbon = a_fact("lisbon", said_at=days[2], cosine=0.5)
    matched = lisbon if analysis.time_reference in (TimeReference.FORMER, TimeReference.DATED) else porto
    facts = [replace(one, cosine=0.9 if one is matched else 0.5) for one in (berlin, porto, lisbon)]
    found = all_found(*facts, *(replace(a_fact(f"other {n}"), cosine=0.4 + n / 100) for n in range(5)))
    hits = rank(found, EVERYDAY, analysis=analysis, now=NOON)
    order = [hit.candidate.id for hit in hits]
    assert order.index(first) < min(order.index(one) for one in {"berlin", "porto", "lisbon"} - {first}), order


def test_circle_of_successors_ends() -> None:
    """Concurrent corrections can let two facts close each other."""
    span = Timespan(start=NOON - timedelta(days=9), end=NOON)
    one = a_fact("a", closed=True, said_at=NOON - timedelta(days=8), invalid_at=NOON, overtaken_by="b")
    found = all_found(one, replace(one, id="b", overtaken_by="a"))
    for reference in TimeReference:
        analysis = QueryAnalysis(time_reference=reference, time=span)
        assert len(rank(found, EVERYDAY, analysis=analysis, now=NOON)) == 2


def hits_of(*candidates: Candidate) -> list[Hit]:
    return [Hit(candidate=one, score=1 - place / 100) for place, one in enumerate(candidates)]


def a_scene(name: str) -> Candidate:
    return a_candidate(name, HitKind.SCENE)


@pytest.mark.parametrize(
    ("ranked", "kept"),
    [
        ([a_scene("s"), said("a", scene="s"), said("c")], ["a", "c"]),
        ([a_scene("s"), said("a", scene="t")], ["s", "a"]),
        ([a_fact("f", "a"), said("a"), said("b")], ["f", "b"]),
        ([said("a"), a_fact("f", "a"), said("b")], ["a", "b"]),
        ([a_fact("f", "a", "b"), said("a"), said("b")], ["f", "a", "b"]),
        ([said("b"), a_fact("f", "a", "b")], ["b"]),
        ([a_fact("f", "a"), a_fact("g", "a"), said("a")], ["f", "g"]),
    ],
)
def test_nothing_is_told_twice(ranked: list[Candidate], kept: list[str]) -> None:
    assert [hit.candidate.id for hit in without_repeats(hits_of(*ranked))] == kept


@pytest.mark.parametrize(
    "texts",
    [("Ok, done!", "OK done", "ok. done"), ("好的，done…", "好的 done", "好的。Done！"), ("Σ_1", "“σ”1", "ς 1")],
)
def test_resent_messages_are_one_hit_with_the_latest(texts: tuple[str, ...]) -> None:
    same = [replace(said(f"m{day}", day=day), text=text) for day, text in enumerate(texts)]
    others = [replace(said("other", speaker="Bo"), text=texts[1]), replace(said("number"), text=f"{texts[1]} 2")]
    kept = without_repeats(hits_of(same[1], *others, same[0], same[2]))
    assert [hit.candidate.id for hit in kept] == ["m2", "other", "number"]


@pytest.mark.parametrize("unit", ["zebra ", "pwd::"])
def test_repeats_among_hits_of_ten_megabytes_are_found_in_milliseconds(unit: str) -> None:
    """Regression: the event loop stood still for seconds."""
    hits = hits_of(*(replace(said(f"m{at}"), text=f"{at} {unit * (100_000 // len(unit))}") for at in range(100)))
    with cpu_within(0.2):
        without_repeats(hits)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (TimeReference.NOW, ["new", "old", "oldest", "other"]),
        (TimeReference.OPEN, ["new", "old", "oldest", "other"]),
        (TimeReference.FORMER, ["oldest", "old", "other", "new"]),
    ],
)
def test_overtaken_message_ranks_below_what_overtook_it(reference: TimeReference, expected: list[str]) -> None:
    """Also if that was overtaken itself."""
    chain = (replace(said("oldest"), overtaken_by="f1"), replace(said("old"), overtaken_by="f2"))
    hits = hits_of(*chain, said("other"), said("new"))
    ordered = below_replacements(hits, QueryAnalysis(time_reference=reference), {"f1": ("old",), "f2": ("new", "old")})
    assert [hit.candidate.id for hit in ordered] == expected
    assert [hit.score for hit in ordered] == sorted((hit.score for hit in ordered), reverse=True)
    before = {hit.candidate.id: hit.score for hit in hits}
    assert all(hit.score - hit.parts.get("replaces", 0.0) == pytest.approx(before[hit.candidate.id]) for hit in ordered)


def test_choice_that_several_messages_tell_together_ranks_above_the_short_ones() -> None:
    """It stays, though a message that proves it ranks above; a long one may tell more than what the decision is for."""
    asked = replace(
        said("asked"), text="I bought a boat in Whitby with my brother, 9 metres, oak. Any name for it, please?"
    )
    told = (replace(said("need"), text="Any name for the boat?"), said("list"), said("reply"))
    chose = a_candidate("f", HitKind.FACT, relation=CHOSE, proofs=("asked", "need", "list", "reply"))
    ordered = without_repeats(below_replacements(hits_of(asked, *told, chose), QueryAnalysis()))
    assert [hit.candidate.id for hit in ordered] == ["asked", "f", "need", "list", "reply"]


@pytest.mark.parametrize(("asks_choice", "expected"), [(True, ["f", "list", "other"]), (False, ["list", "other", "f"])])
def test_list_of_the_assistant_stands_below_the_choice_if_that_is_asked_for(
    asks_choice: bool, expected: list[str]
) -> None:
    options = replace(said("list", role="assistant"), text="1. Toyota Yaris, reliable. 2. Skoda Fabia, roomy. " * 6)
    chose = a_candidate("f", HitKind.FACT, relation=CHOSE, proofs=("list", "reply"), text="User chose Skoda Fabia.")
    ordered = below_replacements(hits_of(options, said("other"), chose), QueryAnalysis(asks_choice=asks_choice))
    assert [hit.candidate.id for hit in ordered] == expected


_NUMBERS = st.sets(st.integers(0, 9), min_size=1, max_size=3)


@given(st.lists(st.tuples(st.sampled_from(HitKind), _NUMBERS), max_size=30))
def test_without_repeats_keeps_the_order_and_every_message(drawn: list[tuple[HitKind, set[int]]]) -> None:
    """Every message is still shown, itself or by a fact that it proves."""
    candidates: dict[str, Candidate] = {}
    for place, (kind, numbers) in enumerate(drawn):
        proofs = tuple(f"m{number}" for number in sorted(numbers))
        one = said(proofs[0], scene=f"s{place // 2}")
        if kind is HitKind.FACT:
            one = a_fact(f"f{place}", *proofs)
        elif kind is HitKind.SCENE:
            one = a_scene(f"s{place}")
        candidates[one.id] = one
    kept = [hit.candidate for hit in without_repeats(hits_of(*candidates.values()))]
    assert [one for one in candidates.values() if one in kept] == kept
    shown = {name for one in kept for name in (one.id, *one.proofs)}
    assert all(one.id in shown for one in candidates.values() if one.kind is HitKind.MESSAGE)


def first_of(question: str, *messages: tuple[str, str], weights: Weights = EVERYDAY_BY_WORDS) -> list[str]:
    """Return the texts of messages, each with its role and said on the next day, in the order of the ranking."""
    found = all_found(
        *(
            replace(said(text, role=role, day=day), text=text, session=f"s{day // 2}", position=day)
            for day, (role, text) in enumerate(messages)
        )
    )
    analysis = analyse(question, reference=NOON)
    return [hit.candidate.text for hit in rank(found, weights, analysis=analysis, now=NOON)]


@pytest.mark.parametrize(
    ("question", "former", "latest", "others"),
    [
        (
            "What car do I have?",
            "I drive a Tesla Model 3",
            "sold the tesla, got a VW ID.3",
            "my sister has a Volvo now",
        ),
        ("Where do I work?", "I work at St. Mary's", "new job too: I'm at the Luz hospital now", "bread is two euros"),
        ("Where do I live?", "We live in Porto", "We moved again, Madrid this time", "my brother lives in Oslo now"),
        ("我住在哪里？", "我住在上海", "我们搬到成都了", "我姐姐住在北京了"),
    ],
)
def test_the_last_change_of_an_attribute_is_first(question: str, former: str, latest: str, others: str) -> None:
    assert first_of(question, ("user", former), ("user", latest), ("user", others))[0] == latest


def test_the_relative_of_somebody_else_is_found_behind_their_own_mention() -> None:
    ranked = first_of(
        "Who does my sister's husband work for?",
        ("user", "My sister Ngozi is bringing the twins"),
        ("user", "her husband Femi is stuck, Network Rail have him on a closure"),
    )
    assert ranked[0].startswith("her husband")


def test_words_of_the_other_language_are_compared_by_their_glosses() -> None:
    english = ["I work at the hospital.", "My colleague Kevin is leaving.", "The weather is nice."]
    chinese = ["我在医院上班", "我同事凯文要走了", "今天天气很好"]
    for question, texts, others in (
        ("我在哪家医院上班？", english, chinese),
        ("Which hospital do I work at?", chinese, english),
    ):
        across = [replace(said(text), cosine=0.3, is_cross_language=True) for text in texts]
        found = all_found(*across, replace(said(others[2]), cosine=0.3))
        lexical = features_of(found, analyse(question, reference=NOON), now=NOON).scaled["lexical"]
        by_text = dict(zip((one.text for one in found.candidates), lexical.tolist(), strict=True))
        assert by_text[texts[0]] > 0 == by_text[texts[1]] == by_text[others[2]]


def test_items_of_a_list_come_before_what_is_newer() -> None:
    ranked = first_of(
        "Which pets do we have?",
        ("user", "we have another of our pets: a cat"),
        ("user", "and a third of our pets: the parrot"),
        ("user", "our pets sleep all day, we do too little"),
        ("user", "what our pets have is a cold"),
    )
    assert ranked[-1] == "what our pets have is a cold"


@given(st.lists(st.sampled_from(["Porto", "Lisbon", "Madrid", "Oslo", "Rome"]), min_size=2, max_size=5, unique=True))
def test_the_last_of_several_moves_is_first(homes: list[str]) -> None:
    moves = [("user", f"We moved to {home}") for home in homes]
    assert first_of("Where do I live?", *moves, ("user", "nice weather"))[0] == f"We moved to {homes[-1]}"


def test_correction_may_begin_another_session_of_its_speaker() -> None:
    wrong = replace(said("wrong"), text="The shift is Friday to Sunday.", session="s1")
    noted = replace(said("noted", role="assistant"), text="Noted: Friday to Sunday.", session="s1", position=1)
    right = replace(said("right"), text="Sorry, Thursday to Sunday.", session="s2", said_at=NOON + timedelta(minutes=3))
    messages = {one.id: one for one in with_corrections([right, wrong, noted])}
    assert messages["right"].meant == "The shift is Thursday to Sunday."
    assert [messages[name].overtaken_by for name in ("wrong", "noted", "right")] == ["right", "right", None]
    later = replace(right, said_at=NOON + timedelta(days=2))
    assert all(one.overtaken_by is None for one in with_corrections([later, wrong, noted]))
