"""Represent time expressions as marks, and combine marks from coarse to fine into one interval. Pure.

A `Narrow` maps the interval of coarser marks to that of a finer one; functions that return one describe that map.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from itertools import islice

from extraction.temporal.intervals import DAY, Edge, Interval, Unit, day, days, moved, part, shifted, week, weekend

_YEARS_TRIED = 9
# Bounds memory; more than any meaningful text has.
_MARKS_MAX = 1_000
OfYear = Callable[[int], Interval]


class Rank(IntEnum):
    """Granularity of a time expression; expressions are applied in this order."""

    DECADE = 0
    YEAR = 1
    SEASON = 2
    MONTH = 3
    EDGE = 4
    WEEK = 5
    DAY = 6
    PART = 7
    HOUR = 8
    WIDER = 9


@dataclass(frozen=True, slots=True)
class Frame:
    """Reference time of an utterance.

    Attributes:
        now: local time of the speaker, without a time zone.
        future: resolve ambiguous expressions ("on Friday") to the future.
    """

    now: datetime
    future: bool = False


Narrow = Callable[[Interval | None, Frame], Interval | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One time expression at `text[start:end]`.

    Attributes:
        narrow: returns the interval of the expression within that of coarser ones; None if there is none.
        bare: recurs (yearly, weekly, daily), and no word says which occurrence is meant.
        alone: pattern required before the expression if it stands alone; None for no condition.
        never_alone: counts as a time only next to another mark.
        vague: approximate: "recently", "a few days ago".
        dated: names a calendar day or month: "5 May", "in March".
        general: names every occurrence unless the sentence is about one: "In summer I swim", "at the weekend".
    """

    rank: Rank
    narrow: Narrow
    start: int = 0
    end: int = 0
    bare: bool = False
    alone: re.Pattern[str] | None = None
    never_alone: bool = False
    vague: bool = False
    dated: bool = False
    general: bool = False


