"""Test which facts are visible on both time axes."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.facts.bitemporal import AsOf, FactTimes, holds, known_end, resolve_as_of

ZERO = datetime(2026, 1, 1, tzinfo=UTC)
moments = st.integers(0, 20).map(lambda days: ZERO + timedelta(days=days))
looks = st.builds(AsOf, valid_at=moments, known_at=st.none() | moments)


@st.composite
def facts(draw: st.DrawFn) -> FactTimes:
    """Draw a fact; its end, if any, is not before its start, and is known no earlier than the fact."""
    valid_at, known_at = draw(moments), draw(moments)
    ends = draw(st.booleans())
    return FactTimes(
        valid_at=valid_at,
        invalid_at=valid_at + timedelta(days=draw(st.integers(0, 10))) if ends else None,
        known_at=known_at,
        closing_known_at=known_at + timedelta(days=draw(st.integers(0, 10))) if ends and draw(st.booleans()) else None,
    )


@given(facts(), looks)
def test_fact_received_later_is_not_visible(fact: FactTimes, look: AsOf) -> None:
    if look.known_at is not None and fact.known_at > look.known_at:
        assert not holds(fact, look)


@given(facts(), looks)
def test_end_received_later_is_ignored(fact: FactTimes, look: AsOf) -> None:
    if look.known_at is not None and fact.closing_known_at is not None and fact.closing_known_at > look.known_at:
        assert known_end(fact, look.known_at) is None
        assert holds(fact, look) == (fact.known_at <= look.known_at and fact.valid_at <= look.valid_at)


@given(facts(), moments)
def test_without_as_of_a_fact_is_valid_from_its_start_until_its_end(fact: FactTimes, at: datetime) -> None:
    # A fact that was told as past ends where it begins, and its begin is unknown.
    told_past = fact.invalid_at == fact.valid_at and fact.closing_known_at == fact.known_at
    expected = (told_past or fact.valid_at <= at) and (fact.invalid_at is None or at < fact.invalid_at)
    assert holds(fact, AsOf(valid_at=at)) == expected


@given(facts(), looks)
def test_as_of_after_everything_was_received_equals_no_as_of(fact: FactTimes, look: AsOf) -> None:
    late = ZERO + timedelta(days=1_000)
    assert holds(fact, AsOf(valid_at=look.valid_at, known_at=late)) == holds(fact, AsOf(valid_at=look.valid_at))


@given(facts(), facts(), looks)
def test_consecutive_facts_are_never_both_valid_once_both_are_known(
    one: FactTimes, other: FactTimes, look: AsOf
) -> None:
    """The second fact starts when the first ends, and closes it when it is received."""
    next_one = FactTimes(
        valid_at=max(one.valid_at, other.valid_at), invalid_at=None, known_at=max(one.known_at, other.known_at)
    )
    first = FactTimes(
        valid_at=one.valid_at,
        invalid_at=next_one.valid_at,
        known_at=one.known_at,
        closing_known_at=next_one.known_at,
    )
    assert not (holds(first, look) and holds(next_one, look))


@given(moments, st.none() | moments, st.none() | moments)
def test_question_defaults_to_now(now: datetime, valid_at: datetime | None, as_of: datetime | None) -> None:
    asked = resolve_as_of(valid_at=valid_at, as_of=as_of, now=now)
    assert asked.known_at == as_of
    assert asked.valid_at == (valid_at or as_of or now)
