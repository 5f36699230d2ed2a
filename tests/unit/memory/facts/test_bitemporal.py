"""Test which facts are visible on both time axes."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.facts.bitemporal import AsOf, resolve_as_of
from graph_service.memory.facts.stored import FactWithEnds
from tests.support.facts import a_stored_fact

ZERO = datetime(2026, 1, 1, tzinfo=UTC)
moments = st.integers(0, 20).map(lambda days: ZERO + timedelta(days=days))
looks = st.builds(AsOf, valid_at=moments, known_at=st.none() | moments)


@st.composite
def facts(draw: st.DrawFn) -> FactWithEnds:
    """Draw a fact; its end, if any, is not before its start, and is known no earlier than the fact."""
    valid_at, known_at = draw(moments), draw(moments)
    ends = draw(st.booleans())
    return a_stored_fact(
        valid_at=valid_at,
        invalid_at=valid_at + timedelta(days=draw(st.integers(0, 10))) if ends else None,
        known_at=known_at,
        closing_known_at=known_at + timedelta(days=draw(st.integers(0, 10))) if ends and draw(st.booleans()) else None,
    )


@given(facts(), looks)
def test_fact_received_later_is_not_visible(fact: FactWithEnds, look: AsOf) -> None:
    if look.known_at is not None and fact.known_at > look.known_at:
        assert not fact.holds(look)


@given(facts(), looks)
def test_end_received_later_is_ignored(fact: FactWithEnds, look: AsOf) -> None:
    closing_known_at = fact.fact.closing_known_at
    if look.known_at is not None and closing_known_at is not None and closing_known_at > look.known_at:
        assert fact.as_known(look.known_at).invalid_at is None
        assert fact.holds(look) == (fact.known_at <= look.known_at and fact.fact.valid_at <= look.valid_at)


@given(facts(), moments)
def test_without_as_of_a_fact_is_valid_from_its_start_until_its_end(fact: FactWithEnds, at: datetime) -> None:
    # A fact that was told as past ends where it begins, and its begin is unknown.
    told = fact.fact
    told_past = told.invalid_at == told.valid_at and told.closing_known_at == fact.known_at
    expected = (told_past or told.valid_at <= at) and (told.invalid_at is None or at < told.invalid_at)
    assert fact.holds(AsOf(valid_at=at)) == expected


@given(facts(), looks)
def test_as_of_after_everything_was_received_equals_no_as_of(fact: FactWithEnds, look: AsOf) -> None:
    late = ZERO + timedelta(days=1_000)
    assert fact.holds(AsOf(valid_at=look.valid_at, known_at=late)) == fact.holds(AsOf(valid_at=look.valid_at))


@given(facts(), facts(), looks)
def test_consecutive_facts_are_never_both_valid_once_both_are_known(
    one: FactWithEnds, other: FactWithEnds, look: AsOf
) -> None:
    """The second fact starts when the first ends, and closes it when it is received."""
    next_one = a_stored_fact(
        valid_at=max(one.fact.valid_at, other.fact.valid_at), known_at=max(one.known_at, other.known_at)
    )
    first = a_stored_fact(
        valid_at=one.fact.valid_at,
        invalid_at=next_one.fact.valid_at,
        known_at=one.known_at,
        closing_known_at=next_one.known_at,
    )
    assert not (first.holds(look) and next_one.holds(look))


@given(moments, st.none() | moments, st.none() | moments)
def test_question_defaults_to_now(now: datetime, valid_at: datetime | None, as_of: datetime | None) -> None:
    asked = resolve_as_of(valid_at=valid_at, as_of=as_of, now=now)
    assert asked.known_at == as_of
    assert asked.valid_at == (valid_at or as_of or now)
