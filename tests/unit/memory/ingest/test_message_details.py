"""Test importance, time zone and event time of messages."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.ingest.validation import RememberRequest, check_request
from schema.errors import InputError
from schema.ids import TenantId
from schema.message import Message
from schema.zones import zone_name_of, zone_named
from tests.support.builders import NOON, a_message


def stored_message(text: str = "I love jasmine tea.", **more: object) -> Message:
    """Return the message as it is stored."""
    incoming = RememberRequest(user_id="alice", session_id="s1", messages=(a_message(text, **more),))
    return check_request(TenantId("t"), incoming, now=NOON + timedelta(days=400)).episode.messages[0]


def test_time_zone_is_stored_beside_the_utc_time() -> None:
    message = stored_message(time=datetime(2026, 3, 2, 0, 30, tzinfo=timezone(timedelta(hours=8))))
    assert message.said_at == datetime(2026, 3, 1, 16, 30, tzinfo=UTC)
    assert (message.zone, message.said_local.day) == ("+08:00", 2)


def test_named_zone_has_priority_over_the_offset() -> None:
    message = stored_message(time=datetime(2026, 7, 1, 3, 30, tzinfo=UTC), zone="America/New_York")
    assert (message.said_local.day, message.said_local.hour) == (30, 23)


def test_days_without_a_zone_are_those_of_utc() -> None:
    message = stored_message()
    assert (message.zone, message.said_local) == (None, message.said_at)


@given(st.integers(-14 * 60, 14 * 60))
def test_every_utc_offset_round_trips(minutes: int) -> None:
    moment = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(minutes=minutes)))
    name = zone_name_of(moment)
    zone = zone_named(name) if name else UTC
    assert zone is not None
    assert moment.astimezone(zone).utcoffset() == timedelta(minutes=minutes)


@pytest.mark.parametrize("name", ["Mars/Base", "+25:00", "+08:99", "../etc/passwd", "", "Asia/Shanghai\n", "八"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="zone"):
        stored_message(zone=name or " ")


@pytest.mark.parametrize(
    ("text", "importance"),
    [("Thanks!", 3), ("好的，谢谢", 3), ("I am allergic to peanuts.", 5), ("我对花生过敏。", 5)],
)
def test_small_talk_is_less_important_than_statements(text: str, importance: int) -> None:
    assert stored_message(text).importance == importance
    assert stored_message(text, importance=9).importance == 9


def test_event_time_is_stored_as_given() -> None:
    start, end = NOON - timedelta(days=30), NOON - timedelta(days=29)
    assert stored_message(mentioned_start=start, mentioned_end=end).mentioned_end == end
    alone = stored_message(mentioned_start=start)
    assert (alone.mentioned_start, alone.mentioned_end) == (start, start)


def test_every_error_in_the_details_is_reported_at_once() -> None:
    with pytest.raises(InputError) as refused:
        stored_message(importance=11, zone="Nowhere", mentioned_start=datetime(1, 1, 1, tzinfo=UTC))
    assert len(refused.value.problems) == 3
    with pytest.raises(InputError, match="swap the two"):
        stored_message(mentioned_start=NOON, mentioned_end=NOON - timedelta(days=1))
