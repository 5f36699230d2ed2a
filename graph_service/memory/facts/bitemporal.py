"""The valid time and the transaction time of queries. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

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
