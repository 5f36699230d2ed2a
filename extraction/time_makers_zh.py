"""What each Chinese wording for time means, once a pattern has found it. Pure."""

import re
from collections.abc import Callable
from datetime import datetime

from extraction import time_lexicon_zh as zh
from extraction.holidays import lunar_date
from extraction.stretches import DAY, Edge, Stretch, Unit, day, lately, months, moved, season, shifted, year
from extraction.time_distances_en import UNIT_RANK, away, half_away
from extraction.time_makers_en import month_of
from extraction.time_marks import (
    Mark,
    Marks,
    Rank,
    day_of_month,
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

_FEW_FROM, _FEW_TO = 2, 5
# 前几天 is the week before today; of other units it is the five before.
_JUST_BEFORE_DAYS = 7


def year_named(match: re.Match[str]) -> Marks:
    """2023年, 二零二三年, 23年5月."""
    number = zh.year_of(match["y"])
    number += 0 if number > 99 else 2000 if number < 70 else 1900
    return Mark(rank=Rank.YEAR, narrow=fixed(lambda _now: year(number)))


def relative_year(match: re.Match[str]) -> Marks:
    """去年, 大前年."""
    return away(Unit.YEAR, zh.YEARS[match["r"]])


def relative_day(match: re.Match[str]) -> Marks:
    """昨天, 大后天."""
    return away(Unit.DAY, zh.DAYS[match["r"]])


def short_day(match: re.Match[str]) -> Marks:
    """昨晚, 今早."""
    hours = zh.SHORT_PARTS[match["p"] or match["p2"]]
    return [away(Unit.DAY, zh.SHORT_DAYS[match["r"] or match["r2"]]), Mark(rank=Rank.PART, narrow=part_of_day(*hours))]


def decade(match: re.Match[str]) -> Marks:
    """九十年代, 1980年代."""
    number = int(match["y"]) if match["y"].isdigit() else zh.number_of(match["y"])
    first = number if number > 99 else number + (2000 if number < 30 else 1900)
    return Mark(rank=Rank.DECADE, narrow=fixed(lambda _now: year(first, 10)))


def month(match: re.Match[str]) -> Marks:
    """五月, 5月份."""
    number = zh.number_of(match["m"])
    if not 1 <= number <= 12:
        return None
    return Mark(rank=Rank.MONTH, narrow=recurring(month_of(number)), bare=True, dated=True)


def dated(match: re.Match[str]) -> Marks:
    """5月3日; 5月3日至5日."""
    first = zh.number_of(match["d"])
    last = zh.number_of(match["d2"]) if match["d2"] else first
    narrow = recurring(month_day(zh.number_of(match["m"]), first, last))
    return Mark(rank=Rank.DAY, narrow=narrow, bare=True, dated=True)


def lunar(match: re.Match[str]) -> Marks:
    """农历八月十五, 正月初三, 腊月廿三."""
    named = match["lm"]
    number = {"正": 1, "冬": 11, "腊": 12}.get(named) or zh.number_of(named)
    text = match["ld"].replace("初", "").replace("廿", "二十").replace("卅", "三十")
    return Mark(rank=Rank.DAY, narrow=recurring(lunar_date(number, zh.number_of(text))), bare=True)


def number_of_day(match: re.Match[str]) -> Marks:
    """3号: of a month that is named, or with 那天 or 在 beside it."""
    return Mark(
        rank=Rank.DAY,
        narrow=day_of_month(zh.number_of(match["d"])),
        bare=True,
        never_alone=not (match["there"] or match["that"]),
    )


def relative_month(match: re.Match[str]) -> Marks:
    """上个月, 本月."""
    return away(Unit.MONTH, zh.STEPS[match["w"]])


def relative_week(match: re.Match[str]) -> Marks:
    """上周, 上上周三, 下个周末."""
    that_week = away(Unit.WEEK, zh.STEPS[match["w"]])
    if match["e"]:
        return [that_week, Mark(rank=Rank.DAY, narrow=weekend_of())]
    if match["d"]:
        return [that_week, Mark(rank=Rank.DAY, narrow=weekday(zh.WEEKDAYS[match["d"]]), bare=True)]
    return that_week


def bare_weekday(match: re.Match[str]) -> Marks:
    """周五, 星期天; 第一个星期一 of a month."""
    nth = _nth(match["o"])
    narrow = weekday(zh.WEEKDAYS[match["d"]], nth=nth)
    return Mark(rank=Rank.DAY, narrow=narrow, bare=True, never_alone=nth is not None)


def bare_weekend(match: re.Match[str]) -> Marks:
    """周末; 第二个周末 of a month."""
    nth = _nth(match["o"])
    return Mark(rank=Rank.DAY, narrow=weekend_of(nth=nth), bare=True, never_alone=nth is not None)


def week_of_month(match: re.Match[str]) -> Marks:
    """第一周, 最后一周."""
    return Mark(rank=Rank.WEEK, narrow=nth_week(_nth(match["o"]) or 1), never_alone=True)


def _nth(word: str | None) -> int | None:
    if not word:
        return None
    return -1 if word.startswith("最后") else zh.number_of(word.strip("第个"))


def named_season(match: re.Match[str]) -> Marks:
    """夏天, 这个夏天, 上个冬天."""
    first, step = zh.SEASONS[match["s"]], match.groupdict().get("w")
    narrow = recurring(lambda number: season(number, first), _step(step))
    return Mark(rank=Rank.SEASON, narrow=narrow, bare=step is None)


def school_holidays(match: re.Match[str]) -> Marks:
    """暑假 is July and August, 寒假 January and February."""
    first = 7 if match["s"] == "暑" else 1
    step = match.groupdict().get("w")
    narrow = recurring(lambda number: months(number, first, 2), _step(step))
    return Mark(rank=Rank.SEASON, narrow=narrow, bare=step is None)


def _step(word: str | None) -> int | None:
    return None if word is None else {"上": -1, "下": 1}.get(word[0], 0)


def quarter(match: re.Match[str]) -> Marks:
    """第三季度."""
    number = zh.number_of(match["q"])
    return Mark(rank=Rank.SEASON, narrow=recurring(lambda of: months(of, 3 * number - 2, 3)), bare=True)


def relative_quarter(match: re.Match[str]) -> Marks:
    """上个季度."""
    return away(Unit.QUARTER, zh.STEPS[match["w"]])


def edge_named(unit: Unit, *, never_alone: bool = False) -> Callable[[re.Match[str]], Marks]:
    """年初, 月底, 上半年; after a year or month that is named also 初 and 底."""

    def make(match: re.Match[str]) -> Marks:
        edge = zh.EDGES[match["e"]]
        rank = Rank.SEASON if unit is Unit.YEAR and edge not in (Edge.FIRST_HALF, Edge.SECOND_HALF) else Rank.EDGE
        return Mark(rank=rank, narrow=edge_of(edge, unit), bare=True, never_alone=never_alone)

    return make


def distance(match: re.Match[str]) -> Marks:
    """三天前, 两周后, 一年半以前, 几天前, 两三天前."""
    unit = zh.UNITS[match["u"]]
    sign = -1 if match["w"] in ("前", "之前", "以前") else 1
    if match["n"] in ("几", "好几"):
        return _between(unit, sign * _FEW_FROM, sign * _FEW_TO)
    if match["n2"]:
        return _between(unit, sign * zh.number_of(match["n"]), sign * zh.number_of(match["n2"]))
    count = zh.number_of(match["n"])
    if match["half"] or match["half2"]:
        return half_away(unit, count, sign)
    return away(unit, sign * count)


def half_distance(match: re.Match[str]) -> Marks:
    """半年前, 半个月后."""
    return half_away(zh.UNITS[match["u"]], 0, -1 if match["w"] in ("前", "之前", "以前") else 1)


def _between(unit: Unit, one: int, other: int) -> Mark:
    far, near = min(one, other), max(one, other)
    narrow = fixed(lambda now: Stretch(moved(unit, far, now).start, moved(unit, near, now).end))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=True)


