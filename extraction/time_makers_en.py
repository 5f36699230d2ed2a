"""What each English wording for time means, once a pattern has found it. Pure."""

import re
from collections.abc import Callable
from datetime import datetime

from extraction import time_lexicon_en as en
from extraction.stretches import DAY, Edge, Stretch, Unit, day, lately, months, season, shifted, year
from extraction.time_distances_en import away
from extraction.time_marks import (
    Mark,
    Marks,
    Narrow,
    Rank,
    edge_of,
    fixed,
    hour_of_day,
    month_day,
    nth_week,
    part_of_day,
    recurring,
    weekday,
    weekend_of,
)

# What must stand before a word that means time only there.
IN = en.before("in", "during", "since", "until", "till", "by", "before", "after", "around", "throughout")
IN_MONTH = en.before(
    "in", "during", "since", "until", "till", "by", "before", "after", "around", "throughout", article=False
)
IN_YEAR = en.before(
    "throughout", "in", "during", "since", "until", "till", "by", "before", "after", "around", "circa", "year"
)
ON = en.before("on", "since", "until", "till", "by", "before", "after", "around", article=False)
ON_DATE = en.before("on", "since", "until", "till", "by", "before", "after", "around")
OVER = en.before(
    "in",
    "during",
    "over",
    "at",
    "since",
    "until",
    "till",
    "by",
    "before",
    "after",
    "around",
    "for the",
    "with the",
    "on",
)
AT = en.before(
    "at", "on", "for", "over", "during", "since", "until", "till", "by", "before", "after", "around", "in", "the"
)
FALL = re.compile(r"\b(?:in|during|over|since|until|by|before|after|around|for) the\s+$")


def iso_day(match: re.Match[str]) -> Marks:
    """2023-05-03."""
    when = datetime(int(match["c"]), int(match["b"]), int(match["a"]))
    return Mark(rank=Rank.DAY, narrow=fixed(lambda _now: day(when)))


def iso_month(match: re.Match[str]) -> Marks:
    """2023-05."""
    number, month = int(match["c"]), int(match["m"])
    return Mark(rank=Rank.MONTH, narrow=fixed(lambda _now: months(number, month)))


def month_of(month: int) -> Callable[[int], Stretch]:
    """That month of any year."""
    return lambda number: months(number, month)


def fixed_day(match: re.Match[str]) -> Marks:
    first, second, number = int(match["a"]), int(match["b"]), int(match["c"])
    month, number_of_day = (second, first) if match["sep"] == "." or first > 12 else (first, second)
    when = datetime(number, month, number_of_day)
    return Mark(rank=Rank.DAY, narrow=fixed(lambda _now: day(when)))


def dated(match: re.Match[str]) -> Marks:
    """A day of a month, or several in a row; "may 20" needs "on" before it unless it says "20th"."""
    groups = match.groupdict()
    month, first = en.MONTHS[match["m"]], int(match["d"])
    last = int(groups["d2"]) if groups.get("d2") else first
    named = groups.get("y")
    mark = Mark(
        rank=Rank.DAY,
        narrow=recurring(month_day(month, first, last)),
        bare=not named,
        dated=True,
        alone=ON_DATE if match["m"] in ("may", "march", "mar") and match[0][-1].isdigit() and not named else None,
    )
    return [mark, *([year_named(int(named))] if named else [])]


def year_named(number: int, alone: re.Pattern[str] | None = None, *, never_alone: bool = False) -> Mark:
    return Mark(rank=Rank.YEAR, narrow=fixed(lambda _now: year(number)), alone=alone, never_alone=never_alone)


def short_year(match: re.Match[str]) -> Marks:
    number = int(match["y"])
    return year_named(number + (2000 if number < 70 else 1900), never_alone=True)


def decade(match: re.Match[str]) -> Marks:
    number = int(match["y"])
    first = number if number > 99 else number + (2000 if number < 30 else 1900)
    return Mark(rank=Rank.DECADE, narrow=fixed(lambda _now: year(first, 10)))


