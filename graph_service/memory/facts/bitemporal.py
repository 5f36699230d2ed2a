"""Decide whether a fact is valid at a valid time, as known at a transaction time. Pure.

Cypher statements, such as `recall/recall`, implement the same rule; a test compares the two.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from schema.fact import told_begin
from schema.timespan import as_utc


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """The valid time and transaction time of a query.

    Attributes:
        valid_at: valid time.
        known_at: transaction time; None means the latest state.
    """

    valid_at: datetime
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """A filter for edges of the map by time.

    Attributes:
        valid_at: only edges whose validity started by then; None means any time.
        known_at: only edges known by then; None means the latest state.
        closed: include edges whose validity had ended.
    """

    valid_at: datetime | None = None
    known_at: datetime | None = None
    closed: bool = True


UNFILTERED: Final = TimeFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTimes:
    """Valid and transaction times of a fact.

    Attributes:
        known_at: when the fact was first received.
        closing_known_at: when its end was received; None means at `known_at`.
    """

    valid_at: datetime
    invalid_at: datetime | None
    known_at: datetime
    closing_known_at: datetime | None = None


def resolve_as_of(*, valid_at: datetime | None, as_of: datetime | None, now: datetime) -> AsOf:
    """Return the times of a query; the valid time defaults to `as_of`, or to `now` without it."""
    known_at = None if as_of is None else _in_utc(as_of)
    return AsOf(valid_at=_in_utc(valid_at) if valid_at else known_at or now, known_at=known_at)


def resolve_time_filter(
    *, valid_at: datetime | None, as_of: datetime | None, closed: bool, now: datetime
) -> TimeFilter:
    """Return the filter for the map; unfiltered unless a time is given or closed edges are excluded."""
    if valid_at is None and as_of is None and closed:
        return UNFILTERED
    moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=now)
    return TimeFilter(valid_at=moments.valid_at, known_at=moments.known_at, closed=closed)


def _in_utc(moment: datetime) -> datetime:
    """Return the time in UTC, because Neo4j does not know all zones; clamped to the range of `datetime`."""
    try:
        return as_utc(moment)
    except OverflowError:
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)


def known_end(fact: FactTimes, known_at: datetime | None) -> datetime | None:
    """Return the end of a fact as of a transaction time; None while it is open or its end was not known."""
    if fact.invalid_at is None or known_at is None:
        return fact.invalid_at
    return fact.invalid_at if (fact.closing_known_at or fact.known_at) <= known_at else None


def holds(fact: FactTimes, moments: AsOf) -> bool:
    """Return whether a fact was known at the transaction time and, as known then, valid at the valid time."""
    if moments.known_at is not None and fact.known_at > moments.known_at:
        return False
    end = known_end(fact, moments.known_at)
    begin = told_begin(fact.valid_at, end, fact.known_at, fact.closing_known_at)
    return (begin is None or begin <= moments.valid_at) and (end is None or end > moments.valid_at)
