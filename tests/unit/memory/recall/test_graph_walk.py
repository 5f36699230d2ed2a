"""The walk over what was found: near what is named counts most, and nothing depends on the order of rows."""

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


def near(*candidates: Candidate, lines: tuple[Candidate, ...] = ()) -> dict[str, float]:
    found = CandidateSet(candidates=(*lines, *candidates), messages=lines)
    return dict(zip((one.id for one in found.candidates), graph_proximity(found).tolist(), strict=True))


WORK = a_fact("works at", "sister", "Acme", named=True)
ANVILS = a_fact("makes", "Acme", "anvils")
ROCKETS = a_fact("makes too", "Bolt", "rockets")


def test_what_is_tied_to_what_is_named_is_nearer_than_what_is_not() -> None:
    by_name = near(WORK, ANVILS, ROCKETS)
    assert by_name["works at"] == 1.0
    assert 0.0 < by_name["makes"] < 1.0
    assert by_name["makes too"] == 0.0


def test_what_more_ways_lead_to_is_nearer() -> None:
    more = a_fact("sold by", "sister", "Acme", named=True)
    rare = a_fact("knows", "sister", "Bolt", named=True)
    by_name = near(WORK, more, rare, ANVILS, ROCKETS)
    assert by_name["makes"] > by_name["makes too"] > 0.0


def test_the_messages_that_prove_a_near_fact_and_those_after_them_are_near() -> None:
    lines = tuple(map(a_line, range(6)))
    by_name = near(replace(WORK, proofs=("m002",)), lines=lines)
    assert by_name["m002"] > by_name["m003"] > by_name["m005"] > 0.0
    assert by_name["m003"] == pytest.approx(by_name["m001"], rel=0.1)


def test_the_end_of_a_session_is_no_way_into_the_next() -> None:
    lines = (a_line(0), a_line(1), a_line(2, session="s2"))
    by_name = near(replace(WORK, proofs=("m001",)), lines=lines)
    assert by_name["m000"] > 0.0
    assert by_name["m002"] == 0.0


@pytest.mark.parametrize("candidates", [(), (ANVILS, ROCKETS)])
def test_without_a_name_in_the_question_nothing_is_near(candidates: tuple[Candidate, ...]) -> None:
    assert not any(near(*candidates, lines=(a_line(0), a_line(1))).values())


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
def test_each_is_between_none_and_the_nearest_in_any_order(found: list[Candidate], shuffle: random.Random) -> None:
    lines = tuple(map(a_line, range(5)))
    by_name = near(*found, lines=lines)
    assert all(0.0 <= value <= 1.0 for value in by_name.values())
    assert max(by_name.values()) == (1.0 if any("entity" in one.scores for one in found) else 0.0)
    shuffled = list(found)
    shuffle.shuffle(shuffled)
    assert near(*shuffled, lines=lines) == pytest.approx(by_name)


def test_the_facts_that_lead_to_a_second_fact_share_an_end_with_it() -> None:
    found = CandidateSet(candidates=(WORK, ANVILS, ROCKETS), messages=())
    assert first_hops(found) == {1: [0], 2: []}
