"""Group adjacent time expressions into phrases and resolve each to an interval. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from unicodedata import normalize

from extraction.temporal.direction import Direction, direction_of
from extraction.temporal.expressions import Frame, Mark, Rank, bare_only, resolve
from extraction.temporal.expressions_by_table import marks_in
from extraction.temporal.intervals import Interval, span_read
from extraction.text.name_forms import simplified_characters
from extraction.text.toml_files import patterns_of, toml_of
from extraction.unreadable import read_or
from schema.timespan import Timespan

_PATTERNS = patterns_of(toml_of("extraction.temporal", "relations.toml")["phrases"], {})
TEXT_CHARS_MAX = 20_000
PHRASES_MAX = 20
# No phrase has more marks than there are ranks ("early on Friday morning, 5 May 2023, at 9").
_PHRASE_MARKS_MAX = 12
_TRIES_MAX = 2_000
# Bounds the input of the pattern below, which takes quadratic time on blanks.
_JOINT_CHARS_MAX = 64
# Most texts use few characters; a bound, because a caller can send all of them.
_FOLDED_MAX = 20_000
_CONTEXT_CHARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase at `text[start:end]` that names one interval.

    Attributes:
        bare: recurs ("on Friday", "in summer"), so the interval is a guess.
        vague: approximate ("recently").
    """

    marks: tuple[Mark, ...]
    interval: Interval
    start: int
    end: int

    @property
    def bare(self) -> bool:
        """True if the phrase names a recurring time, and no word says which occurrence is meant."""
        return bare_only(self.marks)

    @property
    def weekly(self) -> bool:
        """True if the phrase names a day of the week or weekend only."""
        return all(not mark.dated and mark.rank >= Rank.DAY for mark in self.marks)

    @property
    def vague(self) -> bool:
        """True if the time is approximate."""
        return any(mark.vague for mark in self.marks)


def plain(text: str) -> str:
    """Fold a text to lower case, half width and simplified characters; offsets do not change."""
    text = text[:TEXT_CHARS_MAX]
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def plain_apostrophes(text: str) -> str:
    """Fold a text as `plain` does, and curly apostrophes to straight ones; offsets do not change."""
    return plain(text).replace("’", "'")


