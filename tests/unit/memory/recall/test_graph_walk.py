"""Test the graph walk: closer to the named entity scores higher, independent of row order."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.memory.recall.candidates import Candidate, CandidateSet
from graph_service.memory.recall.features import first_hops, graph_proximity
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON
from tests.support.candidates import a_candidate


def a_line(number: int, *, session: str = "s1") -> Candidate:
    said_at = NOON + timedelta(minutes=number)
    return a_candidate(f"m{number:03d}", session=session, said_at=said_at, text=f"Line {number}.")


def a_fact(name: str, *ends: str, named: bool = False, proofs: tuple[str, ...] = ()) -> Candidate:
    return a_candidate(name, HitKind.FACT, scores={"entity": 1.0} if named else {"hop": 1.0}, ends=ends, proofs=proofs)


def walk_scores(*candidates: Candidate, lines: tuple[Candidate, ...] = ()) -> dict[str, float]:
    found = CandidateSet(candidates=(*lines, *candidates), messages=lines)
    return dict(zip((one.id for one in found.candidates), graph_proximity(found).tolist(), strict=True))


WORK = a_fact("works at", "sister", "Acme", named=True)
ANVILS = a_fact("makes", "Acme", "anvils")
ROCKETS = a_fact("makes too", "Bolt", "rockets")


def test_candidate_linked_to_the_named_entity_scores_higher() -> None:
    by_name = walk_scores(WORK, ANVILS, ROCKETS)
    assert by_name["works at"] == 1.0
    assert 0.0 < by_name["makes"] < 1.0
    assert by_name["makes too"] == 0.0


def test_candidate_with_more_paths_scores_higher() -> None:
    more = a_fact("sold by", "sister", "Acme", named=True)
    rare = a_fact("knows", "sister", "Bolt", named=True)
    by_name = walk_scores(WORK, more, rare, ANVILS, ROCKETS)
    assert by_name["makes"] > by_name["makes too"] > 0.0


def test_evidence_messages_of_a_near_fact_and_their_successors_score() -> None:
    lines = tuple(map(a_line, range(6)))
    by_name = walk_scores(replace(WORK, proofs=("m002",)), lines=lines)
    assert by_name["m002"] > by_name["m003"] > by_name["m005"] > 0.0
    assert by_name["m003"] == pytest.approx(by_name["m001"], rel=0.1)


def test_walk_does_not_cross_sessions() -> None:
    lines = (a_line(0), a_line(1), a_line(2, session="s2"))
    by_name = walk_scores(replace(WORK, proofs=("m001",)), lines=lines)
    assert by_name["m000"] > 0.0
    assert by_name["m002"] == 0.0


@pytest.mark.parametrize("candidates", [(), (ANVILS, ROCKETS)])
def test_question_without_a_name_gives_no_scores(candidates: tuple[Candidate, ...]) -> None:
    assert not any(walk_scores(*candidates, lines=(a_line(0), a_line(1))).values())


facts = st.lists(
    st.builds(
        a_fact,
        st.uuids().map(str),
        st.sampled_from("abcde"),
        st.sampled_from("abcde"),
        named=st.booleans(),
        proofs=st.lists(st.sampled_from(["m000", "m002", "m004", "gone"]), max_size=3).map(tuple),
    ),
    max_size=12,
    unique_by=lambda fact: fact.id,
)


@settings(deadline=None)
@given(facts, st.randoms())
def test_walk_scores_are_between_0_and_1_in_any_order(found: list[Candidate], shuffle: random.Random) -> None:
    lines = tuple(map(a_line, range(5)))
    by_name = walk_scores(*found, lines=lines)
    assert all(0.0 <= value <= 1.0 for value in by_name.values())
    assert max(by_name.values()) == (1.0 if any("entity" in one.scores for one in found) else 0.0)
    shuffled = list(found)
    shuffle.shuffle(shuffled)
    assert walk_scores(*shuffled, lines=lines) == pytest.approx(by_name)


def test_bridges_share_an_end_with_the_second_hop_fact() -> None:
    found = CandidateSet(candidates=(WORK, ANVILS, ROCKETS), messages=())
    assert first_hops(found) == {1: [0], 2: []}
