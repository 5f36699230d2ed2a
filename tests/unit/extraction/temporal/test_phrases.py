"""Test that time expressions become time spans relative to when they were said."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.temporal.phrases import spans_in

# A Wednesday.
SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)


def days_of(text: str) -> list[tuple[str, str]]:
    return [(str(item.span.start)[:10], str(item.span.end)[:10]) for item in spans_in(text, SAID_AT)]


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("I met her yesterday.", "2024-05-14", "2024-05-15"),
        ("See you the day after tomorrow", "2024-05-17", "2024-05-18"),
        ("last Friday was fun", "2024-05-10", "2024-05-11"),
        ("next Wednesday", "2024-05-22", "2024-05-23"),
        ("last week", "2024-05-06", "2024-05-13"),
        ("next month", "2024-06-01", "2024-07-01"),
        ("last year", "2023-01-01", "2024-01-01"),
        ("last weekend", "2024-05-11", "2024-05-13"),
        ("three days ago", "2024-05-12", "2024-05-13"),
        ("a couple of weeks ago", "2024-04-29", "2024-05-06"),
        ("on 5 May 2023", "2023-05-05", "2023-05-06"),
        ("on May 20th", "2024-05-20", "2024-05-21"),
        ("in March", "2024-03-01", "2024-04-01"),
        ("since 2019", "2019-01-01", "2020-01-01"),
        ("昨天我去了公园", "2024-05-14", "2024-05-15"),
        ("前天", "2024-05-13", "2024-05-14"),
        ("后天见", "2024-05-17", "2024-05-18"),
        ("上周三", "2024-05-08", "2024-05-09"),
        ("上个周末去爬山", "2024-05-11", "2024-05-13"),
        ("下个月", "2024-06-01", "2024-07-01"),
        ("去年", "2023-01-01", "2024-01-01"),
        ("前年", "2022-01-01", "2023-01-01"),
        ("三天前", "2024-05-12", "2024-05-13"),
        ("5月2日", "2024-05-02", "2024-05-03"),
        ("2023年5月2日", "2023-05-02", "2023-05-03"),
        ("去年3月", "2023-03-01", "2023-04-01"),
        ("2023年", "2023-01-01", "2024-01-01"),
        ("一个月前", "2024-04-01", "2024-05-01"),
    ],
)
def test_relative_expressions_refer_to_the_message_time(text: str, first: str, end: str) -> None:
    assert [(first, end)] == days_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "He marches on",
        "call 2023 people",
        "一天到晚",
        "版本 2023-13-45",
        "周围的人",
        "a second ago",
    ],
)
def test_words_without_a_time_give_no_span(text: str) -> None:
    assert days_of(text) == []


def test_several_expressions_keep_their_places_in_the_text() -> None:
    text = "Yesterday I slept, and last week I worked; 昨天下雨"
    assert [text[item.start : item.end] for item in spans_in(text, SAID_AT)] == ["Yesterday", "last week", "昨天"]


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2050, 1, 1)))
def test_iso_date_means_that_day(day: date) -> None:
    span = spans_in(f"on {day.isoformat()} it rained", SAID_AT)[0].span
    assert span.start is not None
    assert (day, timedelta(days=1)) == (span.start.date(), span.end - span.start if span.end else None)


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2050, 1, 1)))
def test_past_expressions_end_by_the_day_of_the_message(moment: datetime) -> None:
    said_at = moment.replace(tzinfo=UTC)
    for found in spans_in("yesterday, last Friday, last month, 三天前, 上周一, 去年", said_at):
        assert found.span.end is not None
        assert found.span.end <= said_at + timedelta(days=1)


def test_days_are_those_of_the_speakers_zone() -> None:
    """Just after midnight in Shanghai it is still the day before in UTC."""
    said_at = datetime(2024, 5, 15, 0, 30, tzinfo=timezone(timedelta(hours=8)))
    span = spans_in("今天", said_at)[0].span
    assert datetime(2024, 5, 14, 16, tzinfo=UTC) == span.start
