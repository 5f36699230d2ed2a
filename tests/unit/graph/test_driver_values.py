"""Datetimes reach the database and come back exactly, by our conversion or the driver's."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j._codec.hydration.bolt.v2 import temporal

from graph_service.graph import driver_values

zones = st.integers(-18 * 60, 18 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.one_of(st.just(UTC), zones))


@pytest.fixture(autouse=True)
def _installed() -> None:
    assert driver_values.install(), "the driver's conversions have moved: check whether they are faster now"


@given(moments)
def test_our_conversion_sends_what_the_driver_would_send(moment: datetime) -> None:
    assert temporal.dehydrate_datetime(moment) == temporal.dehydrate_datetime.slow(moment)


@given(moments)
def test_our_conversion_reads_what_the_driver_would_read(moment: datetime) -> None:
    sent = temporal.dehydrate_datetime(moment).fields
    read = temporal.hydrate_datetime(*sent)
    assert read == temporal.hydrate_datetime.slow(*sent).to_native() == moment
    assert read.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize("fields", [(5, 1, 0), (253_402_300_799, 0, 0), (5, 0, "Asia/Shanghai"), (5, 0, None)])
def test_unsupported_datetimes_are_left_to_the_driver(fields: tuple[object, ...]) -> None:
    assert temporal.hydrate_datetime(*fields) == temporal.hydrate_datetime.slow(*fields)


def test_install_twice_patches_the_driver_once() -> None:
    before = temporal.hydrate_datetime
    assert driver_values.install()
    assert temporal.hydrate_datetime is before
