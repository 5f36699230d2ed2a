"""Chinese time expressions. Pure."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from extraction.temporal.expressions import (
    Lexeme,
    Lexicon,
    Mark,
    Marks,
    Rank,
    day_of_month,
    edge_of,
    fixed,
    hour_of_day,
    lexicon,
    marks_found,
    month_day,
    nth_week,
    part_of_day,
    recurring,
    weekday,
    weekend_of,
)
from extraction.temporal.expressions_en import (
    a_year_ago,
    fixed_day,
    iso_day,
    iso_month,
    last_hour,
    month_of,
    since_days,
    vague,
)
from extraction.temporal.holidays import CHINESE, lunar_date
from extraction.temporal.intervals import Edge, Interval, Unit, day, lately, months, shifted, year
from extraction.temporal.lexicon_en import FEW_FROM, FEW_TO, UNIT_RANK, WORDS, any_of, away, between, half_away

# Numerals, years, weeks and parts of the day

_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
WEEKDAYS = (
    {character: number for number, character in enumerate("一二三四五六日")}
    | {"天": 6}
    | {str(number + 1): number for number in range(7)}
)
_CHINESE = WORDS["chinese"]
DAYS: dict[str, int] = _CHINESE["days"]
YEARS: dict[str, int] = _CHINESE["years"]
STEPS: dict[str, int] = _CHINESE["steps"]
SEASONS: dict[str, list[int]] = _CHINESE["seasons"]
PARTS: dict[str, list[int]] = _CHINESE["parts"]
# 昨晚, 今早: a day and a part of it in two characters.
SHORT_DAYS: dict[str, int] = _CHINESE["short_days"]
SHORT_PARTS: dict[str, list[int]] = _CHINESE["short_parts"]
UNITS = {word: Unit(name) for word, name in _CHINESE["units"].items()}
EDGES = {word: Edge(name) for word, name in _CHINESE["edges"].items()}
NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二两三四五六七八九]?|[一二两三四五六七八九])"
UNIT = r"(?P<u>分钟|小时|钟头|天|日|周|星期|礼拜|(?<=[个半])月|季度|年)"
WEEK = r"(?:周|星期|礼拜)"
STEP = r"(?P<w>上上|下下|上|下|这|本)(?:个|一)?"
SURNAMES = "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"


def number_of(text: str) -> int:
    """Return the value of digits or Chinese numerals up to 999.

    Raises:
        ValueError: the text is not a number.
    """
    if text.isdigit():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        if len(tens) > 1 or len(ones) > 1:
            raise ValueError(f"must be a number, got {text!r}")
        return (_digit(tens) if tens else 1) * 10 + (_digit(ones) if ones else 0)
    if len(text) != 1:
        raise ValueError(f"must be a number, got {text!r}")
    return _digit(text)


def year_of(text: str) -> int:
    """Return the year written with four digits or numerals."""
    return int(text) if text.isdigit() else int("".join(str(_digit(character)) for character in text))


def _digit(character: str) -> int:
    try:
        return _DIGITS[character]
    except KeyError:
        raise ValueError(f"must be a digit, got {character!r}") from None


# Functions from a match to its marks

# 前几天 means the seven days before today; with other units 前几 means the last five.
_JUST_BEFORE_DAYS = 7


def counted(unit: Unit, counts: Mapping[str, int]) -> Callable[[re.Match[str]], Marks]:
    """Return a function that reads 去年, 昨天, 上个月, by how many units away these words are."""
    return lambda match: away(unit, counts[match["w"]])


def year_named(match: re.Match[str]) -> Marks:
    """Read 2023年, 二零二三年, 23年5月."""
    number = year_of(match["y"])
    number += 0 if number > 99 else 2000 if number < 70 else 1900
    return Mark(rank=Rank.YEAR, narrow=fixed(lambda _now: year(number)))


def short_day(match: re.Match[str]) -> Marks:
    """Read 昨晚, 今早."""
    hours = SHORT_PARTS[match["p"] or match["p2"]]
    return [away(Unit.DAY, SHORT_DAYS[match["r"] or match["r2"]]), Mark(rank=Rank.PART, narrow=part_of_day(*hours))]


def decade(match: re.Match[str]) -> Marks:
    """Read 九十年代, 1980年代."""
    number = int(match["y"]) if match["y"].isdigit() else number_of(match["y"])
    first = number if number > 99 else number + (2000 if number < 30 else 1900)
    return Mark(rank=Rank.DECADE, narrow=fixed(lambda _now: year(first, 10)))


def month(match: re.Match[str]) -> Marks:
    """Read 五月, 5月份."""
    number = number_of(match["m"])
    if not 1 <= number <= 12:
        return None
    return Mark(rank=Rank.MONTH, narrow=recurring(month_of(number)), bare=True, dated=True)


def dated(match: re.Match[str]) -> Marks:
    """Read 5月3日."""
    return _days_of_month(match, number_of(match["d"]))


def dated_days(match: re.Match[str]) -> Marks:
    """Read 5月3日至5日, not 7月22日到15号."""
    last = number_of(match["d2"])
    # Raises for a day that no year has.
    datetime(2024, number_of(match["m"]), last)
    return _days_of_month(match, last) if last > number_of(match["d"]) else None


def _days_of_month(match: re.Match[str], last: int) -> Mark:
    narrow = recurring(month_day(number_of(match["m"]), number_of(match["d"]), last))
    return Mark(rank=Rank.DAY, narrow=narrow, bare=True, dated=True)


def lunar(match: re.Match[str]) -> Marks:
    """Read 农历八月十五, 正月初三, 腊月廿三."""
    named = match["lm"]
    number = {"正": 1, "冬": 11, "腊": 12}.get(named) or number_of(named)
    text = match["ld"].replace("初", "").replace("廿", "二十").replace("卅", "三十")
    return Mark(rank=Rank.DAY, narrow=recurring(lunar_date(number, number_of(text))), bare=True)


def number_of_day(match: re.Match[str]) -> Marks:
    """Read 3号 next to a month, 那天 or 在, and 18号 where it is no number of a house, a room or the like."""
    return Mark(
        rank=Rank.DAY,
        narrow=day_of_month(number_of(match["d"])),
        bare=True,
        never_alone=not (match["there"] or match["that"] or match["alone"] is not None),
    )


def relative_week(match: re.Match[str]) -> Marks:
    """Read 上周, 上上周三, 下个周末."""
    that_week = away(Unit.WEEK, STEPS[match["w"]])
    if match["e"]:
        return [that_week, Mark(rank=Rank.DAY, narrow=weekend_of())]
    if match["d"]:
        return [that_week, Mark(rank=Rank.DAY, narrow=weekday(WEEKDAYS[match["d"]]), bare=True)]
    return that_week


def bare_weekday(match: re.Match[str]) -> Marks:
    """Read 周五, 星期天; 第一个星期一 of a month."""
    nth = _nth(match["o"])
    narrow = weekday(WEEKDAYS[match["d"]], nth=nth)
    return Mark(rank=Rank.DAY, narrow=narrow, bare=True, never_alone=nth is not None)


def bare_weekend(match: re.Match[str]) -> Marks:
    """Read 周末, or one of several in a month: 第二个周末."""
    nth = _nth(match["o"])
    return Mark(rank=Rank.DAY, narrow=weekend_of(nth=nth), bare=True, general=True, never_alone=nth is not None)


def week_of_month(match: re.Match[str]) -> Marks:
    """Read 第一周, 最后一周."""
    return Mark(rank=Rank.WEEK, narrow=nth_week(_nth(match["o"]) or 1), never_alone=True)


def _nth(word: str | None) -> int | None:
    if not word:
        return None
    return -1 if word.startswith("最后") else number_of(word.strip("第个"))


def named_season(match: re.Match[str]) -> Marks:
    """Read 夏天, 这个夏天, 上个冬天; 暑假 as July and August, 寒假 as January and February."""
    (first, count), step = SEASONS[match["s"]], match.groupdict().get("w")
    narrow = recurring(lambda number: months(number, first, count), _step(step))
    return Mark(rank=Rank.SEASON, narrow=narrow, bare=step is None, general=step is None)


def _step(word: str | None) -> int | None:
    return None if word is None else {"上": -1, "下": 1}.get(word[0], 0)


def quarter(match: re.Match[str]) -> Marks:
    """Read 第三季度."""
    number = number_of(match["q"])
    return Mark(rank=Rank.SEASON, narrow=recurring(lambda of: months(of, 3 * number - 2, 3)), bare=True, general=True)


def edge_named(unit: Unit, *, never_alone: bool = False) -> Callable[[re.Match[str]], Marks]:
    """Return a function that reads 年初, 月底, 上半年; after a named year or month also 初 and 底."""

    def make(match: re.Match[str]) -> Marks:
        edge = EDGES[match["e"]]
        rank = Rank.SEASON if unit is Unit.YEAR and edge not in (Edge.FIRST_HALF, Edge.SECOND_HALF) else Rank.EDGE
        return Mark(rank=rank, narrow=edge_of(edge, unit), bare=True, never_alone=never_alone)

    return make


def distance(match: re.Match[str]) -> Marks:
    """Read 三天前, 两周后, 一年半以前, 几天前, 两三天前."""
    unit = UNITS[match["u"]]
    sign = -1 if match["w"] in ("前", "之前", "以前") else 1
    if match["n"] in ("几", "好几"):
        return between(unit, sign * FEW_FROM, sign * FEW_TO)
    if match["n2"]:
        return between(unit, sign * number_of(match["n"]), sign * number_of(match["n2"]))
    count = number_of(match["n"])
    if match["half"] or match["half2"]:
        return half_away(unit, count, sign)
    return away(unit, sign * count)


def half_distance(match: re.Match[str]) -> Marks:
    """Read 半年前, 半个月后."""
    return half_away(UNITS[match["u"]], 0, -1 if match["w"] in ("前", "之前", "以前") else 1)


def window(match: re.Match[str]) -> Marks:
    """Read 最近三天, 过去两周, 近半年, 这几天, 未来一个月."""
    unit, number = UNITS[match["u"]], match["n"]
    sign = -1 if match["w"] in ("未来", "接下来", "今后", "往后") else 1
    if number == "半":
        halves = {Unit.YEAR: (Unit.MONTH, 6), Unit.MONTH: (Unit.DAY, 15), Unit.DAY: (Unit.HOUR, 12)}
        if unit not in halves:
            return None
        unit, count = halves[unit]
    else:
        count = FEW_TO if number in ("几", "好几") else number_of(number)
    narrow = fixed(lambda now: lately(unit, sign * count, now))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=number in ("几", "好几"))


def just_before(match: re.Match[str]) -> Marks:
    """Read 前几天, 前两天 as days before today."""
    unit = UNITS[match["u"]]
    few = match["n"] in ("几", "些")
    count = (_JUST_BEFORE_DAYS if unit is Unit.DAY else FEW_TO) if few else number_of(match["n"])

    def make(now: datetime) -> Interval:
        today = day(now).start
        return Interval(shifted(today, unit, -count), today)

    return Mark(rank=UNIT_RANK[unit], narrow=fixed(make), vague=True)


def hour(match: re.Match[str]) -> Marks:
    """Read 三点, 3点半."""
    number = number_of(match["h"])
    return Mark(rank=Rank.HOUR, narrow=hour_of_day(number), never_alone=True) if number <= 24 else None


def part_named(match: re.Match[str]) -> Marks:
    """Read 下午, 晚上."""
    return Mark(rank=Rank.PART, narrow=part_of_day(*PARTS[match["p"]]), never_alone=True)


def holiday(of_year: Callable[[int], Interval], match: re.Match[str]) -> Marks:
    """Read 春节, 上个国庆; the year of 今年中秋 is a mark of its own."""
    step = match["w"]
    return Mark(rank=Rank.DAY, narrow=recurring(of_year, _step(step)), bare=step is None)


_ONES, _TEN = "[一二三四五六七八九]", "[一二三四五六七八九十]"
_MONTH = rf"(?P<m>1[0-2]|0?[1-9]|十[一二]?|{_ONES})月"
_NOT_A_MONTH = r"(?![饼球亮薪光台租兔嫂供食息龄季大经路街城]|子里|革命|票|老|下|一次|两次|是(?!不是))"
# 7月15人参加: things are counted, no day is named.
_COUNTED = (
    r"[人名位本张件条只台次块元万千百亿箱场部集页斤克吨米里趟顿杯瓶碗份套层遍轮票笔单%％.,，]\d?"
    r"|公斤|公里|分钟|小时|家(?!里|中|聚|庭)|天(?!气)"
)
_DAY = rf"[12]\d|3[01]|0?[1-9]|二十{_ONES}|十{_ONES}|三十一|三十|二十|十|{_ONES}"
_LUNAR_DAY = rf"(?P<ld>初{_TEN}|二?十{_ONES}|[二三]?十|廿{_ONES}?)"
# 周三个人 is read as 周 and 三个人, not as Wednesday.
_WEEKDAY = r"(?:[一二三四五六日天](?![个次位家条本杯件名点])|[1-7](?![\d个天次位点]))"
# A season without a year is a time only next to a past event or a plan.
_HAPPENED = r"(?=[^？?。]{0,120}?(?:了|过|时候|期间|打算|计划|准备))"
_COUNT = rf"(?:\d{{1,3}}|二?十{_ONES}?|[二三四五六七八九]十{_ONES}?|[一二两三四五六七八九])"
_AWAY = r"(?P<w>之前|以前|之后|以后|过后|前|后)(?![妈爸面任台])"
_SINCE = r"(?:以来|来|里|内|之内|间)?"
# 18号出发: not after a street, a building or a letter, and not a bus line or a model.
_OPEN_DAY = (
    r"(?:^|(?<=[，,。！？!?；;：:、\s（(我你他她们咱就那是到等改从的了]))"
    r"(?=(?:\d{1,2}|[一二三]?十[一二三四五六七八九]?)号(?![电汽人球种病床位展院选区公仓库商船信暗菜岛坑别文]))"
)
_NO_NUMBER = r"(?![楼线店门球院厅馆机子码房台车路桌床称令]|选手)"


def marks_in(text: str) -> list[Mark]:
    """Return the marks of a text normalized by `plain`, in order and without overlaps."""
    return marks_found(text, LEXICONS) if _ANY.search(text) else []


def _day_a_year_ago(_match: re.Match[str]) -> Marks:
    return Mark(rank=Rank.DAY, narrow=fixed(lambda now: day(shifted(now, Unit.YEAR, -1))))


def _lexeme(pattern: str, maker: Callable[[re.Match[str]], Marks]) -> Lexeme:
    return re.compile(pattern), maker


# Quick check: most texts name no time.
_ANY = re.compile(
    r"[\d年月周期拜日号天节夜旦晚早晨午点季旬春夏秋冬暑寒前后近过去才双]|圣诞|清明|端午|七夕|中秋|重阳|腊八|国庆|"
    r"[五六十]一|除夕|元宵|这一?[段阵些]"
)
# Longer expressions come first, because matched text is not matched again.
LEXICONS: tuple[Lexicon, ...] = (
    lexicon(
        r"\d",
        _lexeme(r"(?<![\d.])(?P<c>(?:19|20)\d\d)[-/.](?P<b>\d{1,2})[-/.](?P<a>\d{1,2})(?!\d)", iso_day),
        _lexeme(r"(?<![\d-])(?P<c>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![-/.\d])", iso_month),
        _lexeme(r"(?<!\d)(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<c>(?:19|20)\d\d)(?!\d)", fixed_day),
    ),
    lexicon(
        r"历|正月|腊月|月初",
        _lexeme(rf"(?:农历|阴历|旧历)(?P<lm>正|冬|腊|十[一二]?|{_ONES})月{_LUNAR_DAY}", lunar),
        _lexeme(rf"(?P<lm>正|腊)月{_LUNAR_DAY}", lunar),
        _lexeme(rf"(?P<lm>十[一二]?|{_ONES})月(?P<ld>初{_TEN})(?![个次天周])", lunar),
    ),
    lexicon(
        r"年",
        _lexeme(r"(?:上世纪|(?:二十|20)世纪)?(?P<y>(?:19|20)?\d0|[二三四五六七八九]十)年代", decade),
        _lexeme(
            r"去年的?(?:今天|今日)",
            _day_a_year_ago,
        ),
        _lexeme(r"去年的?(?:这个时候|这时候|此时|同期)", vague(a_year_ago)),
        _lexeme(rf"(?P<w>{any_of(YEARS)})", counted(Unit.YEAR, YEARS)),
        _lexeme(r"(?<![\d前])(?P<y>(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3})年(?![代级轻])", year_named),
        _lexeme(rf"(?<!\d)(?P<y>\d\d)年(?=(?:1[0-2]|0?[1-9]|十[一二]?|{_ONES})月|的?[春夏秋冬]|[初底末])", year_named),
    ),
    lexicon(
        r"[节夜旦]|圣诞|春节|过大?年|跨年|三十|清明|端午|七夕|中秋|重阳|腊八|国庆|[五六十]一|双1|除夕|元宵|初[一二三]",
        *(
            _lexeme(rf"(?:(?P<w>这个|上个|下个)的?)?(?<![{SURNAMES}])(?:{words})", partial(holiday, of_year))
            for words, of_year in CHINESE
        ),
    ),
    lexicon(
        r"月",
        _lexeme(
            rf"(?<![\d个]){_MONTH}(?P<d>{_DAY})[日号]?(?:到|至|-|~|—)(?P<d2>{_DAY})[日号]{_NO_NUMBER}",
            dated_days,
        ),
        _lexeme(rf"(?<![\d个]){_MONTH}(?P<d>{_DAY})(?:[日号]|(?<=\d)(?![\d年月个点岁]|{_COUNTED}))", dated),
        _lexeme(rf"(?<![\d个第]){_MONTH}份?{_NOT_A_MONTH}", month),
        _lexeme(r"(?P<w>上上|下下|上|下|这|本|当)(?:个|一)?月(?![球亮饼经台])", counted(Unit.MONTH, STEPS)),
    ),
    lexicon(
        r"[周期拜]",
        _lexeme(rf"{STEP}(?:(?P<e>周末)|{WEEK}(?:(?P<d>{_WEEKDAY})|(?![年围边到岁遭])))", relative_week),
        _lexeme(rf"(?P<o>第[一二三四五]个?|最后一?个?){WEEK}(?![一二三四五六日天末])", week_of_month),
        _lexeme(r"(?P<o>第[一二三四五]个?|最后一?个?)?周末(?!愉快)", bare_weekend),
        _lexeme(rf"(?P<o>第[一二三四五]个?|最后一?个?)?{WEEK}(?P<d>{_WEEKDAY})(?![年围边岁])", bare_weekday),
    ),
    lexicon(
        r"[天日儿晚夜早晨]",
        _lexeme(rf"(?P<w>{any_of(DAYS)})(?!性)", counted(Unit.DAY, DAYS)),
        _lexeme(r"(?:(?P<r>[昨今明])(?P<p>[晚夜早晨])|(?P<r2>前)(?P<p2>晚))上?(?![期点报年睡起餐饭])", short_day),
    ),
    lexicon(
        r"季度|q",
        _lexeme(r"(?P<w>上|这|本|下)(?:个|一)?季度", counted(Unit.QUARTER, STEPS)),
        _lexeme(r"第?(?P<q>[一二三四1-4])季度", quarter),
        _lexeme(r"(?<![a-z0-9])q(?P<q>[1-4])(?![a-z0-9])", quarter),
    ),
    lexicon(
        r"[春夏秋冬暑寒]",
        _lexeme(r"(?P<w>这个|上个|下个|今)(?P<s>[春夏秋冬])[天季日]?", named_season),
        _lexeme(r"(?<=年)的?(?P<s>[春夏秋冬])[天季日]?", named_season),
        _lexeme(rf"(?P<s>[春夏秋冬])[天季]{_HAPPENED}", named_season),
        _lexeme(r"(?P<w>这个|上个|下个|今)(?P<s>[暑寒])假", named_season),
        _lexeme(r"(?<=年)的?(?P<s>[暑寒])假", named_season),
        _lexeme(rf"(?P<s>[暑寒])假{_HAPPENED}", named_season),
    ),
    lexicon(
        r"[年月旬]",
        _lexeme(r"(?P<e>上半|下半)年", edge_named(Unit.YEAR)),
        _lexeme(r"(?P<e>上半|下半)个?月", edge_named(Unit.MONTH)),
        _lexeme(r"年(?P<e>初|底|末|尾)", edge_named(Unit.YEAR)),
        _lexeme(r"(?<=年)年(?P<e>中)(?![国秋心学])", edge_named(Unit.YEAR, never_alone=True)),
        _lexeme(r"(?<=年)(?P<e>初|底|末)", edge_named(Unit.YEAR, never_alone=True)),
        _lexeme(r"(?<![初])月(?P<e>初|底|末)", edge_named(Unit.MONTH)),
        _lexeme(r"(?<=[月份])的?(?P<e>初|底|末|上旬|中旬|下旬)", edge_named(Unit.MONTH, never_alone=True)),
        _lexeme(r"(?P<e>上旬|中旬|下旬)", edge_named(Unit.MONTH)),
    ),
    lexicon(
        r"[前后近过这未接今往]",
        _lexeme(rf"半个?(?P<u>年|月|小时|钟头){_AWAY}", half_distance),
        _lexeme(
            rf"(?<![第每\d])(?P<n>{_COUNT}|好?几)(?P<n2>(?<=[一两二三四五六七八九]){_TEN})?[多来]?个?(?P<half>半)?{UNIT}"
            rf"(?P<half2>半)?{_AWAY}",
            distance,
        ),
        _lexeme(
            rf"(?P<w>最近|(?<!附)近|过去|这(?!一)|未来|接下来|今后|往后)的?(?P<n>{_COUNT}|好?几|半)个?{UNIT}{_SINCE}",
            window,
        ),
        _lexeme(
            r"(?<![之以目节庆日号年月周秋午夕明旦诞末春夏冬天阳礼婚试赛业孕院术职考])前(?P<n>[几些两])个?(?P<u>天|周|星期|(?<=个)月|年)",
            just_before,
        ),
        _lexeme(r"前一?(?:阵子|阵|段时间|段日子)|前些(?:日子|时候)", vague(since_days(-60, 0))),
        _lexeme(
            r"最近一段时间|最近(?!的(?![一几])|一次|一回|几次)|近来|近期|近日|这一?(?:段|阵)(?:时间|子|日子)|这些(?:天|日子)",
            vague(since_days(-30, 1)),
        ),
    ),
    lexicon(
        r"才",
        _lexeme(r"刚才|方才", vague(last_hour)),
    ),
    lexicon(
        r"[晨早上午晚夜点日号间]",
        _lexeme(rf"(?P<p>{'|'.join(PARTS)})(?!好)", part_named),
        _lexeme(rf"(?P<h>\d{{1,2}}|二?十{_ONES}?|{_ONES}|两)点(?:半|钟|\d{{1,2}}分?)?(?![心头名评赞击菜餐事])", hour),
        _lexeme(
            rf"(?P<there>[在于]\s*)?(?P<alone>{_OPEN_DAY})?(?P<d>{_DAY})[日号](?P<that>这天|那天|当天)?{_NO_NUMBER}",
            number_of_day,
        ),
    ),
)
