"""Days of the Chinese calendar as days of ours, 1901 to 2099. Pure."""

from datetime import date, timedelta
from functools import lru_cache

YEAR_FIRST, YEAR_LAST = 1901, 2099
_NEW_YEAR_1901 = date(1901, 2, 19)

# One word a year: bit i is set when the i-th month has 30 days instead of 29, a leap month counting like any other;
# the bits from 13 on name the month that is followed by its leap month, 0 for none.
# Source: the Hong Kong Observatory's conversion tables as borax 4.1.3 (MIT) holds them; lunar-python 1.4.8 gives the
# same first day of every month but two (2089-08, 2097-07), where the new moon falls within minutes of midnight.
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
    """The day of ours on which a day of a Chinese year falls, never one of a leap month.

    Raises:
        ValueError: the year lies outside 1901 to 2099.
    """
    leap, lengths = _months(year)
    before = month - 1 + (1 if 0 < leap < month else 0)
    return new_year(year) + timedelta(days=sum(lengths[:before]) + day - 1)


@lru_cache(maxsize=256)
def new_year(year: int) -> date:
    """The first day of a Chinese year.

    Raises:
        ValueError: the year lies outside 1901 to 2099.
    """
    _months(year)
    return _NEW_YEAR_1901 + timedelta(days=sum(sum(_months(y)[1]) for y in range(YEAR_FIRST, year)))


def clear_and_bright(year: int) -> date:
    """Qingming (清明), the day the sun stands at 15°, 4 to 6 April.

    Source: the usual formula for solar terms, right for every year from 1901 to 2099.
    """
    if not YEAR_FIRST <= year <= YEAR_LAST:
        raise ValueError(f"{year} lies outside {YEAR_FIRST} to {YEAR_LAST}")
    of_century = year % 100
    return date(year, 4, int(of_century * 0.2422 + (4.81 if year >= 2000 else 5.59)) - of_century // 4)


def _months(year: int) -> tuple[int, list[int]]:
    """Which month is followed by its leap month (0: none), and how many days each month has."""
    if not YEAR_FIRST <= year <= YEAR_LAST:
        raise ValueError(f"{year} lies outside {YEAR_FIRST} to {YEAR_LAST}")
    word = int(_YEARS[year - YEAR_FIRST], 16)
    leap = word >> 13
    return leap, [30 if word >> i & 1 else 29 for i in range(13 if leap else 12)]
