"""Run a command's coroutine so that Ctrl-C and a termination signal end it in order, and in time.

Python waits for the threads of every executor before a process ends, however long they compute. So the loop's own
executor is waited for at most `THREADS_MAX_S`, `leave` ends a process in which a thread still runs, and a timer that
needs neither loop nor executor ends it `STOP_MAX_S` after the first signal in any case.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any, Final, NoReturn, TypeVar

T = TypeVar("T")

# From the first signal to the end of the process, whatever is going on.
STOP_MAX_S: Final = 29.0
# For threads that still compute when the command is over and everything was closed.
THREADS_MAX_S: Final = 2.0

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
# Somebody who asks for the third time does not want to wait for an orderly end.
PATIENT_SIGNALS_N: Final = 2


class StoppedError(Exception):
    """A signal ended the command before it was done.

    Attributes:
        exit_code: what shells expect: 128 and the signal's number.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.exit_code = 128 + number


class Stops:
    """Who hears a stop signal: the command by being cancelled, unless a part of it asked to be told instead."""

    def __init__(self) -> None:
        self.caught: list[int] = []
        self._told: Callable[[], None] | None = None

    @contextlib.contextmanager
    def told(self, call: Callable[[], None]) -> Iterator[None]:
        """Inside the block the first two signals call `call` and cancel nothing."""
        self._told = call
        try:
            yield
        finally:
            self._told = None

    def hear(self, number: int, task: "asyncio.Future[Any]") -> None:
        """A signal arrived while `task` is the command."""
        self.caught.append(number)
        if self._told is not None and len(self.caught) <= PATIENT_SIGNALS_N:
            self._told()
        else:
            task.cancel()


class _LoopThreads(ThreadPoolExecutor):
    """The executor of `asyncio.to_thread`; its end is not waited for, `leave` does that for a while."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


def run(work: Coroutine[Any, Any, T], stops: Stops | None = None) -> T:
    """Return what the coroutine returns; on a signal it is cancelled, and its `finally` blocks run to their end.

    Raises:
        StoppedError: a signal ended it.
    """
    heard = stops or Stops()

    async def watched() -> T:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(_LoopThreads(thread_name_prefix="asyncio"))
        task = asyncio.ensure_future(work)
        with _heard(lambda number: loop.call_soon_threadsafe(heard.hear, number, task)):
            return await task

    try:
        return asyncio.run(watched())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise StoppedError(heard.caught[0] if heard.caught else signal.SIGINT) from None


@contextlib.contextmanager
def _heard(tell: Callable[[int], object]) -> Iterator[None]:
    """Inside the block signals are told; from the first on the process has `STOP_MAX_S` left.

    Handlers of the signal module rather than of the loop: these run between two bytecodes of the main thread, so that
    the time runs although the loop is busy.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    over = threading.Event()

    def hear(number: int, _frame: FrameType | None) -> None:
        if not over.is_set():
            over.set()
            timer = threading.Timer(STOP_MAX_S, _end_at_once, args=(128 + number,))
            timer.daemon = True
            timer.start()
        with contextlib.suppress(RuntimeError):
            tell(number)

    before = {number: signal.signal(number, hear) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            # Once a signal came, a second one must not be taken for the first of whoever runs next.
            if not over.is_set():
                signal.signal(number, handler)


def leave(code: int) -> NoReturn:
    """End the process with this exit code, also when a thread still computes.

    Call it when everything was closed: what such a thread works on is lost, and nobody waits for it any more.
    """
    others = [one for one in threading.enumerate() if one is not threading.current_thread() and not one.daemon]
    for left_over in others:
        left_over.join(THREADS_MAX_S / len(others))
    if any(one.is_alive() for one in others):
        _end_at_once(code)
    sys.exit(code)


def _end_at_once(code: int) -> NoReturn:
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
