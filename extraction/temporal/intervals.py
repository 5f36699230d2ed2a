"""Days, weeks, seasons and years as intervals of local time. Pure."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from schema.timespan import Timespan, as_utc

DAY = timedelta(days=1)


class Unit(StrEnum):
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    FORTNIGHT = "fortnight"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


class Edge(StrEnum):
    """Part of a longer interval."""

    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"
    FIRST_HALF = "first half"
    SECOND_HALF = "second half"


@dataclass(frozen=True, slots=True)
class Interval:
    """Half-open interval from `start` to `end` in the speaker's local time.

    Raises:
        ValueError: it ends before it starts; readers of text then take the words for no time.
    """

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"must not end before it starts, got {self.start} … {self.end}")

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    def meets(self, other: "Interval") -> bool:
        return self.start < other.end and other.start < self.end


def span_read(since: datetime | None, until: datetime | None, zone: tzinfo) -> Timespan | None:
    """Return the span in UTC of local times read in a text; every span of a text is made here.

    None if the calendar has no such time, or if a change of the clocks puts the end before the start.
    """
    try:
        start, end = (None if moment is None else as_utc(moment.replace(tzinfo=zone)) for moment in (since, until))
    except (ValueError, OverflowError):
        return None
    return None if start is not None and end is not None and end < start else Timespan(start=start, end=end)


def days(first: date, end: date) -> Interval:
    """Return the half-open interval between two days."""
    return Interval(datetime.combine(first, time()), datetime.combine(end, time()))


def day(when: date) -> Interval:
    """Return the day that contains a moment."""
    first = datetime(when.year, when.month, when.day)
    return Interval(first, first + DAY)


def week(when: date) -> Interval:
    """Return the week that contains a day, from Monday."""
    monday = day(when).start - timedelta(days=when.weekday())
    return Interval(monday, monday + 7 * DAY)


def weekend(when: date) -> Interval:
    """Return Saturday and Sunday of the week that contains a day."""
    monday = week(when).start
    return Interval(monday + 5 * DAY, monday + 7 * DAY)


def months(year: int, month: int, count: int = 1) -> Interval:
    """Return `count` whole months; months below 1 and above 12 lie in other years."""
    return Interval(_first_of(year, month), _first_of(year, month + count))


def year(number: int, count: int = 1) -> Interval:
    """Return `count` whole years."""
    return months(number, 1, 12 * count)


def _first_of(number: int, month: int) -> datetime:
    return datetime(number + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def shifted(moment: datetime, unit: Unit, count: int) -> datetime:
    """Return the moment `count` units later; at most the end of the resulting month."""
    match unit:
        case Unit.MINUTE:
            return moment + timedelta(minutes=count)
        case Unit.HOUR:
            return moment + timedelta(hours=count)
        case Unit.DAY:
            return moment + timedelta(days=count)
        case Unit.WEEK | Unit.WEEKEND:
            return moment + timedelta(weeks=count)
        case Unit.FORTNIGHT:
            return moment + timedelta(weeks=2 * count)
    count *= {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}[unit]
    first = _first_of(moment.year, moment.month + count)
    following = _first_of(first.year, first.month + 1)
    return min(first.replace(day=1) + (moment - _first_of(moment.year, moment.month)), following - timedelta(seconds=1))


def moved(unit: Unit, count: int, now: datetime) -> Interval:
    """Return the calendar unit (day, week, month …) `count` units from now.

    Of minutes, return half an hour around that moment; of hours, the hour that follows it; of fortnights, a week.
    """
    there = shifted(now, unit, count)
    match unit:
        case Unit.MINUTE:
            return Interval(there - timedelta(minutes=15), there + timedelta(minutes=15))
        case Unit.HOUR:
            return Interval(there, there + timedelta(hours=1))
        case Unit.MONTH:
            return months(there.year, there.month)
        case Unit.QUARTER:
            return months(there.year, (there.month - 1) // 3 * 3 + 1, 3)
        case Unit.YEAR:
            return year(there.year)
        case Unit.DECADE:
            return year(there.year // 10 * 10, 10)
    return {Unit.DAY: day, Unit.WEEKEND: weekend}.get(unit, week)(there)


def lately(unit: Unit, count: int, now: datetime) -> Interval:
    """Return the last `count` units including today; the next ones if negative."""
    if unit in (Unit.MINUTE, Unit.HOUR):
        other = shifted(now, unit, -count)
        return Interval(min(now, other), max(now, other))
    today = day(now)
    if count < 0:
        return Interval(today.start, shifted(today.start, unit, -count) + DAY)
    return Interval(shifted(today.start, unit, -count), today.end)


def part(whole: Interval, edge: Edge) -> Interval:
    """Return a part of an interval.

    Halves begin after six months of a year, 15 days of a month, or in the middle. Early, middle and late are months
    1-3, 5-8 and 10-12 of a year, years 1-3, 4-7 and 8-10 of a decade, days 1-10, 11-20 and 21 on of a month, or thirds.
    """
    start, end = whole.start, whole.end
    length_days = whole.length.days
    of_year, of_month = 360 < length_days < 370, 27 < length_days < 32 and start.day == 1
    if edge in (Edge.FIRST_HALF, Edge.SECOND_HALF):
        middle = shifted(start, Unit.MONTH, 6) if of_year else start + (15 if of_month else length_days // 2) * DAY
        return Interval(start, middle) if edge is Edge.FIRST_HALF else Interval(middle, end)
    if of_year:
        low, high = {Edge.EARLY: (0, 3), Edge.MIDDLE: (4, 8), Edge.LATE: (9, 12)}[edge]
        return Interval(shifted(start, Unit.MONTH, low), shifted(start, Unit.MONTH, high))
    if length_days > 3_600:
        low, high = {Edge.EARLY: (0, 3), Edge.MIDDLE: (3, 7), Edge.LATE: (7, 10)}[edge]
        return Interval(shifted(start, Unit.YEAR, low), shifted(start, Unit.YEAR, high))
    third = 10 if of_month else max(length_days // 3, 1)
    first, second = min(start + third * DAY, end), min(start + 2 * third * DAY, end)
    match edge:
        case Edge.EARLY:
            return Interval(start, first)
        case Edge.MIDDLE:
            return Interval(first, second)
    return Interval(second, end)


def around(middle: Interval) -> Interval:
    """Widen an interval on either side by half its length, at least three days."""
    margin = max(middle.length // 2 // DAY, 3) * DAY
    return Interval(middle.start - margin, middle.end + margin)
