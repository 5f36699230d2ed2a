"""Dates of holidays and of the Chinese calendar by year. Pure."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from extraction.temporal.intervals import DAY, Interval, day, days, months

# Chinese calendar, 1901 to 2099

YEAR_FIRST, YEAR_LAST = 1901, 2099
_NEW_YEAR_1901 = date(1901, 2, 19)

# One hexadecimal number per year: bit i is set if the i-th month (leap months included) has 30 days instead of 29;
# bits 13 and up hold the number of the month before the leap month, 0 without a leap month.
# Source: the conversion tables of the Hong Kong Observatory, from borax 4.1.3 (MIT). lunar-python 1.4.8 gives the same
# first day for all but two months (2089-08, 2097-07), where the new moon falls within minutes of midnight.
_WORDS = """
    00752 00ea5 0b64a 0064b 00a9b 09556 0056a 00b59 05752 00752 0db25 00b25 00a4b 0b4ab 002ad 0056b
    04b69 00da9 0fd92 00e92 00d25 0ba4d 00a56 002b6 095b5 006d4 00ea9 05e92 00e92 0cd26 0052b 00a57
    0b2b6 00b5a 006d4 06ec9 00749 0f693 00a93 0052b 0ca5b 00aad 0056a 09b55 00ba4 00b49 05a93 00a95
    0f52d 00536 00aad 0b5aa 005b2 00da5 07d4a 00d4a 10a95 00a97 00556 0cab5 00ad5 006d2 08ea5 00ea5
    0064a 06c97 00a9b 0f55a 0056a 00b69 0b752 00b52 00b25 0964b 00a4b 114ab 002ad 0056d 0cb69 00da9
    00d92 09d25 00d25 15a4d 00a56 002b6 0c5b5 006d5 00ea9 0be92 00e92 00d26 06a56 00a57 114d6 0035a
    006d5 0b6c9 00749 00693 0952b 0052b 00a5b 0555a 0056a 0fb55 00ba4 00b49 0ba93 00a95 0052d 08aad
    00ab5 135aa 005d2 00da5 0dd4a 00d4a 00c95 0952e 00556 00ab5 055b2 006d2 0cea5 00725 0064b 0ac97
    00cab 0055a 06ad6 00b69 17752 00b52 00b25 0da4b 00a4b 004ab 0a55b 005ad 00b6a 05b52 00d92 0fd25
    00d25 00a55 0b4ad 004b6 005b5 06daa 00ec9 11e92 00e92 00d26 0ca56 00a57 004d6 086d5 00755 00749
    06e93 00693 0f52b 0052b 00a5b 0b55a 0056a 00b65 0974a 00b4a 11a95 00a95 0052d 0caad 00ab5 005aa
    08ba5 00da5 00d4a 07c95 00c96 0f94e 00556 00ab5 0b5b2 006d2 00ea5 08e4a 0064b 10c97 004ab 0055b
    0cad6 00b6a 00752 09725 00b25 00a8b 0549b