def window(match: re.Match[str]) -> Marks:
    """最近三天, 过去两周, 近半年, 这几天, 未来一个月."""
    unit, number = zh.UNITS[match["u"]], match["n"]
    sign = -1 if match["w"] in ("未来", "接下来", "今后", "往后") else 1
    if number == "半":
        halves = {Unit.YEAR: (Unit.MONTH, 6), Unit.MONTH: (Unit.DAY, 15), Unit.DAY: (Unit.HOUR, 12)}
        if unit not in halves:
            return None
        unit, count = halves[unit]
    else:
        count = _FEW_TO if number in ("几", "好几") else zh.number_of(number)
    narrow = fixed(lambda now: lately(unit, sign * count, now))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=number in ("几", "好几"))


def just_before(match: re.Match[str]) -> Marks:
    """前几天, 前两天: before today."""
    unit = zh.UNITS[match["u"]]
    few = match["n"] in ("几", "些")
    count = (_JUST_BEFORE_DAYS if unit is Unit.DAY else _FEW_TO) if few else zh.number_of(match["n"])

    def make(now: datetime) -> Stretch:
        today = day(now).start
        return Stretch(shifted(today, unit, -count), today)

    return Mark(rank=UNIT_RANK[unit], narrow=fixed(make), vague=True)


def hour(match: re.Match[str]) -> Marks:
    """三点, 3点半."""
    number = zh.number_of(match["h"])
    return Mark(rank=Rank.HOUR, narrow=hour_of_day(number), never_alone=True) if number <= 24 else None


def part_named(match: re.Match[str]) -> Marks:
    """下午, 晚上."""
    return Mark(rank=Rank.PART, narrow=part_of_day(*zh.PARTS[match["p"]]), never_alone=True)


def holiday(of_year: Callable[[int], Stretch], match: re.Match[str]) -> Marks:
    """春节, 今年中秋 (with its year beside it), 上个国庆."""
    step = match["w"]
    return Mark(rank=Rank.DAY, narrow=recurring(of_year, _step(step)), bare=step is None)


def the_same_day(_match: re.Match[str]) -> Marks:
    """去年的今天."""
    return Mark(rank=Rank.DAY, narrow=fixed(lambda now: day(shifted(now, Unit.YEAR, -1))))


def vague_days(first: int, end: int) -> Callable[[re.Match[str]], Marks]:
    """Days counted from today, roughly."""
    narrow = fixed(lambda now: Stretch(day(now).start + first * DAY, day(now).start + end * DAY))
    return lambda _match: Mark(rank=Rank.WEEK, narrow=narrow, vague=True)
