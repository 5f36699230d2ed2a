"""Test how replacements change the order of hits."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import QueryAnalysis, analyse
from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.replacement_ranking import (
    CHANGES_MAX,
    NEWER_SCORE_MIN,
    OLDER_N,
    TextPair,
    asks_lasting,
    ranked_by_replacements,
    to_compare,
)
from schema.labels import Role
from tests.support.builders import NOON
from tests.support.candidates import a_candidate

NOW = analyse("Where do I live now?", reference=NOON)
OPEN = analyse("Where do I live?", reference=NOON)
BEFORE = analyse("Where did I live before?", reference=NOON)
DATED = analyse("Where did I live in May 2019?", reference=NOON)
PORTO, LISBON, SISTER = "in Porto", "first night in Lisbon", "my sister is in Lisbon"
LONG = "my sister is in Lisbon, and she asked whether we would like to come over for a few weeks in spring"


def hit(name: str, score: float, *, day: int = 0) -> Hit:
    candidate = a_candidate(name, HitKind.MESSAGE, said_at=NOON + timedelta(days=day))
    return Hit(candidate=candidate, score=score, parts={"lexical": score})


HITS = (hit(PORTO, 0.6), hit(LISBON, 0.55, day=9), hit(SISTER, 0.5, day=20))


def change(older: str, newer: str) -> TextPair:
    return TextPair(older=older, newer=newer, older_text=older, newer_text=newer, newer_answers=1.0)


def names(log_odds: float, analysis: QueryAnalysis) -> list[str]:
    found = {change(PORTO, LISBON): log_odds, change(PORTO, SISTER): -9.0}
    return [one.candidate.id for one in ranked_by_replacements(HITS, found, analysis, 1.0)]


@pytest.mark.parametrize("analysis", [NOW, OPEN])
def test_replaced_text_ranks_below_the_newer_one(analysis: QueryAnalysis) -> None:
    assert names(6.0, analysis)[0] == LISBON
    assert names(-6.0, analysis) == [PORTO, LISBON, SISTER]


def test_text_told_for_some_days_replaces_none() -> None:
    found = {change(PORTO, LISBON): 6.0}
    for odds, first in ((3.0, PORTO), (-9.0, LISBON)):
        ranked = ranked_by_replacements(HITS, found, OPEN, 1.0, {LISBON: odds})
        assert ranked[0].candidate.id == first


@given(st.floats(-12, 12), st.floats(-12, 12))
def test_the_surer_a_text_is_told_for_some_days_the_lower_it_ranks(one: float, other: float) -> None:
    def lead(odds: float) -> float:
        found = {change(PORTO, LISBON): 1.0}
        scores = {hit.candidate.id: hit.score for hit in ranked_by_replacements(HITS, found, OPEN, 1.0, {LISBON: odds})}
        return scores[LISBON] - scores[PORTO]

    low, high = sorted((one, other))
    assert lead(high) <= lead(low) + 1e-5


@pytest.mark.parametrize(
    ("question", "lasting"),
    [
        ("What is my own phone number?", True),
        ("我平时怎么上班？", True),
        ("Wo wohne ich?", True),
        ("Wann muss ich zum Zahnarzt?", False),
        ("When is my dentist appointment?", False),
        ("Which car do I drive at the moment?", False),
        ("What car does Anna drive?", False),
        ("What was my number before?", False),
    ],
)
def test_questions_for_what_lasts_are_told_from_others(question: str, lasting: bool) -> None:
    assert asks_lasting(analyse(question, reference=NOON)) is lasting


def test_question_about_a_former_state_ranks_the_replaced_text_first() -> None:
    hits = (hit(LISBON, 0.6, day=9), hit(PORTO, 0.55))
    found = ranked_by_replacements(hits, {change(PORTO, LISBON): 6.0}, BEFORE, 1.0)
    assert [one.candidate.id for one in found] == [PORTO, LISBON]


def test_only_newer_texts_that_may_answer_are_compared() -> None:
    answers = {PORTO: 0.9, LISBON: 0.8, LONG: NEWER_SCORE_MIN - 0.01}
    hits = (*HITS[:2], hit(LONG, 0.4, day=20))
    assert [(one.older, one.newer) for one in to_compare(hits, answers, NOW, 1.0)] == [(PORTO, LISBON)]
    assert to_compare(HITS, {PORTO: 0.9}, NOW, 1.0) == []
    assert to_compare(HITS, answers, DATED, 1.0) == []


@pytest.mark.parametrize("told", ["and it's thursdays now", "改到周四了", "es el jueves, perdón", "木曜になりました"])
def test_short_newer_text_may_answer_as_the_older_does(told: str) -> None:
    """It leaves out what it is about."""
    (pair,) = to_compare((HITS[0], hit(told, 0.45, day=9)), {PORTO: 0.9, told: 0.02}, NOW, 1.0)
    assert pair.newer_answers >= 0.9
    assert not to_compare((HITS[0], hit(told, 0.45, day=9)), {PORTO: 0.2, told: 0.02}, NOW, 1.0)
    longer = f"{told}, " * 9
    assert not to_compare((HITS[0], hit(longer, 0.45, day=9)), {PORTO: 0.9, longer: 0.02}, NOW, 1.0)


def test_newer_text_counts_less_the_less_it_answers() -> None:
    weak = replace(change(PORTO, LISBON), newer_answers=0.1)
    found = ranked_by_replacements(HITS, {weak: 6.0}, NOW, 1.0)
    assert [one.candidate.id for one in found] == [PORTO, LISBON, SISTER]


def test_provided_fact_and_its_evidence_are_replaced_only_if_a_fact_has_closed_it() -> None:
    answers = {PORTO: 0.9, LISBON: 0.9, "lives in Porto": 0.9}
    provided = replace(
        a_candidate("lives in Porto", HitKind.FACT, said_at=NOON), confidence=0.95, proofs=(PORTO,), closed=False
    )
    message, newer = HITS[:2]
    fact = replace(message, candidate=provided)
    assert to_compare([fact, message, newer], answers, NOW, 1.0) == []
    closed = replace(fact, candidate=replace(provided, closed=True))
    assert [one.older for one in to_compare([closed, message, newer], answers, NOW, 1.0)] == [
        "lives in Porto",
        PORTO,
    ]
    extracted = replace(fact, candidate=replace(provided, confidence=0.75))
    assert [one.older for one in to_compare([extracted, message, newer], answers, NOW, 1.0)] == [
        "lives in Porto",
        PORTO,
    ]


def test_exception_does_not_replace_the_usual() -> None:
    hits = (hit("physio on Thursdays at 2", 0.6), hit("this week only physio is on Tuesday", 0.55, day=9))
    scores = {one.candidate.id: 0.9 for one in hits}
    for question, expected in (("What day is my physio?", 1), ("What day is my physio usually?", 0)):
        assert len(to_compare(hits, scores, analyse(question, reference=NOON), 1.0)) == expected


def test_choice_is_replaced_only_if_the_question_asks_what_holds_now() -> None:
    chosen = a_candidate("User chose oak", HitKind.FACT, said_at=NOON, relation="chose")
    hits = (Hit(candidate=chosen, score=0.6, parts={}), hit("the floor is done", 0.55, day=9))
    scores = {one.candidate.id: 0.9 for one in hits}
    for question, expected in (("What worktop did we go for?", 0), ("What worktop do we have now?", 1)):
        assert len(to_compare(hits, scores, analyse(question, reference=NOON), 1.0)) == expected


def test_lists_and_texts_of_the_assistant_are_not_compared() -> None:
    answers = {PORTO: 0.9, LISBON: 0.8}
    assert to_compare(HITS, answers, analyse("Which cities have I lived in?", reference=NOON), 1.0) == []
    noted = replace(HITS[1], candidate=replace(HITS[1].candidate, role=Role.ASSISTANT))
    assert to_compare([HITS[0], noted], answers, NOW, 1.0) == []


def test_fact_and_the_message_that_proves_it_are_not_compared() -> None:
    fact = hit("lives in Porto", 0.7, day=1)
    fact = replace(fact, candidate=replace(fact.candidate, kind=HitKind.FACT, proofs=(PORTO,)))
    assert to_compare([HITS[0], fact], {PORTO: 0.9, "lives in Porto": 0.9}, NOW, 1.0) == []


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.floats(0, 1)), max_size=30))
def test_comparisons_are_bounded_and_the_newer_is_newer(found: list[tuple[float, int, float]]) -> None:
    hits = [hit(str(at), score, day=day) for at, (score, day, _) in enumerate(found)]
    answers = {str(at): answer for at, (_, _, answer) in enumerate(found)}
    said_at = {one.candidate.id: one.candidate.said_at for one in hits}
    changes = to_compare(hits, answers, NOW, 1.0)
    assert len(changes) == len(set(changes)) <= CHANGES_MAX
    assert all(said_at[one.older] < said_at[one.newer] for one in changes)
    assert {one.older for one in changes} <= {one.candidate.id for one in hits[:OLDER_N]}


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.floats(0, 1)), max_size=12), st.booleans())
def test_pairs_left_out_could_not_change_their_own_order(found: list[tuple[float, int, float]], former: bool) -> None:
    analysis = BEFORE if former else NOW
    hits = sorted(
        (hit(str(at), score, day=day) for at, (score, day, _) in enumerate(found)), key=lambda one: -one.score
    )
    answers = {str(at): answer for at, (_, _, answer) in enumerate(found)}
    compared = {(one.older, one.newer) for one in to_compare(hits, answers, analysis, 1.0)}
    for left_out in to_compare(hits, answers, analysis, 60.0):
        if (left_out.older, left_out.newer) not in compared:
            order = [one.candidate.id for one in ranked_by_replacements(hits, {left_out: 40.0}, analysis, 1.0)]
            rises, falls = (left_out.older, left_out.newer) if former else (left_out.newer, left_out.older)
            assert order.index(falls) < order.index(rises) or len(compared) == CHANGES_MAX


def test_pair_too_far_apart_to_change_places_is_not_compared() -> None:
    hits = (hit(PORTO, 0.9), hit(LISBON, 0.5, day=9), hit(SISTER, 0.7, day=20))
    answers = {PORTO: 0.9, LISBON: 1.0, SISTER: 1.0}
    pairs = [(one.older, one.newer) for one in to_compare(hits, answers, NOW, 1.0)]
    assert pairs == [(PORTO, SISTER), (LISBON, SISTER)]


@given(st.dictionaries(st.sampled_from([change(PORTO, LISBON), change(PORTO, SISTER)]), st.floats(-40, 40)))
def test_no_hit_is_lost_and_parts_sum_to_the_score(changes: dict[TextPair, float]) -> None:
    found = ranked_by_replacements(HITS, changes, NOW, 1.0)
    assert {one.candidate.id for one in found} == {PORTO, LISBON, SISTER}
    assert all(sum(one.parts.values()) == pytest.approx(one.score, abs=1e-5) for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_conversations_between_people_have_no_weight() -> None:
    changes = {change(PORTO, LISBON): 6.0}
    assert [one.score for one in ranked_by_replacements(HITS, changes, NOW, 0.0)] == [one.score for one in HITS]
