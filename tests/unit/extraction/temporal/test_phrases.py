"""Test that time expressions become time spans relative to when they were said."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.temporal.phrases import _spans_in, plain, spans_in
from extraction.temporal.question_time import anchors_in, event_range, time_asked

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
        ("two fortnights ago", "2024-04-15", "2024-04-22"),
        ("two Fridays ago", "2024-05-03", "2024-05-04"),
        ("the summer before last", "2022-06-01", "2022-09-01"),
        ("we booked it for May 18-19", "2024-05-18", "2024-05-20"),
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


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("We had a team barbecue on July 22 and 15 players came.", "2023-07-22", "2023-07-23"),
        ("I scheduled submissions starting October 10 to 5 literary agents.", "2024-10-10", "2024-10-11"),
        ("10 episodes were released by September 25 and 3,000 total listens came.", "2023-09-25", "2023-09-26"),
        ("On July 22 and 25 of us met", "2023-07-22", "2023-07-23"),
        ("On July 3 and 15 new guests arrived", "2023-07-03", "2023-07-04"),
        ("On July 3 and 15 came.", "2023-07-03", "2023-07-04"),
        ("We met on July 3 to 5 pm", "2023-07-03", "2023-07-04"),
        ("In July 15 players joined us", "2023-07-01", "2023-08-01"),
        ("In July 22,000 people marched", "2023-07-01", "2023-08-01"),
        ("It rained on June 30 to 31", "2023-06-30", "2023-07-01"),
        ("We were in Rome July 3-5", "2023-07-03", "2023-07-06"),
        ("We were away from July 3 to 15 because of work", "2023-07-03", "2023-07-16"),
        ("July 3 to 5 worked for us", "2023-07-03", "2023-07-06"),
        ("7月22日和15个人吃了饭", "2023-07-22", "2023-07-23"),
        ("7月22日到15号楼开会", "2024-07-22", "2024-07-23"),
        ("7月22日至15号去了", "2023-07-22", "2023-07-23"),
        ("7月15人参加了", "2023-07-01", "2023-08-01"),
        ("7月3日到5日去了杭州", "2023-07-03", "2023-07-06"),
    ],
)
def test_numbers_after_a_date_that_count_something_are_no_dates(text: str, first: str, end: str) -> None:
    assert days_of(text)[0] == (first, end)


@pytest.mark.parametrize(
    "text", ["in 1950 BC", "公元前2023年", "in 99999999999 years", "九千九百九十九万年后", "999 decades from now"]
)
def test_times_outside_the_calendar_are_left_unread(text: str) -> None:
    assert days_of(text) == []


def test_time_that_a_change_of_the_clocks_turns_round_is_left_unread() -> None:
    said_at = datetime(2026, 3, 29, 3, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    assert spans_in("I called her 20 minutes ago", said_at) == []


_TIMES = (
    "July 22", "22 July", "June 3-5", "7月22日", "15号", "31号", "Feb 30", "2023", "5/45/2023", "二零二三年", "周五",
    "Friday", "the 31st", "last week", "三个月前", "999 years", "noon", "at 9", "正月三十", "公元前", "99",
)  # fmt: skip
_BETWEEN = (
    " and ",
    " to ",
    "-",
    " ",
    "到",
    "和",
    "至",
    ", ",
    " before ",
    " after ",
    "之前",
    "后第",
    " of ",
    " ago ",
    "以来",
    "from ",
)
_MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 30))
_ZONES = st.sampled_from(
    [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)), ZoneInfo("Europe/Berlin")]
)


@given(
    st.lists(st.one_of(st.sampled_from(_TIMES), st.sampled_from(_BETWEEN), st.text(max_size=3)), max_size=12),
    _MOMENTS,
    _ZONES,
)
def test_spans_of_any_text_lie_in_order_within_it(parts: list[str], moment: datetime, zone: tzinfo) -> None:
    text, said_at = "".join(parts), moment.replace(tzinfo=zone)
    found = _spans_in(text, said_at)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.span.start and one.span.end and one.span.start <= one.span.end for one in found)
    for asked in time_asked(text, said_at).asked:
        start, end = asked.span.start, asked.span.end
        assert start is None or end is None or start <= end
    for anchor in anchors_in(text, plain(text), []):
        event_range(anchor, text, said_at, said_at + timedelta(days=1))


def test_month_before_an_event_is_counted_in_local_days() -> None:
    question = "What did I buy a month before the wedding?"
    (anchor,) = time_asked(question, SAID_AT).anchors
    wedding = datetime(2024, 5, 15, tzinfo=ZoneInfo("Asia/Shanghai"))
    around = event_range(anchor, question, wedding, wedding + timedelta(days=1))
    assert around is not None
    assert str(around.start) == "2024-03-30 16:00:00+00:00"
