"""Supervise background loops: log a failure, wait, and start the loop again.

No input of one caller may end work for all, so no loop is a bare task. A `Supervisor`

- restarts a loop after any exception or unexpected return, with exponential backoff and jitter;
- logs each failure with a stable code and the place, without other libraries' messages (`schema/failure.py`);
- counts failures for `/metrics` and keeps the last one for `/ready` and `mnemoscene doctor`.

Only a stop event, or cancelling the task itself, ends a supervised loop.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.observability.metrics import LOOP_FAILURES, Loop
from schema.errors import MnemosceneError
from schema.failure import Failure, failure_of

_log = logging.getLogger("mnemoscene.supervision")

# Exceptions that end the process; asyncio passes them through the event loop.
PROCESS_ENDS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)


class EndedError(MnemosceneError):
    """A loop returned without a request to stop: a bug."""


class LoopState(StrEnum):
    """State of a supervised loop."""

    RUNNING = "running"
    FAILING = "failing"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff between starts, at most `max_s`, with 50 % jitter.

    Attributes:
        steady_s: a loop that ran for this long has recovered; the count of failures starts again.
    """

    min_s: float = 0.5
    max_s: float = 30.0
    steady_s: float = 10.0

    def pause_s(self, failures: int) -> float:
        """Return the pause after this many consecutive failures (at least 1)."""
        longest_s = min(self.min_s * 2.0 ** min(failures - 1, 30), self.max_s)
        return longest_s * random.uniform(0.5, 1.0)


@dataclass(slots=True)
class LoopStatus:
    """State of all loops of one name.

    Attributes:
        since: when the state began.
        running: number of running loops; the live feed has one per watched tenant.
        failing: by number of a failed loop, when it counts as recovered; None during its pause.
        failures: number of failures (and restarts) since the start of the process.
        last, last_at: the last failure and its time.
    """

    since: datetime
    running: int = 0
    failing: dict[int, float | None] = field(default_factory=dict)
    failures: int = 0
    last: Failure | None = None
    last_at: datetime | None = None

    @property
    def state(self) -> LoopState:
        """The state of those that are worst off."""
        return LoopState.FAILING if self.failing else LoopState.RUNNING if self.running else LoopState.ENDED

    def document(self) -> dict[str, Any]:
        """Return the state as JSON for `/ready`."""
        last = None
        if self.last is not None and self.last_at is not None:
            last = {
                "code": self.last.code,
                "error": self.last.kind,
                "where": self.last.where,
                "at": self.last_at.isoformat(timespec="seconds"),
            }
        return {
            "state": self.state.value,
            "since": self.since.isoformat(timespec="seconds"),
            "running": self.running,
            "restarts": self.failures,
            "last_failure": last,
        }


