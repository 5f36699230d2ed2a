"""How far from now English words say: three weeks ago, in the last two days, the summer before last. Pure."""

import re
from datetime import datetime

from extraction import time_lexicon_en as en
from extraction.stretches import DAY, Stretch, Unit, day, lately, moved, season, shifted
from extraction.time_marks import Frame, Mark, Marks, Rank, fixed, recurring, unit_away, weekday, weekend_of

UNIT_RANK = {
    Unit.MINUTE: Rank.HOUR,
    Unit.HOUR: Rank.HOUR,
    Unit.DAY: Rank.DAY,
    Unit.WEEKEND: Rank.DAY,
    Unit.WEEK: Rank.WEEK,
    Unit.MONTH: Rank.MONTH,
    Unit.QUARTER: Rank.SEASON,
    Unit.YEAR: Rank.YEAR,
    Unit.DECADE: Rank.DECADE,
}


def away(unit: Unit, count: int) -> Mark:
    """The unit that lies so many units from now."""
    return Mark(rank=UNIT_RANK[unit], narrow=unit_away(unit, count))


def distance(match: re.Match[str]) -> Marks:
    """Three days ago, in two weeks, a year and a half ago, a few months back."""
    unit, groups = en.UNITS[match["u"]], match.groupdict()
    sign = 1 if groups.get("ahead") else -1
    count = en.count_of(match["n"])
    if count is None:
        far, near = (en.FEW_FROM, en.FEW_TO) if sign > 0 else (-en.FEW_TO, -en.FEW_FROM)
        narrow = fixed(lambda now: Stretch(moved(unit, far, now).start, moved(unit, near, now).end))
        return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=True)
    if groups.get("half") or match["n"] in ("half a", "half an"):
        return half_away(unit, count if groups.get("half") else 0, sign)
    if groups.get("today"):
        return Mark(rank=Rank.DAY, narrow=fixed(lambda now: day(shifted(now, unit, sign * count))))
    return away(unit, sign * count)


def half_away(unit: Unit, whole: int, sign: int) -> Marks:
    months_each = {Unit.YEAR: 12, Unit.DECADE: 120}.get(unit)
    if months_each:
        return away(Unit.MONTH, sign * (whole * months_each + months_each // 2))
    days_each = {Unit.MONTH: 30, Unit.WEEK: 7}.get(unit)
    if days_each:
        middle = sign * (whole * days_each + days_each // 2)
        narrow = fixed(lambda now: Stretch(day(now).start + (middle - 3) * DAY, day(now).start + (middle + 4) * DAY))
        return Mark(rank=Rank.WEEK, narrow=narrow, vague=True)
    return away(Unit.MINUTE, sign * (whole * 60 + 30)) if unit is Unit.HOUR else None


def half_ago(match: re.Match[str]) -> Marks:
    return half_away(en.UNITS[match["u"]], 0, -1)


def window(match: re.Match[str]) -> Marks:
    """The last three days, the next two weeks, the past year."""
    groups = match.groupdict()
    unit = en.UNITS[match["u"]]
    number = groups.get("n")
    count = 1 if not number else en.count_of(number) or en.FEW_TO
    if unit is Unit.WEEKEND:
        return None
    sign = -1 if match["step"] in ("next", "coming", "following") else 1
    narrow = fixed(lambda now: lately(unit, sign * count, now))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=bool(number) and en.count_of(number or "") is None)


def before_last(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    if groups["s"] or groups["wd"]:
        return _twice(match)
    count = -2 if match["w"] == "before last" else 2
    unit = en.UNITS[match["u"]]
    return Mark(rank=Rank.DAY, narrow=weekend_of(count)) if unit is Unit.WEEKEND else away(unit, count)


def _twice(match: re.Match[str]) -> Marks:
    """The summer before last, the Friday after next: a year or a week further than the last and the next."""
    step = -1 if match["w"] == "before last" else 1
    if match["wd"]:
        return weekdays_away(en.WEEKDAYS[match["wd"]], step * 2)
    first = en.SEASONS[match["s"]]
    near = recurring(lambda number: season(number, first), step)

    def narrow(_scope: Stretch | None, frame: Frame) -> Stretch | None:
        found = near(None, frame)
        return season(found.start.year + step, first) if found else None

    return Mark(rank=Rank.SEASON, narrow=narrow)


def weekdays_away(number: int, count: int) -> Mark:
    """Two Fridays ago, the Friday after next."""
    step = -1 if count < 0 else 1
    near = weekday(number, step)

    def narrow(_scope: Stretch | None, frame: Frame) -> Stretch | None:
        found = near(None, frame)
        weeks = (count - step) * 7 * DAY
        return Stretch(found.start + weeks, found.end + weeks) if found else None

    return Mark(rank=Rank.DAY, narrow=narrow)


def days_ago(match: re.Match[str]) -> Marks:
    """Two Fridays ago."""
    count = en.count_of(match["n"])
    return weekdays_away(en.WEEKDAYS[match["wd"]], -count) if count else None


def so_far(match: re.Match[str]) -> Marks:
    """Earlier this week: until today; later this week: from today on."""
    unit, earlier = en.UNITS[match["u"] or "day"], match["w"] == "earlier"

    def make(now: datetime) -> Stretch:
        here, today = moved(unit, 0, now), day(now)
        return Stretch(here.start, today.end) if earlier else Stretch(today.start, here.end)

    return Mark(rank=UNIT_RANK[unit], narrow=fixed(make))
