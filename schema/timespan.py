"""Half-open time spans, and conversions of times."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def as_utc(moment: datetime) -> datetime:
    """Return the time in UTC; a naive time is interpreted as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def moment_of(millis: int) -> datetime:
    """Return the time for milliseconds since 1970 UTC."""
    return _EPOCH + timedelta(milliseconds=millis)


def micros(moment: datetime) -> int:
    """Return exact microseconds since 1970 UTC."""
    return (as_utc(moment) - _EPOCH) // timedelta(microseconds=1)


def iso(moment: datetime | None) -> str | None:
    """Return ISO 8601 in UTC with `Z`; None for an open end."""
    return None if moment is None else as_utc(moment).isoformat().replace("+00:00", "Z")


def day_token(moment: datetime) -> str:
    """Return the UTC day as eight digits, `20260131`: it sorts by time and is one token for a full-text analyzer."""
    return as_utc(moment).strftime("%Y%m%d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timespan:
    """All times t with start ≤ t < end; None is an open end.

    Raises:
        ValueError: it ends before it starts.
    """

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"must not end before it starts, got {iso(self.start)} … {iso(self.end)}")

    def contains(self, moment: datetime) -> bool:
        """Return True if the time is within the span."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


def millis(moment: datetime) -> int:
    """Return whole milliseconds since 1970 UTC, rounded down as by Cypher's `epochMillis`, for indexes."""
    return (as_utc(moment) - _EPOCH) // timedelta(milliseconds=1)
