"""Test the in-process short-term window: order, bounds, keys, deletion."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.sessions.redis_window import _list_key
from graph_service.memory.sessions.short_term_window import (
    TEXT_CHARS_MAX,
    ShortTermWindow,
    Source,
    Turn,
    merged,
    turn_from_json,
)
from schema.ids import SessionId, TenantId, UserId
from tests.support.turns import a_session_key, a_turn

_NAMES = st.text(alphabet=st.sampled_from("a:/%{}*?2张 "), min_size=1, max_size=6)
_TURNS = st.lists(st.builds(a_turn, st.integers(0, 30), position=st.integers(0, 3)), max_size=40)


@given(_TURNS, st.randoms(use_true_random=False), st.integers(1, 10))
async def test_window_is_the_same_in_any_order_of_arrival(turns: list[Turn], random, turns_max: int) -> None:  # type: ignore[no-untyped-def]
    expected = merged(turns, turns_max=turns_max)
    shuffled = random.sample(turns, len(turns))
    ring = ShortTermWindow(turns_max=turns_max)
    for turn in shuffled + shuffled[::2]:
        ring.add(a_session_key(), [turn])
    assert [turn.order for turn in expected] == [turn.order for turn in (await ring.turns(a_session_key())).turns]
    assert len({turn.id for turn in expected}) == len(expected) <= turns_max


@given(_NAMES, _NAMES, _NAMES, _NAMES, _NAMES, _NAMES)
def test_different_sessions_have_different_keys(a: str, b: str, c: str, d: str, e: str, f: str) -> None:
    one, other = a_session_key(tenant=a, user=b, session=c), a_session_key(tenant=d, user=e, session=f)
    assert (one == other) == (_list_key(one) == _list_key(other))


def test_session_name_cannot_reach_another_users_window() -> None:
    assert _list_key(a_session_key(user="a", session="b/c")) != _list_key(a_session_key(user="a/b", session="c"))
    assert _list_key(a_session_key(tenant="a", user="b")) != _list_key(a_session_key(tenant="a/user/b", user="b"))


@given(st.text(max_size=50), st.none() | st.text(max_size=10), st.integers(-(2**46), 2**46))
def test_turn_round_trips_through_json(text: str, speaker: str | None, said_ms: int) -> None:
    turn = a_turn(text=text, speaker=speaker, said_ms=said_ms)
    assert turn == turn_from_json(orjson.dumps(turn))


def test_invalid_turn_is_not_parsed() -> None:
    good = orjson.dumps(a_turn())
    for text in (b"", b"null", b"[]", b"{}", b"\xff", b"[" * 5000, good[:-1], good.replace(b'"user"', b'"robot"')):
        assert turn_from_json(text) is None


async def test_tenant_and_user_see_only_their_own_turns() -> None:
    window = ShortTermWindow(turns_max=5)
    window.add(a_session_key(tenant="one"), [a_turn(1)])
    window.add(a_session_key(tenant="two"), [a_turn(2)])
    window.add(a_session_key(tenant="one", user="bob"), [a_turn(3)])
    assert [turn.said_ms for turn in (await window.turns(a_session_key(tenant="one"))).turns] == [1]
    assert (await window.turns(a_session_key(tenant="three"))).turns == ()


async def test_forgetting_deletes_messages_sessions_or_users() -> None:
    window = ShortTermWindow(turns_max=5)
    tenant, alice = TenantId("t"), UserId("alice")
    for session in ("s1", "s2"):
        window.add(a_session_key(tenant="t", session=session), [a_turn(n, id=f"{session}-{n}") for n in (1, 2)])
    window.add(a_session_key(tenant="t", user="bob"), [a_turn(9)])
    assert await window.forget(tenant, alice, message_ids=["s1-1", "s2-2", "unknown"])
    assert [turn.id for turn in (await window.turns(a_session_key(tenant="t", session="s1"))).turns] == ["s1-2"]
    await window.forget(tenant, alice, session_id=SessionId("s1"))
    assert (await window.turns(a_session_key(tenant="t", session="s1"))).turns == ()
    assert len((await window.turns(a_session_key(tenant="t", session="s2"))).turns) == 1
    await window.forget(tenant, alice)
    assert (await window.turns(a_session_key(tenant="t", session="s2"))).turns == ()
    assert (await window.turns(a_session_key(tenant="t", user="bob"))).sources == (Source.PROCESS,)


async def test_least_recently_used_session_is_evicted_first() -> None:
    ring = ShortTermWindow(turns_max=5, sessions_max=2)
    ring.add(a_session_key(session="a"), [a_turn()])
    ring.add(a_session_key(session="b"), [a_turn()])
    await ring.turns(a_session_key(session="a"))
    ring.add(a_session_key(session="c"), [a_turn()])
    assert (await ring.turns(a_session_key(session="b"))).turns == ()
    assert ring.sessions_n == 2 == len([s for s in "ac" if (await ring.turns(a_session_key(session=s))).turns])


async def test_window_stays_within_its_bytes_and_is_zero_when_empty() -> None:
    ring = ShortTermWindow(turns_max=5, bytes_max=50_000)
    for number in range(100):
        ring.add(a_session_key(session=f"s{number}"), [a_turn(number, text="好" * 1_000)])
    assert 10 < ring.sessions_n < 40
    assert ring.size_bytes <= 50_000
    for number in range(100):
        await ring.forget(TenantId("t"), UserId("alice"), session_id=SessionId(f"s{number}"))
    assert (ring.sessions_n, ring.size_bytes) == (0, 0)


def test_long_text_is_truncated_and_marked() -> None:
    turn = a_turn(text="长" * (TEXT_CHARS_MAX + 1), through_message=True)
    assert (len(turn.text), turn.truncated) == (TEXT_CHARS_MAX, True)
