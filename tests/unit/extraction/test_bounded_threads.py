"""Test that computations in a thread end at their deadline and on cancellation."""

import asyncio
import random
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from extraction.bounded_threads import BoundedThreads
from schema.errors import TooSlowError

MANY_S = 60.0


def spin() -> None:
    """Loop forever in Python, catching every ordinary exception."""
    while True:
        try:
            sum(range(1_000))
        except Exception:
            continue


def readers_left() -> int:
    return sum(one.name == "reading" for one in threading.enumerate())


async def until_none_is_left() -> None:
    async with asyncio.timeout(MANY_S):
        while readers_left():  # noqa: ASYNC110  another thread or process does it
            await asyncio.sleep(0.01)


async def test_work_returns_its_result() -> None:
    assert await BoundedThreads().run(lambda: sum(range(10))) == 45


async def test_work_raises_its_error() -> None:
    with pytest.raises(ZeroDivisionError):
        await BoundedThreads().run(lambda: 1 // 0)


async def test_endless_work_is_stopped_and_its_thread_ends() -> None:
    with pytest.raises(TooSlowError, match="stopped after"):
        async with asyncio.timeout(MANY_S):
            await BoundedThreads(cpu_max_s=0.3).run(spin)
    await until_none_is_left()


async def test_thread_that_waits_forever_is_abandoned_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extraction.bounded_threads._GRACE_S", 0.5)
    over = threading.Event()
    with pytest.raises(TooSlowError):
        async with asyncio.timeout(MANY_S):
            await BoundedThreads(wall_max_s=0.3).run(over.wait)
    over.set()
    await until_none_is_left()


async def test_cancelled_work_is_stopped() -> None:
    waiting = asyncio.create_task(BoundedThreads().run(spin))
    while not readers_left():  # noqa: ASYNC110  another thread or process does it
        await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until_none_is_left()


async def test_other_work_runs_while_one_thread_never_ends() -> None:
    threads = BoundedThreads(threads_max=2, cpu_max_s=2.0)
    spinning = asyncio.create_task(threads.run(spin))
    async with asyncio.timeout(MANY_S):
        assert await asyncio.gather(*(threads.run(lambda n=n: n) for n in range(20))) == list(range(20))  # type: ignore[misc]
        with pytest.raises(TooSlowError):
            await spinning


async def test_event_loop_runs_while_a_thread_computes() -> None:
    spinning = asyncio.create_task(BoundedThreads(cpu_max_s=1.0).run(spin))
    turns, started_s = 0, time.monotonic()
    while not spinning.done():
        await asyncio.sleep(0.005)
        turns += 1
    spinning.exception()
    assert turns > 5 * (time.monotonic() - started_s)


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Let threads take turns every 10 µs, so that a stop arrives at any line."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before_s)


@pytest.mark.usefixtures("frequent_switches")
async def test_cancelling_calls_at_any_moment_disturbs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system gives the ids of ended threads to new ones: a late stop must not reach them."""
    disturbed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: disturbed.append(told.exc_type))
    chance, until_s = random.Random(7), time.monotonic() + 2.0
    while time.monotonic() < until_s:
        threads, sizes = BoundedThreads(), [chance.choice((0, 1, 20, 300, 2_000)) for _ in range(4)]
        calls = [asyncio.create_task(threads.run(lambda n=n: sum(range(n)))) for n in sizes]  # type: ignore[misc]
        for _ in range(chance.randrange(4)):
            threading.Thread(target=lambda: sum(range(50))).start()
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    await until_none_is_left()
    assert disturbed == []
