"""Test URIs, ids and time spans: stable, and equal only for equal input."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.errors import InvalidUriError
from schema.ids import (
    UriKind,
    agent_uri,
    char_uri,
    content_hash,
    entity_uri,
    fact_uri,
    memory_id,
    message_uri,
    name_key,
    parse_uri,
    scene_uri,
    scope_token,
    session_uri,
    to_element_id,
    user_uri,
)
from schema.timespan import Timespan, as_utc, day_token, iso, millis, moment_of

WORDS = st.text(min_size=1, max_size=20)
MOMENTS = st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)).map(as_utc)


def test_ids_are_stable_across_processes_and_releases() -> None:
    """Every stored id depends on these; a change requires a migration of all data."""
    message = message_uri(session_uri("default", "alice", "s1"), "m1")
    assert message == "memory://default/session/alice/s1/timeline/m1"
    assert memory_id(message) == "66805c34-50fd-55ec-8726-ec0703f627e3"


@given(WORDS, WORDS, WORDS, WORDS)
def test_different_names_have_different_uris(a: str, b: str, c: str, d: str) -> None:
    assert ((a, b) == (c, d)) == (user_uri(a, b) == user_uri(c, d))
    assert ((a, b) == (c, d)) == (scope_token(a, b) == scope_token(c, d) and content_hash(a, b) == content_hash(c, d))


@given(WORDS, WORDS, WORDS, WORDS)
def test_normalising_keeps_every_uri_that_is_made_here(a: str, b: str, c: str, d: str) -> None:
    subject = entity_uri(a, b, c)
    for uri in (message_uri(session_uri(a, b, c), d), subject, fact_uri(subject, "PREFERS", d, "id", 0)):
        assert parse_uri(uri).base == uri
        assert to_element_id(f"{uri}#L0") == memory_id(uri)


@given(WORDS, WORDS, WORDS)
def test_parts_of_every_uri_that_is_made_here_can_be_read(tenant: str, user: str, key: str) -> None:
    session, owner = session_uri(tenant, user, key), user_uri(tenant, user)
    made = {
        UriKind.USER: owner,
        UriKind.AGENT: agent_uri(tenant, user, key),
        UriKind.ENTITY: entity_uri(tenant, user, key),
        UriKind.SESSION: session,
        UriKind.MESSAGE: message_uri(session, key),
        UriKind.SCENE: scene_uri(session, key),
    }
    for kind, uri in made.items():
        named = parse_uri(f"{uri}#L2")
        assert (named.kind, named.tenant, named.user_id, named.layer) == (kind, tenant, user, "L2")
        assert named.key == (user if kind is UriKind.USER else key)
    fact = fact_uri(made[UriKind.AGENT], "PREFERS", key, memory_id(session), 1)
    assert (parse_uri(fact).kind, parse_uri(fact).element_id) == (UriKind.FACT, memory_id(fact))
    in_profile = f"{owner}/profile/work/{memory_id(fact)}"
    assert (parse_uri(in_profile).kind, to_element_id(in_profile)) == (UriKind.FACT, memory_id(fact))
    assert parse_uri(char_uri(made[UriKind.MESSAGE], 3, 9)).chars == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        *("", "王芳", "memory://", "memory://default", "memory://default/user", "memory://default/user//x"),
        *("http://default/user/a", "memory://default/users/a", "memory://default/user/a/b"),
        *("memory://default/session/a", "memory://default/session/a/b/timeline", "memory://default/user/a#L3"),
        *("memory://default/user/a#", "memory://default/user/a#char=0,4", "memory://default/user/a/timeline/2026-13"),
        *("memory://t/session/a/b/timeline/m#char=4,4", "memory://t/session/a/b/timeline/m#char=4"),
    ],
)
def test_text_that_is_no_uri_of_an_element_is_refused(text: str) -> None:
    with pytest.raises(InvalidUriError):
        parse_uri(text)


@pytest.mark.parametrize(
    "written",
    [
        "memory://default/user/王 芳",
        "Memory://default/user/%e7%8e%8b%20%E8%8A%B3/",
        "memory://d%65fault/user/王%20芳",
    ],
)
def test_spellings_of_a_uri_name_the_same_element(written: str) -> None:
    assert parse_uri(written).base == user_uri("default", "王 芳")
    assert to_element_id(f"{written}#L1") == memory_id(user_uri("default", "王 芳"))


def test_name_key_unifies_width_and_case() -> None:
    assert entity_uri("t", "u", name_key("Ｃｏｆｆｅｅ  Bar")) == entity_uri("t", "u", name_key("coffee bar"))
    assert name_key("咖啡") == "咖啡"


@given(MOMENTS)
def test_adjacent_timespans_have_no_gap_or_overlap(cut: datetime) -> None:
    before, after = Timespan(end=cut), Timespan(start=cut)
    assert after.contains(cut)
    assert not before.contains(cut)


@given(MOMENTS)
def test_milliseconds_are_rounded_down(moment: datetime) -> None:
    assert timedelta(0) <= moment - moment_of(millis(moment)) < timedelta(milliseconds=1)


def test_timespan_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="must not end before it starts"):
        Timespan(start=datetime(2026, 1, 2, tzinfo=UTC), end=datetime(2026, 1, 1, tzinfo=UTC))


def test_iso_writes_utc() -> None:
    late = datetime(2026, 1, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert iso(late) == "2026-01-02T04:30:00Z"
    assert day_token(late) == "20260102"
