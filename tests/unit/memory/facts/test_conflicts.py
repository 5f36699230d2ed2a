"""Test that the indexed search for contradicting facts agrees with a full comparison."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.entities.place_hierarchy import is_region
from graph_service.memory.curation.facts import plan_reopening
from graph_service.memory.facts.claims import KnownClaim, PlannedFact, accepted_claim, known_claims
from graph_service.memory.facts.conflict_resolution import (
    ClaimContent,
    claim_content,
    closes,
    ends,
)
from graph_service.memory.facts.conflicts import ConflictIndex, PeriodCalculator
from graph_service.memory.facts.reconciliation import replan
from graph_service.memory.facts.validity import Contradiction, ValidityPeriod, is_rejected
from schema.assertion import Assertion, Closing, CorrectionKind, joined
from schema.errors import ConflictError
from schema.fact import AcceptedFact, Claim, Fact, Proof
from schema.ids import MemoryId
from tests.support.builders import NOON
from tests.support.growth import assert_about_linear
from tests.support.slow import slow_but
from tests.support.validity_oracle import ComparedPeriod, Withdrawal, validity_periods
from tests.unit.memory.consolidation.test_plan import SCENE, a_fact, after, living, plan

_OBJECTS = ["Paris", "France", "Oslo", "red"]
# One value; one value; many values; several values, until a message says that one is new.
_RELATIONS = [None, "lives in", "favorite color", "friend", "fish supplier", "based in"]
FLOOR_S = 0.05


def other_level(one: str | None, other: str | None) -> bool:
    """Return whether exactly one of two places is a country or region, so that the other may lie in it."""
    regions = [is_region(name) for name in (one, other) if name]
    return len(regions) == 2 and regions[0] != regions[1]


def periods_by_full_search(board: dict[Claim, KnownClaim], claim: Claim) -> list[ComparedPeriod]:
    """Return the validity periods of a claim, computed from all assertions of all claims."""
    contradictions = []
    mine = board[claim]
    for other in board.values():
        if other.claim == claim:
            continue
        if is_rejected(other.assertions):
            # A chain of corrections: what replaced a rejected claim may have been rejected since.
            contradictions += [
                Contradiction(assertion=one, claim=other.id, why=Closing.REPLACED, explicit=True)
                for one in other.assertions
                if is_rejected(mine.assertions) and mine.id in one.replaces and not one.ends
            ]
            continue
        apart = other_level(mine.object_name, other.object_name) and claim.predicate == other.claim.predicate
        for assertion in other.assertions:
            said = _content(other, changes=assertion.changes)
            why, over = closes(said, _content(mine)), ends(other.claim, claim)
            why = None if apart and why is Closing.REPLACED else why
            can_close = any(closes(_content(other, changes=one.changes), _content(mine)) for one in other.assertions)
            if can_close and assertion.ends and assertion.correction is not None:
                contradictions.append(Withdrawal(assertion=assertion, claim=other.id, why=Closing.ENDED))
            if why is not None and not assertion.ends:
                contradictions.append(Contradiction(assertion=assertion, claim=other.id, why=why))
            elif over and assertion.ends:
                contradictions.append(Contradiction(assertion=assertion, claim=other.id, why=Closing.ENDED))
            if mine.id in assertion.replaces and not assertion.ends:
                contradictions.append(
                    Contradiction(assertion=assertion, claim=other.id, why=Closing.REPLACED, explicit=True)
                )
    return validity_periods(mine.assertions, contradictions, mine.ignored_closings)


def conflicting_claims(one: ClaimContent, others: list[ClaimContent]) -> list[Claim]:
    """Return the claims among `others` that can close a claim or be closed by it."""
    return [
        other.claim
        for other in others
        if other.claim != one.claim
        and (closes(other, one) or closes(one, other) or ends(other.claim, one.claim) or ends(one.claim, other.claim))
    ]


def _conflicting(index: ConflictIndex, claim: Claim) -> list[Claim]:
    return sorted(index.of_all([claim]) - {claim}, key=index.position.__getitem__)


def _content(known: KnownClaim, *, changes: bool = False) -> ClaimContent:
    return claim_content(known.claim, known.object_name, changes=changes)


def _whole_content(known: KnownClaim) -> ClaimContent:
    changes = any(one.changes for one in known.assertions)
    return claim_content(
        known.claim, known.object_name, changes=changes, claim_id=known.id, replaces=known.replaces - {known.id}
    )


def _moment(day: int) -> datetime:
    return NOON + timedelta(days=day)


@st.composite
def assertions(draw: st.DrawFn) -> Assertion:
    day, said = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    over = draw(st.sampled_from([False, False, False, True]))
    stated = draw(st.sampled_from([None, None, None, CorrectionKind.SAYS, CorrectionKind.PINS]))
    rejects = over and draw(st.integers(0, 3)) == 0
    return Assertion(
        message_id=MemoryId(f"m{draw(st.integers(0, 5))}"),
        scene_id=SCENE,
        valid_at=_moment(day),
        valid_by=_moment(day + draw(st.sampled_from([0, 0, 2]))),
        said_at=_moment(said),
        heard_at=_moment(said),
        ends=over,
        adds=not over and draw(st.sampled_from([False, False, True])),
        correction=CorrectionKind.REJECTS if rejects else stated,
        changes=not over and draw(st.booleans()),
    )


claims = st.builds(
    lambda obj, predicate, relation: a_fact(obj, predicate=predicate, relation=relation),
    st.sampled_from(_OBJECTS),
    st.sampled_from(["PREFERS", "DISLIKES", "RELATES_TO", "RELATES_TO"]),
    st.sampled_from(_RELATIONS),
)


@st.composite
def boards(draw: st.DrawFn) -> dict[Claim, KnownClaim]:
    board: dict[Claim, KnownClaim] = {}
    for fact in draw(st.lists(claims, min_size=1, max_size=8)):
        one = accepted_claim(fact, SCENE)
        told = joined(draw(st.lists(assertions(), min_size=1, max_size=6)))
        name = draw(st.sampled_from([one.object_name, one.object_name, None]))
        board[fact.claim] = replace(one, assertions=told, object_name=name)
    ids = [one.id for one in board.values()]
    for claim, one in list(board.items()):
        if draw(st.integers(0, 2)) == 0 and any(not told.ends for told in one.assertions):
            replaced = (draw(st.sampled_from(ids)),)
            told = tuple(replace(each, replaces=() if each.ends else replaced) for each in one.assertions)
            board[claim] = replace(one, assertions=told)
    for claim in list(board):
        spared = draw(st.lists(st.sampled_from([*(one.id for one in board.values()), "m0", "m1"]), max_size=2))
        board[claim] = replace(board[claim], ignored_closings=frozenset(spared) - {board[claim].id})
    return board


def _shown(period: ValidityPeriod) -> tuple[object, ...]:
    return (
        joined(period.assertions),
        period.opening,
        period.contradiction,
        period.end,
        period.valid_at,
        period.invalid_at,
        period.why,
    )


@given(boards())
def test_indexed_search_equals_a_full_comparison(board: dict[Claim, KnownClaim]) -> None:
    calculator = PeriodCalculator(board)
    for claim in board:
        found = calculator.periods(claim).periods
        assert list(map(_shown, found)) == list(map(_shown, periods_by_full_search(board, claim)))


def test_reversal_that_names_the_fact_it_replaces_is_stored_as_a_reversal() -> None:
    liked = accepted_claim(a_fact("France"), SCENE)
    disliked = accepted_claim(replace(a_fact("France", predicate="DISLIKES", day=2), replaces=(liked.id,)), SCENE)
    periods = PeriodCalculator({one.claim: one for one in (liked, disliked)}).periods(liked.claim).periods
    assert [(one.why, one.invalid_at) for one in periods] == [(Closing.REVERSED, _moment(2))]


@pytest.mark.parametrize(("begins", "closed"), [(1, True), (2, False), (3, False)])
def test_stated_fact_closes_what_begins_before_it_ends_and_not_what_follows(begins: int, closed: bool) -> None:
    """A person says that a fact held for two days; another value of the same attribute was extracted."""
    read = accepted_claim(living("Paris", begins), SCENE)
    stated = accepted_claim(living("Oslo", 0), SCENE)
    (said,) = stated.assertions
    said = replace(said, correction=CorrectionKind.SAYS, said_at=_moment(9), heard_at=_moment(9))
    over = replace(said, ends=True, valid_at=_moment(2), valid_by=_moment(2))
    stated = replace(stated, assertions=(said, over))
    (period,) = PeriodCalculator({one.claim: one for one in (read, stated)}).periods(read.claim).periods
    assert period.invalid_at == (_moment(begins) if closed else None)


@given(boards())
def test_conflicting_claims_are_found_by_index(board: dict[Claim, KnownClaim]) -> None:
    found = ConflictIndex(board)
    contents = [_whole_content(known) for known in board.values()]
    for content in contents:
        assert _conflicting(found, content.claim) == conflicting_claims(content, contents)


@given(boards())
def test_conflicting_claims_of_several_are_those_of_each(board: dict[Claim, KnownClaim]) -> None:
    found = ConflictIndex(board)
    assert found.of_all(board) == set(board)
    for size in range(len(board)):
        chosen = list(board)[:size]
        assert found.of_all(chosen) == {*chosen, *(other for claim in chosen for other in _conflicting(found, claim))}


def one_by_one(known: list[Fact], claim: Claim, fact_id: str) -> list[PlannedFact]:
    """Return what reopening writes when it is planned again after each conflicting claim that is ignored."""
    board = known_claims(known)
    owners = {str(fact.id): str(one.id) for one in board.values() for fact in one.periods}
    standing = next(fact for fact in board[claim].periods if fact.id == fact_id)
    items: list[PlannedFact] = []
    while standing.invalid_at is not None:
        before = board[claim]
        over = {assertion.message_id for assertion in standing.assertions if assertion.ends}
        spared = {owners.get(standing.closed_by, str(standing.closed_by))} if standing.closed_by else over
        board[claim] = replace(before, ignored_closings=before.ignored_closings | spared)
        if board[claim].ignored_closings == before.ignored_closings:
            return []
        items = [item for item in replan(board, {claim}) if item.fact.claim == claim]
        standing = next(item.fact for item in items if item.fact.id == fact_id)
    return items


moves = st.tuples(st.sampled_from(["Paris", "Oslo", "Rome", "Bonn", "Kyiv"]), st.integers(0, 12), st.booleans())


@given(st.lists(moves, min_size=2, max_size=12))
def test_reopening_ignores_all_conflicting_claims_as_if_one_after_the_other(told: list[tuple[str, int, bool]]) -> None:
    facts = [replace(living(place, day), closes=over and day > 9) for place, day, over in told]
    known = after([], plan([], *facts))
    for fact in known:
        if fact.invalid_at is None or fact.closing_reason is Closing.MERGED:
            continue
        expected = one_by_one(known, fact.claim, fact.id)
        if expected:
            assert plan_reopening(known, fact.claim, fact.id) == expected


def test_period_joined_into_an_earlier_one_is_reopened_with_it() -> None:
    facts = [living(place, day) for day, place in enumerate(["Oslo", "Paris", "Oslo", "Paris"])]
    known = after([], plan([], *facts))
    second = next(fact for fact in known if fact.object_name == "Oslo" and fact.slot == 1)
    now = after(known, plan_reopening(known, second.claim, second.id))
    assert [fact.slot for fact in now if fact.object_name == "Oslo" and fact.invalid_at is None] == [0]


def test_fact_only_ever_stated_as_over_cannot_be_reopened() -> None:
    known = after([], plan([], replace(living("Oslo", 1), closes=True)))
    with pytest.raises(ConflictError, match="only ever mentioned as ended"):
        plan_reopening(known, known[0].claim, known[0].id)


def _towns(count: int) -> list[AcceptedFact]:
    # The statements are so different that none is a near-duplicate of another.
    return [replace(living(f"Town{n}", n), statement=hashlib.sha256(f"{n}".encode()).hexdigest()) for n in range(count)]


def _in_one_message(count: int) -> list[AcceptedFact]:
    said = Proof(message_id=MemoryId("one"), said_at=NOON)
    return [replace(fact, said_at=NOON, valid_at=NOON, proofs=(said,)) for fact in _towns(count)]


def _besides(count: int) -> list[AcceptedFact]:
    return [replace(fact, proofs=(replace(fact.proofs[0], adds=True),)) for fact in _towns(count)]


def _changing_suppliers(count: int) -> list[AcceptedFact]:
    return [replace(fact, relation="fish supplier", changes=n % 2 == 0) for n, fact in enumerate(_towns(count))]


def _in_many_wordings(count: int) -> list[AcceptedFact]:
    """Return one home in many wordings of the relation, and another home in one."""
    words = [replace(fact, relation="residence" + " now" * n) for n, fact in enumerate(_there_and_back(count))]
    return [replace(fact, statement=hashlib.sha256(f"{n}".encode()).hexdigest()) for n, fact in enumerate(words)]


def _replacing_the_first(count: int) -> list[AcceptedFact]:
    facts = [replace(fact, relation="friend") for fact in _towns(count)]
    first = accepted_claim(facts[0], SCENE).id
    return [facts[0], *(replace(fact, replaces=(first,)) for fact in facts[1:])]


def _in_the_same_words(count: int) -> list[AcceptedFact]:
    words = "Alice likes, of all the things that there are in the kitchen, the very same one best."
    return [replace(a_fact(f"thing {n}", day=n), statement=words) for n in range(count)]


def _again_and_again(count: int) -> list[AcceptedFact]:
    return [a_fact("tea", day=n) for n in range(count)]


def _there_and_back(count: int) -> list[AcceptedFact]:
    return [living(("Paris", "Oslo")[n % 2], n) for n in range(count)]


def _interleaved(count: int) -> list[AcceptedFact]:
    kinds = ("PREFERS", "DISLIKES")
    return [a_fact("tea", day=n, predicate=kinds[n % 2], relation=f"for {n}", message=f"{n}") for n in range(count)]


_SHAPES = (
    _towns,
    _changing_suppliers,
    _in_many_wordings,
    _replacing_the_first,
    _in_one_message,
    _besides,
    _in_the_same_words,
    _again_and_again,
    _there_and_back,
    _interleaved,
)


@pytest.mark.parametrize(
    "shape", slow_but([_towns, _interleaved], _SHAPES), ids=lambda shape: shape.__name__.strip("_")
)
def test_planning_time_is_linear_in_the_facts(shape: Callable[[int], list[AcceptedFact]]) -> None:
    def brought(count: int) -> Callable[[], object]:
        facts = shape(count)
        return lambda: plan([], *facts)

    def known(count: int) -> Callable[[], object]:
        facts = shape(count)
        board = after([], plan([], *facts[:-1]))
        return lambda: plan(board, facts[-1])

    assert_about_linear(brought, 150, floor_s=FLOOR_S)
    assert_about_linear(known, 150, floor_s=FLOOR_S)


def test_reopening_time_is_linear_in_the_closing_facts() -> None:
    def first(count: int) -> Callable[[], object]:
        known = after([], plan([], *_towns(count)))
        closed = min(known, key=lambda fact: fact.valid_at)
        return lambda: plan_reopening(known, closed.claim, closed.id)

    assert_about_linear(first, 300, floor_s=FLOOR_S)
