"""Test the short-term window on a real redis-server: normal use and every kind of failure."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from graph_service.circuit_breaker import FAILURES_MAX, OPEN_S
from graph_service.memory.sessions.redis_window import RedisRules, RedisTurns, RedisWindow
from graph_service.memory.sessions.short_term_window import SessionKey, Source
from schema.ids import SessionId, TenantId, UserId
from tests.support.redis_process import RedisProcess, redis_process
from tests.support.turns import a_session_key, a_turn

TENANT, ALICE = TenantId("t"), UserId("alice")
# Of requests to a Redis that answers, which a busy machine may delay; and to one that was halted, which tests wait for.
TIMEOUT_S = 30.0
HALTED_TIMEOUT_S = 0.5
# Longer than any answer takes, shorter than waiting for a request without a limit.
SOON_S = 60.0


class Clock:
    """A clock in seconds that tests advance."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(autouse=True)
def no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but a request or a turn write what is pending."""
    monkeypatch.setattr("graph_service.memory.sessions.redis_window.RETRY_S", 3_600)


@pytest_asyncio.fixture(loop_scope="session")
async def redis() -> AsyncIterator[RedisProcess]:
    """Start a redis-server for this test."""
    async with redis_process() as process:
        yield process


def a_window(url: str, *, clock: Callable[[], float] | None = None, turns_max: int = 3, **more: float) -> RedisWindow:
    """Return a window that writes to Redis on request or when a turn wakes it."""
    rules = RedisRules(**{"timeout_s": TIMEOUT_S, "turns_max": turns_max, **more})  # type: ignore[arg-type]
    return RedisWindow(redis=RedisTurns(url, rules), turns_max=turns_max, clock_s=clock or Clock())


async def _ids(window: RedisWindow, talk: SessionKey | None = None) -> list[str]:
    return [turn.id for turn in (await window.turns(talk or a_session_key())).turns]


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(60_000):
        if await holds():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it did not happen")


async def _is_empty(client: Redis) -> bool:
    return not await client.keys("mnemoscene:*")


async def _has_handed_over(window: RedisWindow) -> bool:
    return not window.state().waiting


async def test_turns_written_to_redis_are_read_by_another_process(redis: RedisProcess) -> None:
    one, other = a_window(redis.url), a_window(redis.url)
    turns = [a_turn(1, text="My sister is Anna."), a_turn(2, text="我妹妹叫李娜。", speaker="张曼婷")]
    one.add(a_session_key(), turns)
    assert await one.catch_up()
    heard = await other.turns(a_session_key())
    assert (tuple(turns), (Source.REDIS,)) == (heard.turns, heard.sources)
    assert (one.state().store, one.state().breaker, one.state().waiting) == (Source.REDIS, "closed", 0)
    await one.close()
    await other.close()


async def test_redis_list_is_trimmed_ordered_and_has_each_id_once(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    for said_ms in (5, 3, 9, 3, 7, 1):
        window.add(a_session_key(), [a_turn(said_ms)])
        assert await window.catch_up()
    assert await _ids(window) == ["m-5-0", "m-7-0", "m-9-0"]
    async with redis.client() as client:
        (key,) = await client.keys("mnemoscene:turns:*")
        assert await client.llen(key) == 3
    await window.close()


async def test_session_expires_from_redis(redis: RedisProcess) -> None:
    window = a_window(redis.url, ttl_s=100.0)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    async with redis.client() as client:
        for key in await client.keys("mnemoscene:*"):
            assert 90_000 < await client.pttl(key) <= 100_000
            await client.pexpire(key, 1)
        await _until(lambda: _is_empty(client))
    assert await _ids(window) == []
    await window.close()


async def test_tenant_sees_and_forgets_only_its_own_turns(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    for tenant in ("one", "two"):
        window.add(a_session_key(tenant=tenant), [a_turn(1, id=f"of-{tenant}")])
    assert await window.catch_up()
    assert await window.forget(TenantId("one"), ALICE)
    assert await _ids(window, a_session_key(tenant="one")) == []
    assert await _ids(window, a_session_key(tenant="two")) == ["of-two"]
    assert await _ids(window, a_session_key(tenant="three")) == []
    await window.close()


async def test_messages_sessions_and_users_are_forgotten_in_redis(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    for session in ("s1", "s2", "第三"):
        window.add(a_session_key(session=session), [a_turn(n, id=f"{session}-{n}") for n in (1, 2)])
    assert await window.catch_up()
    assert await window.forget(TENANT, ALICE, message_ids=["s1-1", "第三-2"])
    assert await _ids(window) == ["s1-2"]
    assert await _ids(window, a_session_key(session="第三")) == ["第三-1"]
    assert await window.forget(TENANT, ALICE, session_id=SessionId("s1"))
    assert await _ids(window) == []
    assert await _ids(window, a_session_key(session="s2")) == ["s2-1", "s2-2"]
    assert await window.forget(TENANT, ALICE)
    async with redis.client() as client:
        assert await client.keys("mnemoscene:*") == []
    await window.close()


async def test_killed_redis_loses_no_turn_and_adding_does_not_ask_it(redis: RedisProcess) -> None:
    clock = Clock()
    window = a_window(redis.url, clock=clock)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    redis.signal(signal.SIGKILL)
    for said_ms in (2, 3):
        window.add(a_session_key(), [a_turn(said_ms)])
    assert window.state().problem is None, "adding does not ask Redis, which would fail"
    assert not await window.catch_up()
    heard = await window.turns(a_session_key())
    assert ([turn.id for turn in heard.turns], heard.sources) == (["m-2-0", "m-3-0"], (Source.PROCESS,))
    state = window.state()
    assert (state.store, state.waiting) == (Source.PROCESS, 1)
    assert "Redis" in (state.problem or "")
    await window.close()


async def test_redis_is_used_again_after_a_probe_and_gets_missed_turns(redis: RedisProcess) -> None:
    clock = Clock()
    window = a_window(redis.url, clock=clock, turns_max=5)
    redis.signal(signal.SIGKILL)
    for said_ms in (2, 1):
        window.add(a_session_key(), [a_turn(said_ms)])
    window.add(a_session_key(session="别的"), [a_turn(7)])
    for _ in range(5):
        assert not await window.catch_up()
    assert window.state().breaker == "open"
    await redis.start()
    assert not await window.catch_up(), "the breaker is open: nothing is tried"
    clock.now_s += OPEN_S
    assert window.state().breaker == "half_open"
    # Another process has written first.
    other = a_window(redis.url, turns_max=5)
    other.add(a_session_key(), [a_turn(2), a_turn(3)])
    assert await other.catch_up()
    assert await window.catch_up()
    assert (
        window.state().store,
        window.state().breaker,
        window.state().waiting,
        window.state().problem,
    ) == (Source.REDIS, "closed", 0, None)
    assert ["m-1-0", "m-2-0", "m-3-0"] == await _ids(other) == await _ids(window)
    assert await _ids(other, a_session_key(session="别的")) == ["m-7-0"]
    await window.close()
    await other.close()


async def test_turns_forgotten_during_an_outage_are_deleted_afterwards(redis: RedisProcess) -> None:
    clock = Clock()
    window = a_window(redis.url, clock=clock, timeout_s=HALTED_TIMEOUT_S)
    window.add(a_session_key(), [a_turn(1), a_turn(2)])
    assert await window.catch_up()
    redis.signal(signal.SIGSTOP)
    assert not await window.forget(TENANT, ALICE, message_ids=["m-1-0"])
    window.add(a_session_key(), [a_turn(3)])
    redis.signal(signal.SIGCONT)
    assert "m-1-0" not in await _ids(window), "Redis still has it, but is not asked"
    assert await window.catch_up()
    assert await _ids(window) == ["m-3-0"]
    await window.close()


async def test_halted_redis_delays_one_read_by_the_timeout_and_later_ones_not_at_all(redis: RedisProcess) -> None:
    clock = Clock()
    window = a_window(redis.url, clock=clock, timeout_s=HALTED_TIMEOUT_S)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    redis.signal(signal.SIGSTOP)
    async with asyncio.timeout(SOON_S):
        for _ in range(FAILURES_MAX):
            assert window.state().breaker == "closed"
            assert await _ids(window) == []
    assert window.state().breaker == "open"
    redis.signal(signal.SIGCONT)
    assert await _ids(window) == [], "Redis would answer, but is not asked"
    clock.now_s += OPEN_S
    window.add(a_session_key(session="s2"), [a_turn(9)])
    assert await window.catch_up()
    assert (await _ids(window), await _ids(window, a_session_key(session="s2"))) == (["m-1-0"], ["m-9-0"])
    await window.close()


async def test_more_readers_than_connections_wait_for_one(redis: RedisProcess) -> None:
    window = a_window(redis.url, connections=1)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    found = await asyncio.gather(*(_ids(window) for _ in range(50)))
    assert found == [["m-1-0"]] * 50
    async with redis.client() as client:
        assert len(await client.client_list()) <= 2
    await window.close()


async def test_exhausted_pool_counts_as_unavailable_and_recovers(redis: RedisProcess) -> None:
    window = a_window(redis.url, connections=1, timeout_s=HALTED_TIMEOUT_S)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    redis.signal(signal.SIGSTOP)
    async with asyncio.timeout(SOON_S):
        found = await asyncio.gather(*(_ids(window) for _ in range(4)))
    assert found == [[]] * 4
    redis.signal(signal.SIGCONT)
    assert await _ids(window) == ["m-1-0"]
    await window.close()


async def test_wrong_password_is_reported_and_the_in_process_window_serves() -> None:
    async with redis_process("--requirepass", "open-sesame") as redis:
        for url in (redis.url, redis.url.replace("unix://", "unix://:wrong@")):
            window = a_window(url)
            await window.check()
            window.add(a_session_key(), [a_turn(1)])
            assert not await window.catch_up()
            assert await _ids(window) == ["m-1-0"]
            problem = window.state().problem or ""
            assert "REDIS_URL" in problem
            assert "wrong" not in problem
            await window.close()
        good = a_window(redis.url.replace("unix://", "unix://:open-sesame@"))
        good.add(a_session_key(), [a_turn(1)])
        assert await good.catch_up()
        await good.close()


async def test_invalid_data_in_redis_is_skipped_and_deleted(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    window.add(a_session_key(), [a_turn(1)])
    assert await window.catch_up()
    async with redis.client() as client:
        (key,) = await client.keys("mnemoscene:turns:*")
        (index,) = await client.keys("mnemoscene:talks:*")
        await client.rpush(
            key, b"\xff\x00", b"{", b"[1]", b'{"id": 7}', b'{"id":"x","said_ms":1,"position":0}', b"[" * 3000
        )
        assert await _ids(window) == ["m-1-0"]
        window.add(a_session_key(), [a_turn(2), a_turn(3)])
        assert await window.catch_up()
        assert await _ids(window) == ["m-1-0", "m-2-0", "m-3-0"]
        for wrong in (key, index):
            await client.delete(wrong)
            await client.set(wrong, "something else")
        window.add(a_session_key(), [a_turn(4)])
        assert await window.catch_up()
        assert await _ids(window) == ["m-4-0"]
    await window.close()


async def test_closing_writes_pending_turns(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    window.add(a_session_key(), [a_turn(1)])
    await window.close()
    other = a_window(redis.url)
    assert await _ids(other) == ["m-1-0"]
    await other.close()


async def test_closing_does_not_wait_for_a_halted_redis(redis: RedisProcess) -> None:
    window = a_window(redis.url, timeout_s=10 * SOON_S)
    redis.signal(signal.SIGSTOP)
    window.add(a_session_key(), [a_turn(1)])
    async with asyncio.timeout(SOON_S):
        await window.close()


async def test_turns_are_written_to_redis_in_the_background(redis: RedisProcess) -> None:
    window = a_window(redis.url)
    window.add(a_session_key(), [a_turn(1)])
    await _until(lambda: _has_handed_over(window))
    assert (await window.turns(a_session_key())).sources == (Source.REDIS,)
    await window.close()