class _FoldedCharacters(dict[int, str]):
    """Translation table that folds a character when it is first needed."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        simple = normalize("NFKC", character).lower()
        single = simple if len(simple) == 1 else character
        folded = simplified_characters().get(ord(single), single)
        if len(self) < _FOLDED_MAX:
            self[code] = folded
        return folded


_FOLDED = _FoldedCharacters()


def phrases_in(text: str, frame: Frame) -> list[Phrase]:
    """Return the time phrases of a text normalized by `plain`, in order, at most `PHRASES_MAX`."""
    marks = marks_in(text)
    phrases: list[Phrase] = []
    groups = _groups(text, marks)
    search = _Search(text=text, frame=frame, interval_of=cache(lambda mark: mark.narrow(None, frame)))
    for i, group in enumerate(groups):
        search.add_phrases(phrases, group, groups[i + 1] if i + 1 < len(groups) else None)
        if len(phrases) >= PHRASES_MAX or search.tries_left <= 0:
            break
    return phrases[:PHRASES_MAX]


def _groups(text: str, marks: Sequence[Mark]) -> list[list[Mark]]:
    groups: list[list[Mark]] = []
    for mark in marks:
        if groups and _joined(text, groups[-1][-1].end, mark.start):
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return groups


def _joined(text: str, start: int, end: int) -> bool:
    """Return whether two marks belong to one phrase: only a comma, preposition or the like separates them."""
    return end - start <= _JOINT_CHARS_MAX and _PATTERNS["joint"].fullmatch(text, start, max(start, end)) is not None


@dataclass(slots=True, kw_only=True)
class _Search:
    """Search one text with a bounded number of attempts, because a text may consist of time expressions only.

    Attributes:
        tries_left: groups of marks that may still be resolved.
    """

    text: str
    frame: Frame
    interval_of: Callable[[Mark], Interval | None]
    tries_left: int = _TRIES_MAX

    def add_phrases(self, phrases: list[Phrase], group: list[Mark], following: list[Mark] | None) -> None:
        """Append the phrases of a group of adjacent marks.

        Where marks are inconsistent, the longest consistent run of first marks becomes a phrase; then the rest is tried
        again.
        """
        at = 0
        while at < len(group) and len(phrases) < PHRASES_MAX and self.tries_left > 0:
            first = group[at].start
            if _PATTERNS["every"].search(self.text, max(first - _CONTEXT_CHARS, 0), first):
                return
            agreeing, interval = self._agreeing(group[at : at + _PHRASE_MARKS_MAX])
            at += len(agreeing)
            beside = group[at : at + 1] or following
            before = phrases[-1] if phrases else None
            if interval is not None and _allowed(self.text, agreeing, beside, before):
                phrases.append(Phrase(marks=tuple(agreeing), interval=interval, start=first, end=agreeing[-1].end))

    def _agreeing(self, marks: list[Mark]) -> tuple[list[Mark], Interval | None]:
        """Return the longest prefix of marks that resolves and its interval, or else the first mark and None."""
        for count in range(len(marks), 0, -1):
            self.tries_left -= 1
            interval = resolve(marks[:count], self.frame, self.interval_of)
            if interval is not None:
                return marks[:count], interval
        return marks[:1], None


def _allowed(text: str, group: Sequence[Mark], following: list[Mark] | None, before: Phrase | None) -> bool:
    """Return whether a group of marks is a time in its context."""
    distinct = len({(mark.start, mark.end) for mark in group}) > 1 or len(group) > 1
    mark = group[0]
    if distinct:
        return not all(mark.never_alone for mark in group)
    if mark.never_alone:
        return False
    if mark.alone is None or mark.alone.search(text, max(mark.start - _CONTEXT_CHARS, 0), mark.start):
        return True
    if before is not None and _PATTERNS["range_joint"].fullmatch(text, before.end, mark.start):
        return True
    opens = re.search(r"\b(?:from|between)\s+(?:the\s+)?$", text[max(mark.start - _CONTEXT_CHARS, 0) : mark.start])
    return bool(opens and following and _PATTERNS["range_joint"].fullmatch(text, mark.end, following[0].start))


# Times named by a message


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMatch:
    """A resolved time, named by `text[start:end]`."""

    span: Timespan
    start: int
    end: int


def spans_in(text: str, said_at: datetime) -> list[TimeMatch]:
    """Return the times that a text names, in order, without overlaps, at most `PHRASES_MAX`; none if reading it fails.

    Recurring times ("on Friday", "on 12 June") are those that tense and verb refer to, or else the nearest.
    Approximate times ("recently") and repeated ones ("on Fridays") are left out.

    Args:
        said_at: reference time; days are those of its time zone, spans are in UTC.
    """
    return read_or([], _spans_in, text, said_at)


def _spans_in(text: str, said_at: datetime) -> list[TimeMatch]:
    zone, now = said_at.tzinfo or UTC, said_at.replace(tzinfo=None)
    plain_text = plain(text)
    found = []
    for phrase in phrases_in(plain_text, Frame(now=now)):
        interval = None if phrase.vague else _occurrence(plain_text, phrase, now)
        span = None if interval is None else span_read(interval.start, interval.end, zone)
        if span is not None:
            found.append(TimeMatch(span=span, start=phrase.start, end=phrase.end))
    return found


def _occurrence(text: str, phrase: Phrase, now: datetime) -> Interval | None:
    """Return the interval that a phrase of a statement means; None if it recurs and no single one is meant."""
    if not phrase.bare:
        return phrase.interval
    direction = direction_of(text, phrase.start, phrase.end)
    if direction is Direction.REPEATED:
        return None
    if direction is Direction.OPEN and any(mark.general for mark in phrase.marks):
        return None
    ahead = resolve(phrase.marks, Frame(now=now, future=True)) or phrase.interval
    match direction:
        case Direction.PAST:
            return phrase.interval
        case Direction.FUTURE:
            return ahead
    return ahead if phrase.weekly else _nearest(phrase.interval, ahead, now)


def _nearest(past: Interval, ahead: Interval, now: datetime) -> Interval:
    """Return the nearer interval; a future one counts as half as far, because memories are marked as past."""
    return ahead if ahead.start - now <= 2 * (now - past.end) else past