class Supervisor:
    """Runs and restarts loops, and knows their state; one per process."""

    def __init__(self, *, backoff: Backoff | None = None, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._backoff = backoff or Backoff()
        self._clock_s = clock_s
        self._loops: dict[Loop, LoopStatus] = {}
        self._numbers = 0

    def start(
        self,
        name: Loop,
        run: Callable[[], Awaitable[None]],
        stop: asyncio.Event | None = None,
        *,
        may_return: bool = False,
    ) -> "asyncio.Task[None]":
        """Start a loop as a task, which ends when `stop` is set or it is cancelled."""
        return asyncio.create_task(self.keep(name, run, stop, may_return=may_return), name=name.value)

    async def keep(
        self,
        name: Loop,
        run: Callable[[], Awaitable[None]],
        stop: asyncio.Event | None = None,
        *,
        may_return: bool = False,
    ) -> None:
        """Run a loop and restart it after failures, until `stop` is set (None: until cancelled).

        Args:
            may_return: returning is not a failure, because the loop may finish its work.
        """
        loop = self._loops.setdefault(name, LoopStatus(_now()))
        self._numbers += 1
        number, failures = self._numbers, 0
        loop.running += 1
        try:
            while stop is None or not stop.is_set():
                started_s = self._clock_s()
                error = await _run_once(name, run, stop, may_return=may_return)
                if error is None:
                    return
                failures = 1 if self._clock_s() - started_s >= self._steady_s(failures) else failures + 1
                self.note(name, error, number=number)
                await wait_for_any(stop, timeout_s=self._backoff.pause_s(failures))
                if number in loop.failing:
                    loop.failing[number] = self._clock_s() + self._steady_s(failures)
        finally:
            loop.running -= 1
            loop.failing.pop(number, None)
            if loop.running == 0:
                loop.since = _now()

    async def once(self, name: Loop, run: Callable[[], Awaitable[None]]) -> None:
        """Run background work once; log and count a failure instead of raising it."""
        error = await _run_once(name, run, None, may_return=True)
        if error is not None:
            self.note(name, error)

    def note(self, name: Loop, error: BaseException, *, number: int | None = None) -> None:
        """Log, count and store a failure.

        Args:
            number: of the failed loop that will be restarted; None if nothing is restarted.
        """
        failure = failure_of(error)
        loop = self._loops.setdefault(name, LoopStatus(_now()))
        if number is not None:
            if not loop.failing:
                loop.since = _now()
            loop.failing[number] = None
        loop.failures += 1
        loop.last, loop.last_at = failure, _now()
        LOOP_FAILURES.add(name.value)
        extra = {"code": failure.code, "loop": name.value}
        _log.error("background work failed; it is retried shortly", exc_info=error, extra=extra)

    def statuses(self) -> dict[Loop, LoopStatus]:
        """Return the status of all loops ever started, by name."""
        now_s = self._clock_s()
        for loop in self._loops.values():
            recovered = [number for number, at_s in loop.failing.items() if at_s is not None and at_s <= now_s]
            for number in recovered:
                del loop.failing[number]
            if recovered and not loop.failing:
                loop.since = _now()
        return dict(sorted(self._loops.items()))

    def failing(self) -> list[Loop]:
        """Return the loops that are failing now."""
        return [name for name, status in self.statuses().items() if status.state is LoopState.FAILING]

    def _steady_s(self, failures: int) -> float:
        # A loop may run for a while before it fails again: require longer than the previous pause.
        return max(self._backoff.steady_s, 2 * self._backoff.min_s * 2.0 ** min(failures, 7)) if failures else 0.0


async def _run_once(
    name: Loop, run: Callable[[], Awaitable[None]], stop: asyncio.Event | None, *, may_return: bool
) -> BaseException | None:
    """Run a loop and return the error that ended it; None if it ended on request.

    Raises:
        CancelledError: the task itself was cancelled; a cancelled awaitable within the loop is a failure instead.
    """
    try:
        await run()
    except PROCESS_ENDS:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return error
    # BaseException: panics of libraries in Rust are no subclass of Exception.
    except BaseException as error:
        return error
    if may_return or (stop is not None and stop.is_set()):
        return None
    return EndedError(f"the loop {name.value!r} ended without a request to stop; this is a bug, please report it")


async def wait_for_any(*events: asyncio.Event | None, timeout_s: float | None) -> None:
    """Wait until one of the events is set, at most `timeout_s` seconds; None waits without a limit."""
    waiting = [event.wait() for event in events if event is not None]
    if waiting:
        await first_done(*waiting, timeout_s=timeout_s)
    else:
        await asyncio.sleep(timeout_s or 0.0)


async def first_done(*waiting: Awaitable[Any], timeout_s: float | None = None) -> "list[asyncio.Future[Any]]":
    """Wait until one of the awaitables is done, at most `timeout_s` seconds; cancel the others, and return all."""
    futures: list[asyncio.Future[Any]] = [asyncio.ensure_future(one) for one in waiting]
    try:
        await asyncio.wait(futures, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel(*(one for one in futures if not one.done()))
    return futures


def has_result(future: "asyncio.Future[Any]") -> bool:
    """Return True if a future that is done was neither cancelled nor failed."""
    return not future.cancelled() and future.exception() is None


async def cancel(*tasks: "asyncio.Future[Any] | None") -> None:
    """Cancel tasks and wait until they have ended, whatever their result; None is left out."""
    given = [task for task in tasks if task is not None]
    for task in given:
        task.cancel()
    await asyncio.gather(*given, return_exceptions=True)


def _now() -> datetime:
    return datetime.now(UTC)
