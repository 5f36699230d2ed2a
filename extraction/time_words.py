"""Times that a message names, resolved against the moment it was said. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime

from extraction.time_marks import Frame
from extraction.time_phrases import Phrase, phrases_in, plain
from schema.timespan import Timespan, as_utc


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFound:
    """Words that name a time: `text[start:end]` of the text that was read."""

    span: Timespan
    start: int
    end: int


def spans_in(text: str, said_at: datetime) -> list[TimeFound]:
    """The times a text names, in order, none overlapping another, at most `PHRASES_MAX` of time_phrases.

    Rough times ("recently") and words that may mean any of many ("on Friday", "in summer") are left out.

    Args:
        said_at: the moment the words were said; days are taken in its own zone, spans are given in UTC.
    """
    zone = said_at.tzinfo or UTC
    found = []
    for phrase in phrases_in(plain(text), Frame(now=said_at.replace(tzinfo=None))):
        if phrase.vague or not _told(phrase):
            continue
        try:
            span = Timespan(
                start=as_utc(phrase.stretch.start.replace(tzinfo=zone)),
                end=as_utc(phrase.stretch.end.replace(tzinfo=zone)),
            )
        except OverflowError:
            continue
        found.append(TimeFound(span=span, start=phrase.start, end=phrase.end))
    return found


def _told(phrase: Phrase) -> bool:
    """Whether the words say which day, month or year they mean."""
    return not phrase.bare or any(mark.dated for mark in phrase.marks)
