"""Run CPU-bound text processing in threads that stop at a deadline or on cancellation.

A flawed pattern may never finish on some text. A thread of `asyncio.to_thread` cannot be stopped: it would occupy the
loop's executor and block the exit of the process, which joins those threads. So each call runs in a daemon thread of
its own; only a few run at a time.

A thread is stopped by an exception raised between two bytecodes (`PyThreadState_SetAsyncExc`), which ends any loop in
Python but not a call of a C function such as a regular-expression search. Such a call holds the GIL and blocks the
event loop, so inputs are bounded and patterns unambiguous (tests/unit/test_text_cost.py). A separate process could be
killed inside such a call, but would need a second copy of rules and dictionary and seconds to restart after each kill,
and would protect extraction only, not request handling.

The calls must not start threads: until a new thread runs, CPython lists it under the id of the thread that started it,
and a stop could hit it instead; its starter would then wait for it for ever.
"""

import asyncio
import ctypes
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from schema.errors import TooSlowError

_log = logging.getLogger("mnemoscene.threads")

T = TypeVar("T")

# CPU time, because it does not depend on load; a message of 20,000 characters takes about a second.
CPU_MAX_S: Final = 20.0
# Stops a thread that gets no CPU or waits for a lock.
WALL_MAX_S: Final = 180.0
# Threads share the GIL, so more of them would only slow the event loop down.
THREADS_MAX: Final = 4
_POLL_S: Final = 0.2
# A thread is stopped again after this time at the earliest.
_STOP_INTERVAL_S: Final = 0.1
# A thread still running this long after the stop is abandoned; it ends with the process.
_GRACE_S: Final = 5.0


class _Stop(BaseException):
    """Raised inside a thread to stop it; not caught by `except Exception`."""


def _raise_in_thread(thread_id: int, exception: type[BaseException] | None) -> None:
    """Raise an exception in a thread before its next bytecode; None drops one that is pending."""
    raised = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), raised)


class _Runner(Generic[T]):
    """One call in its own thread."""

    def __init__(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop) -> None:
        self._work = work
        self._loop = loop
        self._guard = threading.Lock()
        # Id of the thread while it runs the call: the system gives the ids of ended threads to new ones, and a stop
        # must never reach another thread.
        self._stoppable: int | None = None
        self._stopped_at_s: float | None = None
        self.done: asyncio.Future[T] = loop.create_future()
        self.thread = threading.Thread(target=self._run, name="reading", daemon=True)
        self._clock: int | None = None

    def cpu_s(self) -> float | None:
        """Return the CPU seconds of the thread; None where they are unavailable (macOS)."""
        if self._clock is None or not self.thread.is_alive():
            return None
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None

    def stop(self) -> None:
        """Raise `_Stop` in the thread while it runs the call; if the call has not begun, prevent it.

        Call it repeatedly until the thread has ended, because Python drops exceptions in callbacks such as `__del__`.
        """
        with self._guard:
            now_s = time.monotonic()
            if self._stopped_at_s is not None and now_s - self._stopped_at_s < _STOP_INTERVAL_S:
                return
            self._stopped_at_s = now_s
            if self._stoppable is not None:
                _raise_in_thread(self._stoppable, _Stop)

    def _run(self) -> None:
        result: Any = None
        error: BaseException | None = None
        try:
            result = self._call()
        except BaseException as raised:
            error = raised
        while True:
            try:
                self._refuse_stops()
                break
            except _Stop:
                # It arrived before stops were refused; the next one comes `_STOP_INTERVAL_S` later at the earliest.
                continue
        try:
            self._loop.call_soon_threadsafe(self._deliver, result, error)
        except RuntimeError:
            # The loop was closed; nothing awaits the result.
            return

    def _call(self) -> T:
        if hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        with self._guard:
            if self._stopped_at_s is not None:
                raise _Stop
            self._stoppable = threading.get_ident()
        return self._work()

    def _refuse_stops(self) -> None:
        """Refuse further requests to stop, and discard a pending one."""
        with self._guard:
            self._stoppable = None
            _raise_in_thread(threading.get_ident(), None)

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
    """Run calls in a limited number of stoppable threads.

    Args:
        threads_max: concurrent calls; others wait.
        cpu_max_s: processor time of one call.
        wall_max_s: wall-clock time of one call.
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
        # A semaphore belongs to one event loop; tests and commands run several, one after another.
        self._semaphore: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Run a call in a thread and return its result.

        Raises:
            TooSlowError: the call exceeded its time and was stopped.
        """
        loop = asyncio.get_running_loop()
        if self._semaphore is None or self._semaphore[0] is not loop:
            self._semaphore = (loop, asyncio.Semaphore(self._threads_max))
        async with self._semaphore[1]:
            runner = _Runner(work, loop)
            runner.thread.start()
            try:
                return await self._result_of(runner)
            except asyncio.CancelledError:
                runner.stop()
                # The result is not awaited any more; keep asyncio from logging an unretrieved exception.
                runner.done.cancel()
                raise

    async def _result_of(self, runner: _Runner[T]) -> T:
        started_s = time.monotonic()
        while True:
            await asyncio.wait({runner.done}, timeout=_POLL_S)
            if runner.done.done():
                return runner.done.result()
            wall_s = time.monotonic() - started_s
            cpu_s = runner.cpu_s()
            # Where the CPU time of a thread is unavailable, allow twice as much wall-clock time.
            if (wall_s / 2 if cpu_s is None else cpu_s) > self.cpu_max_s or wall_s > self.wall_max_s:
                await self._stop_and_wait(runner)
                raise TooSlowError(f"it was stopped after {cpu_s or wall_s:.0f} s of computing")

    async def _stop_and_wait(self, runner: _Runner[T]) -> None:
        until_s = time.monotonic() + _GRACE_S
        while time.monotonic() < until_s:
            runner.stop()
            await asyncio.wait({runner.done}, timeout=_POLL_S)
            if runner.done.done() or not runner.thread.is_alive():
                # The result is not used; retrieve the exception so that asyncio does not log it.
                if runner.done.done():
                    runner.done.exception()
                return
        _log.error("a computing thread does not stop; it is abandoned")


THREADS: Final = BoundedThreads()
