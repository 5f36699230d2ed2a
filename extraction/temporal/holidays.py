"""Dates of holidays and of the Chinese calendar by year. Pure."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Final

from extraction.temporal.intervals import DAY, Interval, day, days, months
from extraction.text.toml_files import toml_of

# Chinese calendar, 1901 to 2099

YEAR_FIRST, YEAR_LAST = 1901, 2099
_NEW_YEAR_1901 = date(1901, 2, 19)

_TABLES: Final = toml_of("extraction.temporal", "holidays.toml")
_YEARS: Final[list[str]] = _TABLES["years"].split()


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


def _days_after(first: Callable[[int], date], later: int = 0, count: int = 1) -> OfYear:
    """Return a function from year to `count` days, which begin `later` days after that of `first`."""

    def make(year: int) -> Interval:
        begin = first(year) + timedelta(days=later)
        return days(begin, begin + timedelta(days=count))

    return make


def _nth(month: int, weekday: int, nth: int, later: int = 0) -> OfYear:
    """Return a function from year to the nth weekday of a month (negative: from the end) plus `later` days."""

    def make(year: int) -> Interval:
        whole = months(year, month)
        first = whole.start if nth > 0 else whole.end - 7 * DAY
        found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1 if nth > 0 else nth + 1))
        return day(found + timedelta(days=later))

    return make


def lunar_date(month: int, number: int) -> OfYear:
    """Return a function from Gregorian year to a day of the Chinese calendar."""
    # The twelfth month lies in the next Gregorian year.
    return _days_after(lambda year: lunar_day(year - 1 if month > 11 else year, month, number))


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


_MAKERS: Final[Mapping[str, Callable[..., OfYear]]] = {
    "day": lambda month, number, count=1: _days_after(lambda year: date(year, month, number), 0, count),
    "weekday": _nth,
    "lunar": lunar_date,
    "easter": partial(_days_after, _easter),
    "new_year": partial(_days_after, new_year),
    "qingming": partial(_days_after, clear_and_bright),
}


def holidays(language: str) -> tuple[tuple[str, OfYear], ...]:
    """Return the holidays that `holidays.toml` lists for a language: patterns for lower-case text, with their dates."""
    return tuple((words, _MAKERS[kind](*numbers)) for words, (kind, *numbers) in _TABLES.get(language, {}).items())