"""
_YEARS = _WORDS.split()


def lunar_day(year: int, month: int, day: int) -> date:
    """Return the Gregorian date of a day of the Chinese calendar that is not in a leap month.

    Raises:
        ValueError: the year is not from 1901 to 2099.
    """
    leap, lengths = _months(year)
    before = month - 1 + (1 if 0 < leap < month else 0)
    return new_year(year) + timedelta(days=sum(lengths[:before]) + day - 1)


@lru_cache(maxsize=256)
def new_year(year: int) -> date:
    """Return the Gregorian date of Chinese New Year.

    Raises:
        ValueError: the year is not from 1901 to 2099.
    """
    _months(year)
    return _NEW_YEAR_1901 + timedelta(days=sum(sum(_months(y)[1]) for y in range(YEAR_FIRST, year)))


def clear_and_bright(year: int) -> date:
    """Return the date of Qingming (清明), solar longitude 15°, 4 to 6 April.

    Source: the usual formula for solar terms, exact from 1901 to 2099.
    """
    if not YEAR_FIRST <= year <= YEAR_LAST:
        raise ValueError(f"the year must be from {YEAR_FIRST} to {YEAR_LAST}, got {year}")
    of_century = year % 100
    return date(year, 4, int(of_century * 0.2422 + (4.81 if year >= 2000 else 5.59)) - of_century // 4)


def _months(year: int) -> tuple[int, list[int]]:
    """Return the number of the month before the leap month (0: none), and the length of each month in days."""
    if not YEAR_FIRST <= year <= YEAR_LAST:
        raise ValueError(f"the year must be from {YEAR_FIRST} to {YEAR_LAST}, got {year}")
    word = int(_YEARS[year - YEAR_FIRST], 16)
    leap = word >> 13
    return leap, [30 if word >> i & 1 else 29 for i in range(13 if leap else 12)]


OfYear = Callable[[int], Interval]
_MON, _THU, _SUN = 0, 3, 6


def _on(month: int, number: int, count: int = 1) -> OfYear:
    def make(year: int) -> Interval:
        first = date(year, month, number)
        return days(first, first + timedelta(days=count))

    return make


def _nth(month: int, weekday: int, nth: int, later: int = 0) -> OfYear:
    """Return a function from year to the nth weekday of a month (negative: from the end) plus `later` days."""

    def make(year: int) -> Interval:
        whole = months(year, month)
        first = whole.start if nth > 0 else whole.end - 7 * DAY
        found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1 if nth > 0 else nth + 1))
        return day(found + timedelta(days=later))

    return make


def _lunar(month: int, number: int, count: int = 1) -> OfYear:
    def make(year: int) -> Interval:
        # The twelfth month lies in the next Gregorian year.
        first = lunar_day(year - 1 if month > 11 else year, month, number)
        return days(first, first + timedelta(days=count))

    return make


def lunar_date(month: int, number: int) -> OfYear:
    """Return a function from Gregorian year to a day of the Chinese calendar."""
    return _lunar(month, number)


def _easter(year: int) -> date:
    """Return the date of Easter Sunday.

    Source: Meeus, Astronomical Algorithms, chapter 8 (the anonymous Gregorian rule).
    """
    century, of_century = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - moon - of_century % 4) % 7
    month, number = divmod(moon + weekday - 7 * ((golden + 11 * moon + 22 * weekday) // 451) + 114, 31)
    return date(year, month, number + 1)


def _from_easter(later: int) -> OfYear:
    return lambda year: day(_easter(year) + timedelta(days=later))


def _eve(year: int) -> Interval:
    return day(new_year(year) - timedelta(days=1))


def _new_year_week(year: int) -> Interval:
    return days(new_year(year), new_year(year) + timedelta(days=7))


_CHRISTMAS, _CHRISTMAS_EVE = _on(12, 25), _on(12, 24)
_NEW_YEAR, _NEW_YEARS_EVE = _on(1, 1), _on(12, 31)
_LANTERN, _DRAGON_BOAT, _QIXI = _lunar(1, 15), _lunar(5, 5), _lunar(7, 7)
_MID_AUTUMN, _DOUBLE_NINTH, _LABA = _lunar(8, 15), _lunar(9, 9), _lunar(12, 8)
_THANKSGIVING, _MOTHERS, _FATHERS = _nth(11, _THU, 4), _nth(5, _SUN, 2), _nth(6, _SUN, 3)
_VALENTINE, _FOOLS, _HALLOWEEN, _WOMEN = _on(2, 14), _on(4, 1), _on(10, 31), _on(3, 8)


def _qingming(year: int) -> Interval:
    return day(clear_and_bright(year))


# Patterns for lower-case text; longer names first.
ENGLISH: tuple[tuple[str, OfYear], ...] = (
    (r"christmas eve|xmas eve", _CHRISTMAS_EVE),
    (r"(?:chinese|lunar) new year['’]?s eve", _eve),
    (r"(?:chinese|lunar) new year|(?:the )?spring festival", _new_year_week),
    (r"new year['’]?s['’]? eve", _NEW_YEARS_EVE),
    (r"new year['’]?s['’]?(?: day)?|new year(?! resol)", _NEW_YEAR),
    (r"christmas(?: day)?|xmas", _CHRISTMAS),
    (r"boxing day", _on(12, 26)),
    (r"thanksgiving(?: day)?", _THANKSGIVING),
    (r"black friday", _nth(11, _THU, 4, later=1)),
    (r"good friday", _from_easter(-2)),
    (r"easter monday", _from_easter(1)),
    (r"easter(?: sunday| day)?", _from_easter(0)),
    (r"halloween", _HALLOWEEN),
    (r"(?:st\.? )?valentine['’]?s(?: day)?", _VALENTINE),
    (r"mother['’]?s['’]? day", _MOTHERS),
    (r"father['’]?s['’]? day", _FATHERS),
    (r"(?:women['’]?s['’]?|womens) day", _WOMEN),
    (r"(?:the )?(?:4th|fourth) of july|independence day", _on(7, 4)),
    (r"memorial day", _nth(5, _MON, -1)),
    (r"labou?r day", _nth(9, _MON, 1)),
    (r"veterans['’]? day", _on(11, 11)),
    (r"(?:mlk|martin luther king(?: jr\.?)?) day", _nth(1, _MON, 3)),
    (r"presidents['’]? day", _nth(2, _MON, 3)),
    (r"juneteenth", _on(6, 19)),
    (r"april fools['’]?(?: day)?|april fool['’]s(?: day)?", _FOOLS),
    (r"(?:st|saint)\.? patrick['’]?s(?: day)?", _on(3, 17)),
    (r"earth day", _on(4, 22)),
    (r"(?:the )?mid-?autumn(?: festival)?|(?:the )?moon festival", _MID_AUTUMN),
    (r"(?:the )?dragon boat festival", _DRAGON_BOAT),
    (r"(?:the )?lantern festival", _LANTERN),
    (r"qixi(?: festival)?", _QIXI),
    (r"(?:qingming|ching ming)(?: festival)?|tomb[- ]sweeping day", _qingming),
    (r"(?:the )?double ninth(?: festival)?", _DOUBLE_NINTH),
)
CHINESE: tuple[tuple[str, OfYear], ...] = (
    (r"平安夜|圣诞夜|圣诞前夜", _CHRISTMAS_EVE),
    (r"圣诞节?(?!老人|树|帽|卡)", _CHRISTMAS),
    (r"跨年夜?|元旦前夜", _NEW_YEARS_EVE),
    (r"元旦节?", _NEW_YEAR),
    (r"除夕夜?|年三十|大年三十|大年夜", _eve),
    (r"大年初一|年初一", _lunar(1, 1)),
    (r"大年初二|年初二", _lunar(1, 2)),
    (r"大年初三|年初三", _lunar(1, 3)),
    (r"春节|农历新年|过大?年(?!龄|级|轻)", _new_year_week),
    (r"元宵(?:节|夜|佳节)|(?<=年)元宵", _LANTERN),
    (r"清明节?(?!上河)", _qingming),
    (r"端午节?", _DRAGON_BOAT),
    (r"七夕节?", _QIXI),
    (r"中秋(?:佳?节)?", _MID_AUTUMN),
    (r"重阳节?", _DOUBLE_NINTH),
    (r"腊八节?(?!粥|蒜)", _LABA),
    (r"国庆(?:节|长假|假期|黄金周)?", _on(10, 1, 7)),
    (r"十一(?:长假|假期|黄金周)|(?<=年)十一(?![月点个岁号日天周年])", _on(10, 1, 7)),
    (r"五一(?:劳动节|长假|假期|黄金周)?(?![路街大广二三四五六七八九十班])|劳动节", _on(5, 1, 5)),
    (r"六一(?:儿童节)?(?![路街班])|儿童节", _on(6, 1)),
    (r"(?:三八)?妇女节|三八节|女神节", _WOMEN),
    (r"教师节", _on(9, 10)),
    (r"感恩节", _THANKSGIVING),
    (r"万圣[节夜]前?夜?", _HALLOWEEN),
    (r"复活节", _from_easter(0)),
    (r"愚人节", _FOOLS),
    (r"植树节", _on(3, 12)),
    (r"青年节|五四(?=青年)", _on(5, 4)),
    (r"建军节", _on(8, 1)),
    (r"情人节", _VALENTINE),
    (r"母亲节", _MOTHERS),
    (r"父亲节", _FATHERS),
    (r"双十一|双11", _on(11, 11)),
    (r"双十二|双12", _on(12, 12)),
)
