"""Supervision of background work: a loop that fails is told, waits a moment and is started again.

Nothing that a caller says or stores may end work that is done for everybody. So no loop of this service is a bare
task: each is kept by a `Supervisor`, which

- starts it again after any exception, and after an end that nobody asked for, with a growing, bounded, random pause;
- logs each failure with a stable code and the place, never in foreign words (`schema/failure.py`);
- counts failures for `/metrics` and remembers the last one for `/ready` and `mnemograph doctor`.

Only a request to stop, or cancelling the task itself, ends a kept loop.
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
from schema.errors import MnemographError
from schema.failure import Failure, failure_of

_log = logging.getLogger("mnemograph.supervision")

# These belong to the process, not to the loop: asyncio hands them through the event loop.
PROCESS_ENDS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)


class EndedError(MnemographError):
    """A loop returned although nobody had asked it to stop; that is a mistake of ours."""


class LoopState(StrEnum):
    """How a supervised loop stands."""

    RUNNING = "running"
    FAILING = "failing"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Pauses between starts: doubled after each failure in a row, at most `max_s`, each half random.

    Attributes:
        steady_s: a loop that ran for so long without a failure has recovered; the next failure is a first one again.
    """

    min_s: float = 0.5
    max_s: float = 30.0
    steady_s: float = 10.0

    def pause_s(self, failures: int) -> float:
        """Return the pause after so many failures in a row, at least one."""
        longest_s = min(self.min_s * 2.0 ** min(failures - 1, 30), self.max_s)
        return longest_s * random.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How all loops of one name stand.

    Attributes:
        since: of this state.
        running: how many of them there are; of the live feed one for each tenant that is watched.
        failures: how often one of them failed since the start of the process, each followed by a new start.
        last: the last failure, and when it was.
    """

    state: LoopState
    since: datetime
    running: int
    failures: int
    last: Failure | None
    last_at: datetime | None

    def document(self) -> dict[str, Any]:
        """Return it as `/ready` tells it."""
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


@dataclass(slots=True)
class _Kept:
    """All loops of one name."""

    since: datetime
    running: int = 0
    # For each loop that failed and has not recovered: when it is looked on as recovered; None while it pauses.
    failing: dict[int, float | None] = field(default_factory=dict)
    failures: int = 0
    last: Failure | None = None
    last_at: datetime | None = None


class Supervisor:
    """Keeps loops running and knows how they stand; one for each process."""

    def __init__(self, *, backoff: Backoff | None = None, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._backoff = backoff or Backoff()
        self._clock_s = clock_s
        self._kept: dict[Loop, _Kept] = {}
        self._numbers = 0

    def start(
        self,
        name: Loop,
        run: Callable[[], Awaitable[None]],
        stop: asyncio.Event | None = None,
        *,
        may_return: bool = False,
    ) -> "asyncio.Task[None]":
        """Start a loop as a task of its own, which ends when `stop` is set or when it is cancelled."""
        return asyncio.create_task(self.keep(name, run, stop, may_return=may_return), name=name.value)

    async def keep(
        self,
        name: Loop,
        run: Callable[[], Awaitable[None]],
        stop: asyncio.Event | None = None,
        *,
        may_return: bool = False,
    ) -> None:
        """Run a loop, and again whenever it fails, until `stop` is set; None keeps it until it is cancelled.

        Args:
            may_return: it returns when it has nothing left to do, which is no failure.
        """
        kept = self._kept.setdefault(name, _Kept(since=_now()))
        self._numbers += 1
        number, failures = self._numbers, 0
        kept.running += 1
        try:
            while stop is None or not stop.is_set():
                started_s = self._clock_s()
                error = await _ended(name, run, stop, may_return=may_return)
                if error is None:
                    return
                failures = 1 if self._clock_s() - started_s >= self._steady_s(failures) else failures + 1
                self.note(name, error, number=number)
                await wait_for_any(stop, timeout_s=self._backoff.pause_s(failures))
                if number in kept.failing:
                    kept.failing[number] = self._clock_s() + self._steady_s(failures)
        finally:
            kept.running -= 1
            kept.failing.pop(number, None)
            if kept.running == 0:
                kept.since = _now()

    async def once(self, name: Loop, run: Callable[[], Awaitable[None]]) -> None:
        """Do something that is done once beside the rest; that it failed is told, and harms nobody."""
        error = await _ended(name, run, None, may_return=True)
        if error is not None:
            self.note(name, error)

    def note(self, name: Loop, error: BaseException, *, number: int | None = None) -> None:
        """Log, count and remember a failure.

        Args:
            number: of the loop that failed and is started again; None for work that goes on, or was done only once.
        """
        failure = failure_of(error)
        kept = self._kept.setdefault(name, _Kept(since=_now()))
        if number is not None:
            if not kept.failing:
                kept.since = _now()
            kept.failing[number] = None
        kept.failures += 1
        kept.last, kept.last_at = failure, _now()
        LOOP_FAILURES.add(name.value)
        extra = {"code": failure.code, "loop": name.value}
        _log.error("background work failed; it goes on in a moment", exc_info=error, extra=extra)

    def standing(self) -> dict[Loop, Standing]:
        """Return how the loops stand that were ever started, in the order of their names."""
        return {name: self._standing(self._kept[name]) for name in sorted(self._kept)}

    def failing(self) -> list[Loop]:
        """Return the loops that fail at this moment."""
        return [name for name, standing in self.standing().items() if standing.state is LoopState.FAILING]

    def _standing(self, kept: _Kept) -> Standing:
        now_s = self._clock_s()
        recovered = [number for number, at_s in kept.failing.items() if at_s is not None and at_s <= now_s]
        for number in recovered:
            del kept.failing[number]
        if recovered and not kept.failing:
            kept.since = _now()
        state = LoopState.FAILING if kept.failing else LoopState.RUNNING if kept.running else LoopState.ENDED
        return Standing(
            state=state,
            since=kept.since,
            running=kept.running,
            failures=kept.failures,
            last=kept.last,
            last_at=kept.last_at,
        )

    def _steady_s(self, failures: int) -> float:
        # A loop may need a while until it comes to what fails: longer than it waited before.
        return max(self._backoff.steady_s, 2 * self._backoff.min_s * 2.0 ** min(failures, 7)) if failures else 0.0


async def _ended(
    name: Loop, run: Callable[[], Awaitable[None]], stop: asyncio.Event | None, *, may_return: bool
) -> BaseException | None:
    """Return the error that ended a loop; None when it ended as it was asked to.

    Raises:
        CancelledError: the task itself was cancelled; something that the loop awaited is a failure of the loop.
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
    # Not only Exception: libraries written in Rust raise their panics past it.
    except BaseException as error:
        return error
    if may_return or (stop is not None and stop.is_set()):
        return None
    return EndedError(f"the loop {name.value!r} ended although nobody asked it to; this is a bug, please report it")


async def wait_for_any(*events: asyncio.Event | None, timeout_s: float | None) -> None:
    """Wait until one of the events is set, at most `timeout_s` seconds; None waits without a limit."""
    waiting = [asyncio.create_task(event.wait()) for event in events if event is not None]
    if not waiting:
        await asyncio.sleep(timeout_s or 0.0)
        return
    try:
        await asyncio.wait(waiting, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def _now() -> datetime:
    return datetime.now(UTC)