def stepped(match: re.Match[str]) -> Marks:
    """Last week, this Friday, next summer, last Christmas is with the holidays."""
    step, groups = en.STEPS[match["step"]], match.groupdict()
    if groups["u"]:
        unit = en.UNITS[groups["u"]]
        return Mark(rank=Rank.DAY, narrow=weekend_of(step)) if unit is Unit.WEEKEND else away(unit, step)
    if groups["wd"]:
        return Mark(rank=Rank.DAY, narrow=weekday(en.WEEKDAYS[groups["wd"]], step))
    if groups["m"]:
        return Mark(rank=Rank.MONTH, narrow=recurring(month_of(en.MONTHS[groups["m"]]), step))
    first = en.SEASONS[groups["s"]]
    return Mark(rank=Rank.SEASON, narrow=recurring(lambda number: season(number, first), step))


_EDGES = {
    "early": Edge.EARLY,
    "start": Edge.EARLY,
    "beginning": Edge.EARLY,
    "mid": Edge.MIDDLE,
    "middle": Edge.MIDDLE,
    "late": Edge.LATE,
    "end": Edge.LATE,
    "first half": Edge.FIRST_HALF,
    "second half": Edge.SECOND_HALF,
}


def edge(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    unit = en.UNITS[groups["u"]] if groups.get("u") else None
    return Mark(
        rank=Rank.EDGE, narrow=edge_of(_EDGES[match["e"]], unit), bare=unit is not None, never_alone=unit is None
    )


def quarter(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    nth = int(groups["q"]) if groups.get("q") else en.ORDINALS[groups["o"] or "first"]
    number = nth if nth > 0 else 4
    narrow = recurring(lambda of: months(of, 3 * number - 2, 3))
    return Mark(rank=Rank.SEASON, narrow=narrow, bare=True, alone=IN)


def nth_of(match: re.Match[str]) -> Marks:
    """The first week, the second weekend, the last Monday of a month."""
    nth, groups = en.ORDINALS[match["o"]], match.groupdict()
    if groups["wd"]:
        return Mark(rank=Rank.DAY, narrow=weekday(en.WEEKDAYS[groups["wd"]], nth=nth), never_alone=True)
    if groups["u"] == "weekend":
        return Mark(rank=Rank.DAY, narrow=weekend_of(nth=nth), never_alone=True)
    return Mark(rank=Rank.WEEK, narrow=nth_week(nth), never_alone=True)


def bare(rank: Rank, narrow: Narrow, alone: re.Pattern[str] | None) -> Mark:
    return Mark(rank=rank, narrow=narrow, bare=True, alone=alone)


def hour(match: re.Match[str]) -> Marks:
    hour = int(match["h"])
    half = match.groupdict().get("ap")
    if hour > 23 or (half and hour > 12):
        return None
    hour = hour % 12 + (12 if half and half[0] == "p" else 0) if half else hour
    return Mark(rank=Rank.HOUR, narrow=hour_of_day(hour), never_alone=True)


def said(days_away: int, hours: tuple[int, int] | None = None) -> Callable[[re.Match[str]], Marks]:
    def make(_match: re.Match[str]) -> Marks:
        that_day = away(Unit.DAY, days_away)
        return [that_day, Mark(rank=Rank.PART, narrow=part_of_day(*hours))] if hours else that_day

    return make


def vague(make: Callable[[datetime], Stretch]) -> Callable[[re.Match[str]], Marks]:
    return lambda _match: Mark(rank=Rank.WEEK, narrow=fixed(make), vague=True)


def last_hour(now: datetime) -> Stretch:
    """Just now."""
    return lately(Unit.HOUR, 1, now)


def a_year_ago(now: datetime) -> Stretch:
    """This time last year: a week to either side."""
    then = day(shifted(now, Unit.YEAR, -1))
    return Stretch(then.start - 7 * DAY, then.end + 7 * DAY)


def since_days(first: int, end: int) -> Callable[[datetime], Stretch]:
    return lambda now: Stretch(day(now).start + first * DAY, day(now).start + end * DAY)


def holiday(of_year: Callable[[int], Stretch], match: re.Match[str]) -> Marks:
    """Christmas, last Thanksgiving."""
    step = match["step"]
    if step:
        return Mark(rank=Rank.DAY, narrow=recurring(of_year, en.STEPS[step]))
    return bare(Rank.DAY, recurring(of_year), AT)


def named_season(match: re.Match[str]) -> Marks:
    first = en.SEASONS[match["s"]]
    return bare(Rank.SEASON, recurring(lambda number: season(number, first)), OVER if match["s"] != "fall" else FALL)
