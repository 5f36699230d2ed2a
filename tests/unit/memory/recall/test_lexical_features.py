"""Test lexical, neighbour, speaker and time features of messages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.embeddings.late_interaction import QuestionTokens
from extraction.embeddings.token_vectors import pack
from extraction.query_analysis import AnswerType, QueryAnalysis, analyse
from extraction.text.search_terms import both_spellings, counts, terms_of
from graph_service.memory.recall.candidates import Candidate, CandidateSet
from graph_service.memory.recall.features import features_of, first_hops, speaker_asked
from graph_service.memory.recall.lexical_scores import (
    best_nearby,
    bm25_of,
    conversations,
    lexical_scores,
    session_bounds,
    shifted,
)
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.ranking import weights_for
from schema.ids import name_key
from schema.labels import Role
from schema.timespan import Timespan
from tests.support.candidates import a_candidate, all_found

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SESSIONS = st.lists(st.sampled_from("abc"), max_size=30).map(sorted)


def _line(place: int, text: str, *, speaker: str | None = "Ann", session: str = "s", day: int = 0) -> Candidate:
    said_at = NOON + timedelta(days=day, minutes=place)
    return a_candidate(f"m{place:02}", session=session, said_at=said_at, position=place, speaker=speaker, text=text)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which violin did she buy?", ["The bow is new.", "She bought a violin.", "Lunch was good."]),
        ("她买了什么小提琴？", ["弓子是新的。", "她昨天买了一把小提琴。", "午饭很好吃。"]),
    ],
)
def test_words_score_for_the_message_and_its_neighbours_only(question: str, texts: list[str]) -> None:
    words = lexical_scores(terms_of(question), [*texts, texts[2]], ["one"] * 3 + ["two"], window=6)
    assert words.own.argmax() == 1
    assert words.own[0] == words.own[2] == 0
    assert words.before.tolist() == [0, words.own[0], words.own[1], 0]
    assert (words.near[:3] > 0).all()
    assert words.near[3] == 0


def test_rare_word_scores_higher_than_a_common_one() -> None:
    texts = ["the garden", "the garden", "the garden", "the lighthouse"]
    words = lexical_scores(terms_of("garden lighthouse"), texts, ["s"] * 4, window=2)
    assert words.own[3] > words.own[0] > 0
    rare, common = bm25_of(["A lighthouse.", "A garden."], terms_of("garden lighthouse"), words)
    assert rare > common


def _specificity(texts: list[str]) -> list[float]:
    return lexical_scores(terms_of(""), texts, ["s"] * len(texts), window=6).specificity.tolist()


def test_specificity_counts_words_that_other_messages_lack() -> None:
    said = [
        "Great, thanks!",
        "Great, thanks!",
        "Great, we sail past the lighthouse.",
        "Lighthouse?",
        "明天去灯塔。",
        "",
    ]
    thanks, again, sails, one_word, chinese, nothing = _specificity(said)
    assert sails > one_word > 0
    assert sails > thanks == again
    assert chinese == nothing == 0
    assert _specificity([]) == []


@given(sessions=SESSIONS, window=st.integers(1, 8))
def test_windows_and_neighbours_stay_within_the_session(sessions: list[str], window: int) -> None:
    first, end = session_bounds(sessions)
    own = np.array([float(ord(name)) for name in sessions])
    steps = range(-window, window + 1)
    for values in (best_nearby(own, first, end, steps), best_nearby(own[:, None], first, end, steps)[:, 0]):
        assert values.tolist() == own.tolist()
    before = shifted(own, first).tolist()
    assert all(value in (0.0, mine) for value, mine in zip(before, own, strict=True))
    assert all(len(set(sessions[a:b])) == 1 and a <= at < b for at, (a, b) in enumerate(zip(first, end, strict=True)))


def test_long_silence_divides_a_session() -> None:
    moments = [NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=10), NOON + timedelta(hours=10)]
    names = conversations(["s", "s", "s", "t"], moments)
    assert names[0] == names[1]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("named", "speaker"), [({"ann"}, "ann"), ({"ann", "bob"}, None), ({"carol"}, None), (set(), None)]
)
def test_speaker_filter_needs_exactly_one_named_speaker(named: set[str], speaker: str | None) -> None:
    lines = [_line(0, "Hello.", speaker="Ann"), _line(1, "Hello.", speaker="Bob")]
    assert speaker_asked(lines, QueryAnalysis(name_keys=frozenset(named))) == speaker


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("周老师家的宽带是哪家的？", "周桂兰"),
        ("老周现在住在哪里？", "周桂兰"),
        ("周老板卖什么？", None),
        ("郑叔种什么？", None),
    ],
)
def test_chinese_form_of_address_names_its_speaker(question: str, speaker: str | None) -> None:
    """Regression: a greeting such as 周老师好 matched every question about the user best."""
    lines = [_line(0, "周老师好，您慢慢来。", speaker=None), _line(1, "我家宽带是电信的。", speaker="周桂兰")]
    analysis = analyse(question, reference=NOON)
    assert speaker_asked(lines, analysis) == speaker
    if speaker:
        words = features_of(all_found(*lines), analysis, now=NOON).scaled["lexical"]
        assert words[0] <= words[1]


@pytest.mark.parametrize(
    ("question", "dropped"),
    [
        ("Which herb can't the user stand?", True),
        ("What is the user's phone number?", True),
        ("用户对什么药过敏？", True),
        ("Which columns does the user table have?", False),
        ("用户表有哪些字段？", False),
        ("the user", False),
    ],
)
def test_owner_of_the_memory_is_no_topic(question: str, dropped: bool) -> None:
    terms = analyse(question, reference=NOON).terms
    assert ({"user", "用户"}.isdisjoint((*terms.stems, *terms.strings))) is dropped


def test_named_speaker_is_a_filter_and_not_a_topic() -> None:
    found = all_found(_line(0, "Ann has a dog.", speaker="Bob"), _line(1, "I have a dog.", speaker="Ann"))
    raw = features_of(
        found, QueryAnalysis(terms=terms_of("Does Ann have a dog?"), name_keys=frozenset({"ann"})), now=NOON
    )
    assert raw.plain["speaker"].tolist() == [0.0, 1.0]
    assert raw.scaled["lexical"][1] >= raw.scaled["lexical"][0]


@pytest.mark.parametrize(("name", "pieces"), [("Ann Lee", ("ann", "lee")), ("李小明", ("李", "小", "明"))])
def test_pieces_of_the_speakers_name_are_ignored(name: str, pieces: tuple[str, ...]) -> None:
    """A Chinese name has a piece per character."""
    words = (*pieces, "dog")
    vectors = np.eye(len(words), dtype=np.float32)
    tokens = QuestionTokens(model="m", vectors=vectors, weights=np.ones(len(words), np.float32), words=words)
    lines = [
        replace(_line(place, "Hello.", speaker=name), tokens=pack(vectors[kept], model="m"))
        for place, kept in enumerate((slice(0, -1), slice(-1, None)))
    ]
    raw = features_of(all_found(*lines), QueryAnalysis(name_keys=frozenset({name_key(name)}), tokens=tokens), now=NOON)
    assert raw.scaled["token_similarity"].round(2).tolist() == [0.0, 1.0]


def test_time_matches_the_day_and_mentioned_times() -> None:
    lines = (
        _line(0, "We went to the zoo yesterday.", day=2),
        _line(1, "We went to the zoo.", day=1),
        _line(2, "We went to the zoo.", day=3),
        _line(3, "我们昨天去了动物园。", day=2),
    )
    day = Timespan(start=datetime(2026, 3, 2, tzinfo=UTC), end=datetime(2026, 3, 3, tzinfo=UTC))
    raw = features_of(
        all_found(*lines), QueryAnalysis(time=day, answer_type=AnswerType.WHEN), now=NOON + timedelta(days=9)
    )
    assert raw.plain["time_range"].tolist() == [1.0, 1.0, 0.0, 1.0]
    assert raw.plain["contains_time"].tolist() == [1.0, 0.0, 0.0, 1.0]


def test_number_counts_if_the_question_asks_for_it() -> None:
    lines = (_line(0, "How many?"), _line(1, "Three dogs."), _line(2, "Good."), _line(3, "真的吗？", session="t"))
    raw = features_of(all_found(*lines), QueryAnalysis(answer_type=AnswerType.HOW_MANY), now=NOON)
    assert raw.plain["contains_number"].tolist() == [0.0, 1.0, 0.0, 0.0]


def test_role_feature_is_set_for_messages_of_that_role_only() -> None:
    said = [a_candidate("a"), a_candidate("b", role="assistant"), a_candidate("c", HitKind.SCENE, role=None)]
    lines = (_line(0, "a"), _line(1, "b"))
    found = CandidateSet(candidates=tuple(said), messages=tuple(replace(line, id=line.text) for line in lines))
    by_role = {
        role: features_of(found, QueryAnalysis(role=role), now=NOON).plain["role"].tolist() for role in (None, *Role)
    }
    assert by_role[Role.ASSISTANT] == [0.0, 1.0, 0.0]
    assert by_role[Role.USER] == [1.0, 0.0, 0.0]
    assert by_role[None] == by_role[Role.TOOL] == [0.0, 0.0, 0.0]


def test_second_hop_facts_score_only_for_indirect_questions() -> None:
    facts = [
        a_candidate("near", HitKind.FACT, scores={"entity": 1.0}, ends=("sister", "Acme")),
        a_candidate("next", HitKind.FACT, scores={"hop": 1.0}, ends=("Acme", "anvils")),
        a_candidate("other", HitKind.FACT, scores={"words": 1.0}, ends=("Bolt", "rockets")),
    ]
    found = CandidateSet(candidates=tuple(facts), messages=(), named=frozenset({"sister"}))
    raw = [
        features_of(found, QueryAnalysis(indirect_target=beyond), now=NOON).plain
        for beyond in ("employer sell?", None, "sister do?")
    ]
    assert [one["multi_hop"].tolist() for one in raw] == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert first_hops(found) == {1: [0]}


def test_second_hop_facts_inherit_the_words_of_their_bridge_if_indirect() -> None:
    facts = [
        a_candidate("a", HitKind.FACT, text="My sister is employed by Acme.", scores={"entity": 1.0}, ends=("1", "2")),
        a_candidate("b", HitKind.FACT, text="Acme makes anvils.", scores={"hop": 1.0}, ends=("2", "3")),
        a_candidate("c", HitKind.FACT, text="Bolt makes rockets.", scores={"hop": 1.0}, ends=("4", "5")),
    ]
    found = CandidateSet(candidates=tuple(facts), messages=())
    for beyond in ("employer sell?", None):
        asked = QueryAnalysis(terms=terms_of("What does my sister's employer sell?"), indirect_target=beyond)
        tie, on_the_way, other = features_of(found, asked, now=NOON).scaled["lexical"].tolist()
        assert tie > other == 0.0
        assert on_the_way == (tie if beyond else 0.0)


def test_chinese_word_is_matched_by_its_characters() -> None:
    texts = ["她报了一个绘画班。", "她报了一个游泳班。"]
    assert lexical_scores(terms_of("她喜欢画什么？", characters=True), texts, ["s"] * 2, window=2).own[0] > 0
    assert not lexical_scores(terms_of("她喜欢画什么？"), texts, ["s"] * 2, window=2).own.any()


@pytest.mark.parametrize("said", ["My favorite colors.", "My favourite colours."])
def test_british_and_american_spellings_match(said: str) -> None:
    for question in ("favorite color", "favourite colour"):
        assert counts(terms_of(question), said) == [1, 1]
        assert both_spellings(["favourite", "color"]) == ["favourite", "color", "favorite", "colour"]


@pytest.mark.parametrize("question", ["dog cat dog dog", "小狗还是小猫？小狗吧，小狗好。"])
def test_repeated_question_words_weigh_more(question: str) -> None:
    terms = terms_of(question)
    texts = ["A dog, 一只小狗。", "A cat, 一只小猫。"]
    words = lexical_scores(terms, texts, ["a", "b"], window=2)
    assert words.own[0] > words.own[1] > 0


@given(st.text(alphabet="abc 狗猫，。的", max_size=60))
def test_each_term_has_its_number_of_occurrences(question: str) -> None:
    for characters in (False, True):
        terms = terms_of(question, characters=characters)
        assert len(terms.times) == len(terms)
        assert min(terms.times, default=1) >= 1
        rest = terms.without({"a"}, "狗")
        assert len(rest.times) == len(rest)
        assert "a" not in rest.stems
        assert "狗" not in rest.strings


def test_long_questions_have_their_own_weights() -> None:
    for chinese, asked_chars in ((True, 20), (False, 131)):
        assert "lexical_window" in weights_for(chinese=chinese, vectors=False, tokens=False, chars=asked_chars).scaled
        assert set(weights_for(chinese=chinese, vectors=False, tokens=False, chars=200).scaled) == {"lexical"}
        assert set(weights_for(chinese=chinese, vectors=True, tokens=True, chars=200).scaled) == {
            "lexical",
            "similarity",
        }


def test_no_candidates_give_empty_features() -> None:
    raw = features_of(all_found(), QueryAnalysis(terms=terms_of("dog")), now=NOON)
    assert all(not len(values) for values in [*raw.scaled.values(), *raw.plain.values()])
