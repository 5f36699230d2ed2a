"""Test how answer scores change the order of hits."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import QueryAnalysis, analyse
from graph_service.memory.recall.answer_ranking import (
    CONVERSATION,
    DIALOGUE,
    SCORED_N,
    answer_score,
    answer_weights,
    answers_of,
    ranked_by_answers,
    to_score,
)
from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON
from tests.support.candidates import a_candidate

NOW = analyse("What do I drive now?", reference=NOON)
BEFORE = analyse("What did I drive before?", reference=NOON)


def hit(name: str, score: float, *, day: int = 0, kind: HitKind = HitKind.MESSAGE, proofs: tuple[str, ...] = ()) -> Hit:
    candidate = a_candidate(name, kind, said_at=NOON + timedelta(days=day), proofs=proofs)
    return Hit(candidate=candidate, score=score, parts={"lexical": score})


def names(hits: list[Hit], answers: dict[str, float], analysis: QueryAnalysis = NOW) -> list[str]:
    return [one.candidate.id for one in ranked_by_answers(hits, answers, analysis, DIALOGUE)]


def test_text_that_answers_rises_above_one_that_only_matches() -> None:
    hits = [hit("about cars", 0.6), hit("got the Skoda", 0.5), hit("weather", 0.4)]
    assert names(hits, {"about cars": 0.1, "got the Skoda": 0.95}) == ["got the Skoda", "about cars", "weather"]


def test_of_two_answers_the_later_comes_first_unless_the_question_is_about_the_past() -> None:
    hits = [hit("drove a Golf", 0.51, day=0), hit("got the Skoda", 0.5, day=9)]
    answers = {"drove a Golf": 0.9, "got the Skoda": 0.9}
    assert names(hits, answers) == ["got the Skoda", "drove a Golf"]
    assert names(hits, answers, BEFORE) == ["drove a Golf", "got the Skoda"]


def test_fact_and_the_message_that_proves_it_are_no_two_answers() -> None:
    message, fact = hit("got the Skoda", 0.51, day=0), hit("drives a Skoda", 0.5, day=1, kind=HitKind.FACT)
    fact = replace(fact, candidate=replace(fact.candidate, proofs=("got the Skoda",)))
    answers = {"got the Skoda": 0.9, "drives a Skoda": 0.9}
    assert names([message, fact], answers) == ["got the Skoda", "drives a Skoda"]


def test_log_odds_become_scores_from_0_to_1() -> None:
    assert answers_of({"wrong": -9.0, "even": 0.0, "right": 9.0}) == {"wrong": 0.0, "even": 0.5, "right": 1.0}
    assert answers_of({}) == {}


def test_what_the_user_corrected_does_not_rise() -> None:
    corrected = replace(hit("the queue is RabbitMQ", 0.5), parts={"lexical": 0.6, "corrected": -0.1})
    hits = [hit("sorry, Kafka", 0.51), corrected]
    assert names(hits, {"the queue is RabbitMQ": 0.9}) == ["sorry, Kafka", "the queue is RabbitMQ"]


def test_what_was_so_only_formerly_answers_by_half() -> None:
    former = replace(hit("lived in Berlin", 0.5), parts={"lexical": 0.6, "former_only": -0.1})
    found = ranked_by_answers([former, hit("lives in Porto", 0.5)], {"lived in Berlin": 1.0}, NOW, DIALOGUE)
    assert found[0].parts["answers"] == DIALOGUE.answers / 2


def test_answer_score_of_a_fact_counts_by_its_confidence() -> None:
    def of_fact(confidence: float) -> float:
        fact = hit("lives in Porto", 0.5, kind=HitKind.FACT)
        fact = replace(fact, candidate=replace(fact.candidate, confidence=confidence))
        (found,) = ranked_by_answers([fact], {"lives in Porto": 1.0}, NOW, DIALOGUE)
        return found.parts["answers"] / DIALOGUE.answers

    assert of_fact(1.0) == pytest.approx(1.0)
    assert of_fact(0.75) == pytest.approx(0.2)
    assert of_fact(0.5) == 0.0


def test_without_scores_nothing_changes() -> None:
    hits = [hit("a", 0.5), hit("b", 0.5), hit("c", 0.1)]
    assert ranked_by_answers(hits, {}, NOW, DIALOGUE) == hits


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5), st.one_of(st.none(), st.floats(0, 1))), max_size=12),
    st.sampled_from([NOW, BEFORE]),
)
def test_hits_are_the_same_in_another_order_and_parts_sum_to_the_score(
    rows: list[tuple[float, int, float | None]], analysis: QueryAnalysis
) -> None:
    hits = [hit(str(at), round(score, 6), day=day) for at, (score, day, _) in enumerate(rows)]
    answers = {str(at): value for at, (_, _, value) in enumerate(rows) if value is not None}
    found = ranked_by_answers(hits, answers, analysis, DIALOGUE)
    assert sorted(one.candidate.id for one in found) == sorted(one.candidate.id for one in hits)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert math.isclose(math.fsum(one.parts.values()), one.score, abs_tol=1e-5)


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_answer_score_is_monotonic_and_bounded(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= answer_score(low) <= answer_score(high) <= 1.0
    assert answer_score(0.0) == 0.5


def test_best_messages_and_facts_are_scored_with_their_speakers_and_no_scenes() -> None:
    ana = replace(hit("I moved", 0.9).candidate, speaker="Ana")
    agent = replace(hit("Congratulations", 0.8).candidate, role="assistant")
    chinese = replace(hit("恭喜你搬家", 0.7).candidate, role="assistant")
    scene = hit("a scene", 0.6, kind=HitKind.SCENE)
    fact = hit("Ana lives in Porto", 0.5, kind=HitKind.FACT)
    others = [hit(f"other {at}", 0.4 - at / 100) for at in range(20)]
    hits = [*(Hit(candidate=one, score=1.0) for one in (ana, agent, chinese)), scene, fact, *others]
    texts = to_score(hits)
    assert len(texts) == SCORED_N
    assert [*texts.values()][:5] == [
        "Ana: I moved",
        "assistant: Congratulations",
        "助手: 恭喜你搬家",
        "Ana lives in Porto",
        "other 0",
    ]


@pytest.mark.parametrize(("dialogue", "expected"), [(0.0, CONVERSATION), (1.0, DIALOGUE)])
def test_weights_are_those_of_the_kind_of_memory(dialogue: float, expected: object) -> None:
    assert answer_weights(dialogue=dialogue) == expected


def test_factor_of_zero_leaves_the_order() -> None:
    hits = [hit("a", 0.5), hit("b", 0.4)]
    found = ranked_by_answers(hits, {"b": 1.0}, NOW, answer_weights(dialogue=1.0, factor=0.0))
    assert [one.candidate.id for one in found] == ["a", "b"]
