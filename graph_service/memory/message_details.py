"""What a caller may say of a message besides its words: importance, zone, the time it talks about. Pure."""

from datetime import datetime
from typing import Final

from extraction.gate import is_small_talk
from schema.importance import IMPORTANCE_DEFAULT, WORDS
from schema.timespan import as_utc, iso
from schema.zones import zone_name_of, zone_named

_OLDEST_YEAR: Final = 1900
_FAR_YEAR: Final = 9000  # above it, changing the zone may leave the calendar


def time_problem(moment: datetime) -> str | None:
    """What is wrong with the year of a moment, as the end of a sentence."""
    if _OLDEST_YEAR <= moment.year < _FAR_YEAR:
        return None
    return f"lies in the year {moment.year}; send a time between {_OLDEST_YEAR} and {_FAR_YEAR} (ISO 8601)"


def detail_problems(
    importance: int | None, zone: str | None, mentioned_start: datetime | None, mentioned_end: datetime | None
) -> list[str]:
    """Every mistake, as the end of a sentence about the message."""
    problems = []
    if importance is not None and not 1 <= importance <= 10:
        problems.append(f".importance is {importance!r}; use a number from 1 to 10")
    if zone is not None and zone_named(zone) is None:
        problems.append(f".zone {zone!r} is unknown; use an IANA name such as Asia/Shanghai, or +08:00")
    for name, moment in ((".mentionedStart", mentioned_start), (".mentionedEnd", mentioned_end)):
        if moment is not None and (problem := time_problem(moment)):
            problems.append(f"{name} {problem}")
    if not problems and mentioned_start and mentioned_end and as_utc(mentioned_end) < as_utc(mentioned_start):
        problems.append(
            f" talks about a time that ends ({iso(mentioned_end)}) before it begins ({iso(mentioned_start)}); "
            "swap the two"
        )
    return problems


def importance_given(importance: int | None, text: str) -> int:
    """The importance of a message: what the caller says, low for small talk, else the default."""
    if importance is not None:
        return importance
    return WORDS["low"] if is_small_talk(text) else IMPORTANCE_DEFAULT


def zone_given(zone: str | None, time: datetime | None) -> str | None:
    """The zone of a message: what the caller says, or the one that its time was written in."""
    return zone or zone_name_of(time)


def span_given(start: datetime | None, end: datetime | None) -> tuple[datetime | None, datetime | None]:
    """The time a message talks about; one end alone is a moment."""
    if start is None and end is None:
        return None, None
    return as_utc(start or end or datetime.min), as_utc(end or start or datetime.min)
