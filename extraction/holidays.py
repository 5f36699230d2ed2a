"""The days that people name instead of dates, in a given year. Pure."""

from collections.abc import Callable
from datetime import date, timedelta

from extraction.lunar_calendar import clear_and_bright, lunar_day, new_year
from extraction.stretches import DAY, Stretch, day, days, months

OfYear = Callable[[int], Stretch]
_MON, _THU, _SUN = 0, 3, 6


def _on(month: int, number: int, count: int = 1) -> OfYear:
    def make(year: int) -> Stretch:
        first = date(year, month, number)
        return days(first, first + timedelta(days=count))

    return make


def _nth(month: int, weekday: int, nth: int, later: int = 0) -> OfYear:
    """The nth weekday of a month, counted from the end when negative, and so many days later."""

    def make(year: int) -> Stretch:
        whole = months(year, month)
        first = whole.start if nth > 0 else whole.end - 7 * DAY
        found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1 if nth > 0 else nth + 1))
        return day(found + timedelta(days=later))

    return make


def _lunar(month: int, number: int, count: int = 1) -> OfYear:
    def make(year: int) -> Stretch:
        # The eleventh and twelfth months fall into the next year of ours.
        first = lunar_day(year - 1 if month > 11 else year, month, number)
        return days(first, first + timedelta(days=count))

    return make


def lunar_date(month: int, number: int) -> OfYear:
    """A day of the Chinese calendar, as it falls in a year of ours."""
    return _lunar(month, number)


def _easter(year: int) -> date:
    """Source: Meeus, Astronomical Algorithms, chapter 8 (the anonymous Gregorian rule)."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - moon - of_century % 4) % 7
    month, number = divmod(moon + weekday - 7 * ((golden + 11 * moon + 22 * weekday) // 451) + 114, 31)
    return date(year, month, number + 1)


def _from_easter(later: int) -> OfYear:
    return lambda year: day(_easter(year) + timedelta(days=later))


def _eve(year: int) -> Stretch:
    return day(new_year(year) - timedelta(days=1))


def _new_year_week(year: int) -> Stretch:
    return days(new_year(year), new_year(year) + timedelta(days=7))


_CHRISTMAS, _CHRISTMAS_EVE = _on(12, 25), _on(12, 24)
_NEW_YEAR, _NEW_YEARS_EVE = _on(1, 1), _on(12, 31)
_LANTERN, _DRAGON_BOAT, _QIXI = _lunar(1, 15), _lunar(5, 5), _lunar(7, 7)
_MID_AUTUMN, _DOUBLE_NINTH, _LABA = _lunar(8, 15), _lunar(9, 9), _lunar(12, 8)
_THANKSGIVING, _MOTHERS, _FATHERS = _nth(11, _THU, 4), _nth(5, _SUN, 2), _nth(6, _SUN, 3)
_VALENTINE, _FOOLS, _HALLOWEEN, _WOMEN = _on(2, 14), _on(4, 1), _on(10, 31), _on(3, 8)


def _qingming(year: int) -> Stretch:
    return day(clear_and_bright(year))


# The patterns are for lower-case text; longer wordings come first.
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
# Easter is known for the Gregorian calendar only; holidays of other calendars bound themselves.
