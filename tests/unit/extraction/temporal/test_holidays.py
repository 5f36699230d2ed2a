"""Test dates of Chinese holidays against almanacs."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.temporal.holidays import YEAR_FIRST, YEAR_LAST, clear_and_bright, holidays, lunar_day, new_year

YEARS = st.integers(min_value=YEAR_FIRST, max_value=YEAR_LAST)


@pytest.mark.parametrize(
    ("year", "month", "day", "expected"),
    [
        (1949, 1, 1, date(1949, 1, 29)),
        (1985, 1, 1, date(1985, 2, 20)),
        (2000, 1, 1, date(2000, 2, 5)),
        # The year 2020 had a leap fourth month, 2023 a leap second one, 2025 a leap sixth one.
        (2020, 8, 15, date(2020, 10, 1)),
        (2023, 5, 5, date(2023, 6, 22)),
        (2023, 8, 15, date(2023, 9, 29)),
        (2024, 1, 15, date(2024, 2, 24)),
        (2024, 7, 7, date(2024, 8, 10)),
        (2025, 1, 1, date(2025, 1, 29)),
        (2025, 9, 9, date(2025, 10, 29)),
        (2026, 1, 1, date(2026, 2, 17)),
        (2033, 1, 1, date(2033, 1, 31)),
        (2099, 1, 1, date(2099, 1, 21)),
    ],
)
def test_day_of_the_chinese_calendar_has_its_gregorian_date(year: int, month: int, day: int, expected: date) -> None:
    assert expected == lunar_day(year, month, day)


@given(YEARS)
def test_chinese_new_year_is_in_january_or_february(year: int) -> None:
    assert date(year, 1, 21) <= new_year(year) <= date(year, 2, 21)


@given(st.integers(min_value=YEAR_FIRST, max_value=YEAR_LAST - 1))
def test_chinese_year_has_twelve_or_thirteen_months(year: int) -> None:
    assert (new_year(year + 1) - new_year(year)).days in {353, 354, 355, 383, 384, 385}


@pytest.mark.parametrize(("year", "day"), [(1976, 4), (1999, 5), (2000, 4), (2023, 5), (2024, 4), (2027, 5), (2088, 4)])
def test_qingming_has_its_almanac_date(year: int, day: int) -> None:
    assert date(year, 4, day) == clear_and_bright(year)


@pytest.mark.parametrize("year", [1900, 2100])
def test_years_outside_the_table_are_refused(year: int) -> None:
    for ask in (new_year, clear_and_bright):
        with pytest.raises(ValueError, match=str(year)):
            ask(year)


@given(YEARS)
def test_every_holiday_is_in_its_year_or_next_to_it(year: int) -> None:
    for _, of_year in (*holidays("english"), *holidays("chinese")):
        made = of_year(year) if year > YEAR_FIRST else of_year(year + 1)
        assert year - 1 <= made.start.year <= year + 1
        assert made.start < made.end