Marks = Mark | list[Mark] | None
Lexeme = tuple[re.Pattern[str], Callable[[re.Match[str]], Marks]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Patterns with a quick check: a text that `gate` does not match is not searched for them."""

    gate: re.Pattern[str]
    lexemes: tuple[Lexeme, ...]


def lexicon(gate: str, *lexemes: Lexeme) -> Lexicon:
    """Return these patterns with a quick check."""
    return Lexicon(re.compile(gate), lexemes)


def marks_found(text: str, lexicons: Iterable[Lexicon]) -> list[Mark]:
    """Return the marks of a text in order; of overlapping matches that of the first pattern wins."""
    # One byte per character, so that an overlap check costs the length of the match, not the number of marks.
    taken = bytearray(len(text))
    marks: list[Mark] = []
    for pattern, maker in (lexeme for one in lexicons if one.gate.search(text) for lexeme in one.lexemes):
        if len(marks) >= _MARKS_MAX:
            break
        for match in islice(pattern.finditer(text), _MARKS_MAX):
            start, end = match.span()
            if taken.find(1, start, end) >= 0:
                continue
            try:
                made = maker(match)
            except ValueError:
                # There is no such date: "February 30", "5/45".
                continue
            if made is not None:
                taken[start:end] = b"\x01" * (end - start)
                marks += [replace(mark, start=start, end=end) for mark in (made if isinstance(made, list) else [made])]
    return sorted(marks, key=lambda mark: mark.start)


def resolve(
    marks: Iterable[Mark], frame: Frame, interval_of: Callable[[Mark], Interval | None] | None = None
) -> Interval | None:
    """Return the interval that marks name together; None if they are inconsistent or not in the calendar.

    Args:
        interval_of: cached `narrow` of a mark that no coarser one restricts, for callers that try many groups of the
            same marks: resolving one such as "in May" tries twenty years.
    """
    scope: Interval | None = None
    try:
        for mark in sorted(marks, key=lambda mark: mark.rank):
            inner = interval_of(mark) if scope is None and interval_of else mark.narrow(scope, frame)
            if inner is None or (scope is not None and not inner.meets(scope)):
                return None
            scope = inner
    except (ValueError, OverflowError):
        return None
    return scope


def fixed(make: Callable[[datetime], Interval]) -> Narrow:
    """Replace any interval by one relative to now: yesterday, last week, three years ago."""
    return lambda _scope, frame: make(frame.now)


def recurring(make: OfYear, step: int | None = None) -> Narrow:
    """Narrow to a time that recurs yearly: that of the named year, else by `step`, else the nearest past or future one.

    Args:
        step: -1 for the last that has ended, 0 for the current one or this year's, 1 for the next to begin, 2 for the
            one after it.
    """

    def narrow(scope: Interval | None, frame: Frame) -> Interval | None:
        if scope is not None:
            inside = (
                made for number in range(scope.start.year, scope.end.year + 1) if (made := _interval_in(make, number))
            )
            return next((made for made in inside if scope.start <= made.start < scope.end), None)
        return _by_step(make, step, frame)

    return narrow


def _by_step(make: OfYear, step: int | None, frame: Frame) -> Interval | None:
    now, this_year = frame.now, frame.now.year
    back = [made for n in range(this_year + 1, this_year - _YEARS_TRIED, -1) if (made := _interval_in(make, n))]
    ahead = [made for n in range(this_year - 1, this_year + _YEARS_TRIED) if (made := _interval_in(make, n))]
    if step == 0:
        around = [made for made in ahead if made.start <= now < made.end]
        return next(iter(around), None) or _interval_in(make, this_year)
    if step is not None:
        ended = [made for made in back if made.end <= day(now).start]
        coming = [made for made in ahead if made.start > now]
        return next(islice(ended if step < 0 else coming, abs(step) - 1, None), None)
    if frame.future:
        return next((made for made in ahead if made.end > now), None)
    return next((made for made in back if made.start <= now), None)


def _interval_in(make: OfYear, number: int) -> Interval | None:
    """Return the interval in a year; None in years without it: 29 February, the Chinese calendar before 1901."""
    try:
        return make(number)
    except (ValueError, OverflowError):
        return None


def edge_of(edge: Edge, unit: Unit | None = None) -> Narrow:
    """Narrow to a part of the interval; without one, to that part of the current unit: "at the end of the month"."""

    def narrow(scope: Interval | None, frame: Frame) -> Interval | None:
        if scope is not None:
            return part(scope, edge)
        if unit is None:
            return None
        here = part(moved(unit, 0, frame.now), edge)
        if here.start > frame.now and not frame.future:
            return part(moved(unit, -1, frame.now), edge)
        return here

    return narrow


def weekday(number: int, step: int | None = None, nth: int | None = None) -> Narrow:
    """Narrow to a day of the week: in a week, the nth in a month, or counted from now by `step`.

    Args:
        number: 0 for Monday.
        step: -1 for the last, 0 for this week's, 1 for the next, 2 for the one after it.
        nth: -1 for the last in the month.
    """

    def narrow(scope: Interval | None, frame: Frame) -> Interval | None:
        if scope is not None:
            return _weekday_within(scope, number, nth)
        if nth is not None:
            return None
        today = day(frame.now).start
        if step == 0:
            return day(week(today).start + number * DAY)
        weeks = abs(step or 1) - 1
        if (step or 0) > 0 or (step is None and frame.future):
            return day(today + ((number - today.weekday() - 1) % 7 + 1 + 7 * weeks) * DAY)
        return day(today - ((today.weekday() - number - 1) % 7 + 1 + 7 * weeks) * DAY)

    return narrow


def _weekday_within(scope: Interval, number: int, nth: int | None) -> Interval | None:
    if nth is None:
        if scope.length <= 2 * DAY or scope.length > 8 * DAY:
            # "Friday, 5 May" is that day already; "a Friday in May" may be any of several.
            return scope
        return day(scope.start + (number - scope.start.weekday()) % 7 * DAY)
    if nth > 0:
        return day(scope.start + ((number - scope.start.weekday()) % 7 + 7 * (nth - 1)) * DAY)
    last = scope.end - DAY
    return day(last - (last.weekday() - number) % 7 * DAY)


def weekend_of(step: int | None = None, nth: int | None = None) -> Narrow:
    """Narrow to a Saturday and Sunday: in a week, the nth in a month, or counted from now by `step`."""

    def narrow(scope: Interval | None, frame: Frame) -> Interval | None:
        if scope is not None and nth is not None:
            saturday = _weekday_within(scope, 5, nth)
            return Interval(saturday.start, saturday.end + DAY) if saturday else None
        if scope is not None:
            return weekend(scope.start)
        here = weekend(frame.now)
        if step is not None:
            return Interval(here.start + 7 * step * DAY, here.end + 7 * step * DAY)
        over = here.start > frame.now and not frame.future
        return Interval(here.start - 7 * DAY, here.end - 7 * DAY) if over else here

    return narrow


def nth_week(nth: int) -> Narrow:
    """Narrow to the nth seven days of a month; -1 for the last seven."""

    def narrow(scope: Interval | None, _frame: Frame) -> Interval | None:
        if scope is None:
            return None
        start = scope.start + 7 * (nth - 1) * DAY if nth > 0 else scope.end - 7 * DAY
        return Interval(start, min(start + 7 * DAY, scope.end))

    return narrow


def day_of_month(number: int) -> Narrow:
    """Narrow to this day of the named month; without a month, to the latest such day, or the next in the future."""

    def narrow(scope: Interval | None, frame: Frame) -> Interval | None:
        if scope is not None:
            return day(scope.start.replace(day=number)) if scope.length < 32 * DAY else None
        tries = [shifted(frame.now.replace(day=1), Unit.MONTH, n) for n in ((0, 1, 2) if frame.future else (0, -1, -2))]
        for first in tries:
            found = _interval_in(lambda _year, first=first: day(first.replace(day=number)), 0)  # type: ignore[misc]
            if found and (found.end > frame.now if frame.future else found.start <= frame.now):
                return found
        return None

    return narrow


def part_of_day(from_hour: int, to_hour: int) -> Narrow:
    """Narrow a day to hours; those past 24 are in the next day."""

    def narrow(scope: Interval | None, _frame: Frame) -> Interval | None:
        if scope is None or scope.length > 2 * DAY:
            return scope
        midnight = day(scope.start).start
        return Interval(midnight + timedelta(hours=from_hour), midnight + timedelta(hours=to_hour))

    return narrow


def hour_of_day(hour: int) -> Narrow:
    """Narrow a day, or part of a day, to one hour: "three in the afternoon" is 15."""

    def narrow(scope: Interval | None, _frame: Frame) -> Interval | None:
        if scope is None or scope.length > 2 * DAY:
            return None
        later = 12 if scope.start.hour > hour and hour <= 12 else 0
        start = day(scope.start).start + timedelta(hours=hour + later)
        return Interval(start, start + timedelta(hours=1))

    return narrow


def month_day(month: int, first: int, last: int) -> OfYear:
    """Return a function from year to the days `first` to `last` of a month."""
    return lambda number: days(datetime(number, month, first), datetime(number, month, last) + DAY)


def week_around(scope: Interval | None, _frame: Frame) -> Interval | None:
    """Widen a named day to its week; None without a named day."""
    return week(scope.start) if scope is not None and scope.length <= 2 * DAY else None


# Distances from now

# "A few" means two to five.
FEW_FROM, FEW_TO = 2, 5
UNIT_RANK = {
    Unit.MINUTE: Rank.HOUR,
    Unit.HOUR: Rank.HOUR,
    Unit.DAY: Rank.DAY,
    Unit.WEEKEND: Rank.DAY,
    Unit.WEEK: Rank.WEEK,
    Unit.FORTNIGHT: Rank.WEEK,
    Unit.MONTH: Rank.MONTH,
    Unit.QUARTER: Rank.SEASON,
    Unit.YEAR: Rank.YEAR,
    Unit.DECADE: Rank.DECADE,
}


def away(unit: Unit, count: int) -> Mark:
    """Return a mark for the calendar unit `count` units from now: -1 for the last one, 1 for the next."""
    return Mark(rank=UNIT_RANK[unit], narrow=lambda _scope, frame: moved(unit, count, frame.now))


def between(unit: Unit, one: int, other: int) -> Mark:
    """Return the mark of "a few months ago", 两三天前: from one to another number of units from now."""
    far, near = min(one, other), max(one, other)
    narrow = fixed(lambda now: Interval(moved(unit, far, now).start, moved(unit, near, now).end))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=True)


def half_away(unit: Unit, whole: int, sign: int) -> Mark | None:
    """Return the mark of "a year and a half ago"; None for a unit that has no half."""
    months_each = {Unit.YEAR: 12, Unit.DECADE: 120}.get(unit)
    if months_each:
        return away(Unit.MONTH, sign * (whole * months_each + months_each // 2))
    days_each = {Unit.MONTH: 30, Unit.FORTNIGHT: 14, Unit.WEEK: 7}.get(unit)
    if days_each:
        middle = sign * (whole * days_each + days_each // 2)
        narrow = fixed(lambda now: Interval(day(now).start + (middle - 3) * DAY, day(now).start + (middle + 4) * DAY))
        return Mark(rank=Rank.WEEK, narrow=narrow, vague=True)
    return away(Unit.MINUTE, sign * (whole * 60 + 30)) if unit is Unit.HOUR else None


def bare_only(marks: Sequence[Mark]) -> bool:
    """Return whether all marks are recurring times, and no word says which occurrence is meant."""
    narrowing = (Rank.EDGE, Rank.PART, Rank.HOUR)
    return all(mark.bare or mark.rank in narrowing for mark in marks)
