"""Which facts hold: on the axis of the world, and on that of what was known. Pure.

`recall/recall` says the same in Cypher; a test compares the two on a grid of moments.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from schema.timespan import as_utc


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """From where memory is looked at.

    Attributes:
        valid_at: what held in the world then.
        known_at: by what was known then; None means by all that is known.
    """

    valid_at: datetime
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Which edges of the map are looked at.

    Attributes:
        valid_at: only those that had begun by then; None means all there are.
        known_at: only those that were known by then; None means all that are known.
        closed: also those that were over.
    """

    valid_at: datetime | None = None
    known_at: datetime | None = None
    closed: bool = True


EVERYTHING: Final = Look()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTimes:
    """When a fact held, and when we heard of it.

    Attributes:
        known_at: when it was first heard.
        closing_known_at: when we heard of what closed it; None means as early as of the fact.
    """

    valid_at: datetime
    invalid_at: datetime | None
    known_at: datetime
    closing_known_at: datetime | None = None


def moments_asked(*, valid_at: datetime | None, as_of: datetime | None, now: datetime) -> AsOf:
    """Return what a question means: true now by default; "as known then" alone means what was true then, too."""
    known_at = None if as_of is None else _in_utc(as_of)
    return AsOf(valid_at=_in_utc(valid_at) if valid_at else known_at or now, known_at=known_at)


def look_asked(*, valid_at: datetime | None, as_of: datetime | None, closed: bool, now: datetime) -> Look:
    """Return the same for the map, on which everything stands when nothing is asked for."""
    if valid_at is None and as_of is None and closed:
        return EVERYTHING
    moments = moments_asked(valid_at=valid_at, as_of=as_of, now=now)
    return Look(valid_at=moments.valid_at, known_at=moments.known_at, closed=closed)


def _in_utc(moment: datetime) -> datetime:
    """Return the moment in UTC, since Neo4j knows fewer zones than there are; the end of all time where there is no
    such.
    """
    try:
        return as_utc(moment)
    except OverflowError:
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)


def known_end(fact: FactTimes, known_at: datetime | None) -> datetime | None:
    """When a fact ceased to hold, as far as that was known."""
    if fact.invalid_at is None or known_at is None:
        return fact.invalid_at
    return fact.invalid_at if (fact.closing_known_at or fact.known_at) <= known_at else None


def holds(fact: FactTimes, moments: AsOf) -> bool:
    """Return whether a fact was known, and by what was known did hold."""
    if moments.known_at is not None and fact.known_at > moments.known_at:
        return False
    end = known_end(fact, moments.known_at)
    return fact.valid_at <= moments.valid_at and (end is None or end > moments.valid_at)
