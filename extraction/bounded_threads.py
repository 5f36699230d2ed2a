"""Run pure computing on text in a thread of its own that can be stopped: after a deadline, or when nobody waits.

Text comes from outside, and one flaw in a rule may make it take for ever. A thread of `asyncio.to_thread` could not be
ended then: it would hold its place among the few threads of the loop's executor, and the process could not exit, since
Python joins those threads. So each piece of work here has a daemon thread of its own, and few run at the same time.

A thread is stopped by an exception that the interpreter raises between two of its bytecodes
(`PyThreadState_SetAsyncExc`). That holds for whatever loops in Python. It cannot break into one call of a C function,
such as one search by a regular expression; such a call keeps the lock, so it stops the event loop too, and
only the bound on its input and a pattern without ambiguity help (tests/unit/test_text_cost.py tries them). A process
for reading could be killed inside such a call; it would cost the memory of a second copy of rules and dictionary, and
seconds for its start after each kill, and would protect reading only, not the doors.
"""

import asyncio
import ctypes
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from schema.errors import TooSlowError

_log = logging.getLogger("mnemograph.threads")

T = TypeVar("T")

# Of processor time, which a loaded machine does not stretch. A message of 20,000 characters takes about a second.
CPU_MAX_S: Final = 20.0
# For a thread that gets no processor, or waits for a lock.
WALL_MAX_S: Final = 180.0
# How many run at the same time; they share the interpreter's lock, so more would only slow the event loop down.
THREADS_MAX: Final = 4
_LOOK_S: Final = 0.2
# A thread that goes on for so long after it was told to stop is left alone; it ends with the process.
_GRACE_S: Final = 5.0


class _Stop(BaseException):
    """Raised inside a thread that is to end; no `except Exception` of the work catches it."""


class _Runner(Generic[T]):
    """One piece of work in a thread of its own."""

    def __init__(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop) -> None:
        self._work = work
        self._loop = loop
        self._guard = threading.Lock()
        self._over = False
        self.done: asyncio.Future[T] = loop.create_future()
        self._thread = threading.Thread(target=self._run, name="reading", daemon=True)
        self._clock: int | None = None

    def start(self) -> None:
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def cpu_s(self) -> float | None:
        """Return how long the thread has computed; None where the system does not tell (macOS, Windows)."""
        if self._clock is None or not self._thread.is_alive():
            return None
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None

    def stop(self) -> None:
        """Raise `_Stop` in the thread, unless its work is over."""
        with self._guard:
            ident = self._thread.ident
            if not self._over and ident is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_Stop))

    def _run(self) -> None:
        result: Any = None
        error: BaseException | None = None
        try:
            if hasattr(time, "pthread_getcpuclockid"):
                self._clock = time.pthread_getcpuclockid(threading.get_ident())
            try:
                result = self._work()
            finally:
                with self._guard:
                    self._over = True
        except BaseException as raised:
            error = raised
        try:
            self._loop.call_soon_threadsafe(self._deliver, result, error)
        except RuntimeError:
            # The loop was closed meanwhile; nobody waits for the result.
            return

    def _deliver(self, result: T, error: BaseException | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(result)
        elif isinstance(error, _Stop):
            self.done.set_exception(TooSlowError("it was stopped"))
        else:
            self.done.set_exception(error)


class BoundedThreads:
    """Threads for computing on text.

    Args:
        threads_max: how many pieces of work run at the same time; the others wait their turn.
        cpu_max_s: processor time of one piece of work; wall_max_s: time by the clock.
    """

    def __init__(
        self,
        *,
        threads_max: int = THREADS_MAX,
        cpu_max_s: float = CPU_MAX_S,
        wall_max_s: float = WALL_MAX_S,
    ) -> None:
        self.cpu_max_s = cpu_max_s
        self.wall_max_s = wall_max_s
        self._threads_max = threads_max
        # A semaphore belongs to one event loop; tests and command lines have several, one after another.
        self._places: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns, computed in a thread.

        Raises:
            TooSlowError: it took longer than it may, and was stopped.
        """
        loop = asyncio.get_running_loop()
        if self._places is None or self._places[0] is not loop:
            self._places = (loop, asyncio.Semaphore(self._threads_max))
        async with self._places[1]:
            runner = _Runner(work, loop)
            runner.start()
            try:
                return await self._watched(runner)
            except asyncio.CancelledError:
                runner.stop()
                # Nobody looks at what it gives any more, so that nothing may be logged as overlooked.
                runner.done.cancel()
                raise

    async def _watched(self, runner: _Runner[T]) -> T:
        started_s = time.monotonic()
        while True:
            await asyncio.wait({runner.done}, timeout=_LOOK_S)
            if runner.done.done():
                return runner.done.result()
            wall_s = time.monotonic() - started_s
            cpu_s = runner.cpu_s()
            # Without a clock of the thread's own, its share of the machine is unknown; the wall clock counts twice.
            if (wall_s / 2 if cpu_s is None else cpu_s) > self.cpu_max_s or wall_s > self.wall_max_s:
                await self._stopped(runner)
                raise TooSlowError(f"it was stopped after {cpu_s or wall_s:.0f} s of computing")

    async def _stopped(self, runner: _Runner[T]) -> None:
        until_s = time.monotonic() + _GRACE_S
        while time.monotonic() < until_s:
            runner.stop()
            await asyncio.wait({runner.done}, timeout=_LOOK_S)
            if runner.done.done() or not runner.alive:
                # Whatever it was worth, it came too late; the exception is looked at so that nobody logs it.
                if runner.done.done():
                    runner.done.exception()
                return
        _log.error("a thread that computes on text does not stop; it is left alone")


THREADS: Final = BoundedThreads()
