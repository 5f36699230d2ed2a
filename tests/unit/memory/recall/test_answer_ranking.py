"""Test how answer scores change the order of hits."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import QueryAnalysis
from graph_service.memory.recall.answer_ranking import (
    CONVERSATION,
    DIALOGUE,
    SCORED_N,
    answer_score,
    answer_weight,
    answers_of,
    ranked_by_answers,
    to_score,
    without_stays,
)
from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON
from tests.support.candidates import a_candidate


def hit(name: str, score: float, *, kind: HitKind = HitKind.MESSAGE) -> Hit:
    return Hit(candidate=a_candidate(name, kind, said_at=NOON), score=score, parts={"lexical": score})


def names(hits: list[Hit], answers: dict[str, float]) -> list[str]:
    return [one.candidate.id for one in ranked_by_answers(hits, answers, DIALOGUE)]


def test_text_that_answers_rises_above_one_that_only_matches() -> None:
    hits = [hit("about cars", 0.6), hit("got the Skoda", 0.5), hit("weather", 0.4)]
    assert names(hits, {"about cars": 0.1, "got the Skoda": 0.95}) == ["got the Skoda", "about cars", "weather"]


def test_log_odds_become_scores_from_0_to_1() -> None:
    assert answers_of({"wrong": -9.0, "even": 0.0, "right": 9.0}) == {"wrong": 0.0, "even": 0.5, "right": 1.0}
    assert answers_of({}) == {}


def test_correction_is_scored_as_what_it_means() -> None:
    correction = hit("sorry, 3:45", 0.5)
    meant = replace(correction, candidate=replace(correction.candidate, meant="The dentist is at 3:45"))
    assert to_score([meant], QueryAnalysis()) == {"sorry, 3:45": "The dentist is at 3:45"}
    assert to_score([correction], QueryAnalysis()) == {"sorry, 3:45": "sorry, 3:45"}


def test_answer_score_of_a_fact_counts_by_its_confidence() -> None:
    def of_fact(confidence: float) -> float:
        fact = hit("lives in Porto", 0.5, kind=HitKind.FACT)
        fact = replace(fact, candidate=replace(fact.candidate, confidence=confidence))
        (found,) = ranked_by_answers([fact], {"lives in Porto": 1.0}, DIALOGUE)
        return found.parts["answers"] / DIALOGUE

    assert of_fact(1.0) == pytest.approx(1.0)
    assert of_fact(0.75) == pytest.approx(0.2)
    assert of_fact(0.5) == 0.0


def test_without_scores_nothing_changes() -> None:
    hits = [hit("a", 0.5), hit("b", 0.5), hit("c", 0.1)]
    assert ranked_by_answers(hits, {}, DIALOGUE) == hits


@given(st.lists(st.tuples(st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1))), max_size=12))
def test_hits_are_the_same_in_another_order_and_parts_sum_to_the_score(rows: list[tuple[float, float | None]]) -> None:
    hits = [hit(str(at), round(score, 6)) for at, (score, _) in enumerate(rows)]
    answers = {str(at): value for at, (_, value) in enumerate(rows) if value is not None}
    found = ranked_by_answers(hits, answers, DIALOGUE)
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
    texts = to_score(hits, QueryAnalysis())
    assert len(texts) == SCORED_N
    assert [*to_score(hits, QueryAnalysis(), more=True).values()] == ["other 1"]
    assert [*texts.values()][:5] == [
        "Ana: I moved",
        "assistant: Congratulations",
        "助手: 恭喜你搬家",
        "Ana lives in Porto",
        "other 0",
    ]


def test_text_to_translate_is_not_scored_as_an_answer() -> None:
    hits = [hit("Translate to French: I have two dogs", 0.9), hit("We have a kitten", 0.5)]
    assert [*to_score(hits, QueryAnalysis())] == ["We have a kitten"]


def test_what_others_say_in_a_quoted_chat_is_no_answer_about_the_user() -> None:
    said = hit("for the list\nOwen: no prawns near me\nTash: I bring cake\nI eat no nuts", 0.9).candidate
    hits = [Hit(candidate=replace(said, speaker="Ana"), score=0.9)]
    about_user, about_owen = (
        QueryAnalysis(of_user=True),
        QueryAnalysis(of_user=True, possible_names=frozenset({"owen"})),
    )
    assert [*to_score(hits, about_user).values()] == ["Ana: for the list\nI eat no nuts"]
    assert [*to_score(hits, about_owen).values()] == [f"Ana: {said.text}"]


def test_stay_ranks_below_a_home_for_a_question_about_the_home() -> None:
    answers = {"home": 0.4, "stay": 0.9, "other": 0.6}
    stays, homes = {"home": 0.2, "stay": 0.95}, [{"home": 0.3, "stay": 0.2}, {"home": 0.7, "stay": 0.4}]
    lasting = without_stays(answers, stays, homes)
    assert lasting["stay"] < 0.1 < 0.6 < lasting["home"]
    assert lasting["other"] == answers["other"]


def test_text_that_busy_models_did_not_score_for_each_question_keeps_its_answer_score() -> None:
    answers = {"home": 0.4, "stay": 0.9}
    stays, home = {"home": 0.2, "stay": 0.95}, {"home": 0.3, "stay": 0.2}
    assert without_stays(answers, stays, [home, {}]) == answers
    assert without_stays(answers, {}, [home, home]) == answers


@pytest.mark.parametrize(("dialogue", "expected"), [(0.0, CONVERSATION), (1.0, DIALOGUE)])
def test_weights_are_those_of_the_kind_of_memory(dialogue: float, expected: object) -> None:
    assert answer_weight(dialogue=dialogue) == expected


def test_factor_of_zero_leaves_the_order() -> None:
    hits = [hit("a", 0.5), hit("b", 0.4)]
    found = ranked_by_answers(hits, {"b": 1.0}, answer_weight(dialogue=1.0, factor=0.0))
    assert [one.candidate.id for one in found] == ["a", "b"]
