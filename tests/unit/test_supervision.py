"""Test that an error in a background loop is logged, counted, and the loop restarted."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from io import StringIO

import pytest

from graph_service.observability.metrics import LOOP_FAILURES, Loop
from graph_service.observability.structured_log import PlainFormatter
from graph_service.supervision import Backoff, LoopState, Supervisor
from schema.errors import UnavailableError
from schema.failure import failure_of

QUICK = Backoff(min_s=0.001, max_s=0.002, steady_s=30.0)
SAID = "Ana said: 我对花生过敏"


class PanicError(BaseException):
    """A panic of a Rust library, which is not a subclass of `Exception`."""


def a_loop(errors: list[BaseException], stop: asyncio.Event, done: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    """Return a loop that fails with each error in turn and then runs until it is stopped."""

    async def run() -> None:
        if errors:
            raise errors.pop(0)
        done()
        await stop.wait()

    return run


@pytest.mark.parametrize(
    "error",
    [
        KeyError("attempts"),
        TypeError(SAID),
        RecursionError(),
        MemoryError(),
        UnavailableError("Neo4j does not answer"),
        ExceptionGroup("tasks", [ValueError(SAID)]),
        PanicError(SAID),
        asyncio.CancelledError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_loop_is_restarted_after_any_error(error: BaseException) -> None:
    stop, running = asyncio.Event(), asyncio.Event()
    supervisor, before = Supervisor(backoff=QUICK), LOOP_FAILURES.values[(Loop.REPLAY.value,)]
    task = supervisor.start(Loop.REPLAY, a_loop([error, error], stop, running.set), stop)
    await asyncio.wait_for(running.wait(), 10)
    status = supervisor.statuses()[Loop.REPLAY]
    assert (status.failures, status.running, status.state) == (2, 1, LoopState.FAILING)
    assert LOOP_FAILURES.values[(Loop.REPLAY.value,)] == before + 2
    told = json.dumps(status.document(), ensure_ascii=False)
    assert failure_of(error).kind in told
    assert "花生" not in told
    stop.set()
    await asyncio.wait_for(task, 10)
    assert supervisor.statuses()[Loop.REPLAY].state is LoopState.ENDED


async def test_loop_that_returns_unexpectedly_is_restarted() -> None:
    stop, running = asyncio.Event(), asyncio.Event()
    supervisor, starts = Supervisor(backoff=QUICK), 0

    async def run() -> None:
        nonlocal starts
        starts += 1
        if starts == 3:
            running.set()
            await stop.wait()

    task = supervisor.start(Loop.KEYS, run, stop)
    await asyncio.wait_for(running.wait(), 10)
    last = supervisor.statuses()[Loop.KEYS].last
    assert last is not None
    assert (last.code, last.kind) == ("INTERNAL", "EndedError")
    stop.set()
    await task


async def test_cancelling_ends_a_loop_and_its_pause() -> None:
    supervisor, failed = Supervisor(backoff=Backoff(min_s=3600, max_s=3600)), asyncio.Event()

    async def fails() -> None:
        failed.set()
        raise KeyError("role")

    task = supervisor.start(Loop.LIVE_FEED, fails)
    await asyncio.wait_for(failed.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)


async def test_stop_ends_a_pause_at_once() -> None:
    supervisor, stop = Supervisor(backoff=Backoff(min_s=3600, max_s=3600)), asyncio.Event()

    async def fails() -> None:
        stop.set()
        raise KeyError("role")

    await asyncio.wait_for(supervisor.keep(Loop.ACCESS, fails, stop), 10)


async def test_loop_that_runs_long_enough_has_recovered() -> None:
    now_s, stop, running = 0.0, asyncio.Event(), asyncio.Event()
    supervisor = Supervisor(backoff=QUICK, clock_s=lambda: now_s)
    task = supervisor.start(Loop.SNAPSHOTS, a_loop([KeyError("x")], stop, running.set), stop)
    await asyncio.wait_for(running.wait(), 10)
    assert supervisor.failing() == [Loop.SNAPSHOTS]
    now_s = 31.0
    assert supervisor.failing() == []
    assert supervisor.statuses()[Loop.SNAPSHOTS].failures == 1
    stop.set()
    await task


async def test_one_failing_loop_of_many_is_reported() -> None:
    supervisor, failed = Supervisor(backoff=Backoff(min_s=3600, max_s=3600)), asyncio.Event()

    async def fails() -> None:
        failed.set()
        raise KeyError("x")

    tasks = [supervisor.start(Loop.LIVE_FEED, run) for run in (asyncio.Event().wait, fails)]  # type: ignore[arg-type]
    await asyncio.wait_for(failed.wait(), 10)
    status = supervisor.statuses()[Loop.LIVE_FEED]
    assert (status.running, status.state) == (2, LoopState.FAILING)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_failure_of_one_time_work_is_logged_not_raised() -> None:
    supervisor = Supervisor()

    async def fails() -> None:
        raise RuntimeError(SAID)

    await supervisor.once(Loop.WARM_UP, fails)
    status = supervisor.statuses()[Loop.WARM_UP]
    assert (status.failures, status.state) == (1, LoopState.ENDED)


def test_pauses_grow_up_to_the_maximum() -> None:
    backoff = Backoff(min_s=1.0, max_s=30.0)
    assert all(0.5 <= backoff.pause_s(1) <= 1.0 for _ in range(100))
    assert all(15.0 <= backoff.pause_s(failures) <= 30.0 for failures in (6, 100, 10**6))


async def test_failure_is_logged_with_code_and_place_without_foreign_messages() -> None:
    text = StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(PlainFormatter(as_json=True, secrets=[]))
    logger = logging.getLogger("mnemoscene.supervision")
    logger.addHandler(handler)
    try:
        await Supervisor().once(Loop.WARM_UP, lambda: Backoff().pause_s(SAID))  # type: ignore[arg-type, return-value]
    finally:
        logger.removeHandler(handler)
    row = json.loads(text.getvalue())
    assert (row["code"], row["loop"], row["error"]) == ("INTERNAL", "warm-up", "TypeError")
    assert "pause_s" in row["where"]
    assert "花生" not in text.getvalue()
