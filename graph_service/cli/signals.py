"""Run a command's coroutine, and shut down cleanly and in bounded time on SIGINT and SIGTERM.

At exit Python waits for the threads of every executor, however long they compute. Here `leave` waits at most
`THREADS_MAX_S` for them and then ends the process, and a timer that needs neither event loop nor executor ends it
`STOP_MAX_S` after the first signal in any case.
"""

import contextlib
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Coroutine, Generator, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

# From the first signal to the forced end of the process.
STOP_MAX_S: Final = 29.0
# How long to wait for threads that still compute after the command has closed everything.
THREADS_MAX_S: Final = 2.0

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
# The third signal cancels at once instead of shutting down cleanly.
CLEAN_SIGNALS_N: Final = 2


class StoppedError(Exception):
    """A signal ended the command before it was done.

    Attributes:
        exit_code: 128 plus the signal's number, as shells expect.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.exit_code = 128 + number


class StopSignals:
    """The stop signals of one command; they cancel it, unless it handles the first two itself."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self._handler: Callable[[], None] | None = None

    @contextlib.contextmanager
    def handled_by(self, handler: Callable[[], None]) -> Iterator[None]:
        """Call `handler` on the first two signals inside the block, instead of cancelling the command."""
        self._handler = handler
        try:
            yield
        finally:
            self._handler = None

    def receive(self, number: int, task: "asyncio.Future[Any]") -> None:
        """Pass a signal to the handler, or cancel `task`, which runs the command."""
        self.received.append(number)
        if self._handler is not None and len(self.received) <= CLEAN_SIGNALS_N:
            self._handler()
        else:
            task.cancel()


@types.coroutine
def event_loop() -> Generator[None, None, None]:
    """Wait until an event loop runs the rest of the coroutine; see `run_client`."""
    yield


def run_client(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine as `run` does, but without an event loop until it awaits `event_loop`, if ever.

    Before that it must await nothing that needs a loop. A command that asks a service over HTTP never does, and saves
    the import of `asyncio`, a tenth of its time.

    Raises:
        StoppedError: a signal ended it.
    """
    received: list[int] = []

    def stop(number: int) -> None:
        received.append(number)
        if len(received) == 1:
            raise StoppedError(number)

    try:
        with _signal_handlers(stop):
            coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    return run(coroutine)


def run(coroutine: Coroutine[Any, Any, T], signals: StopSignals | None = None) -> T:
    """Run a command's coroutine and return its result; a signal cancels it, and its `finally` blocks run.

    Raises:
        StoppedError: a signal ended it.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    class LoopThreads(ThreadPoolExecutor):
        """The executor of `asyncio.to_thread`; `leave` waits for its threads, closing the event loop does not."""

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=True)

    stops = signals or StopSignals()

    async def main() -> T:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(LoopThreads(thread_name_prefix="asyncio"))
        task = asyncio.ensure_future(coroutine)
        with _signal_handlers(lambda number: loop.call_soon_threadsafe(stops.receive, number, task)):
            return await task

    try:
        return asyncio.run(main())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise StoppedError(stops.received[0] if stops.received else signal.SIGINT) from None


@contextlib.contextmanager
def _signal_handlers(notify: Callable[[int], object]) -> Iterator[None]:
    """Call `notify` with each signal inside the block; end the process `STOP_MAX_S` after the first.

    Uses the signal module rather than the loop's handlers: those wait for the loop, which may be busy.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopping = threading.Event()

    def handle(number: int, _frame: FrameType | None) -> None:
        if not stopping.is_set():
            stopping.set()
            timer = threading.Timer(STOP_MAX_S, _end_at_once, args=(128 + number,))
            timer.daemon = True
            timer.start()
        with contextlib.suppress(RuntimeError):
            notify(number)

    before = {number: signal.signal(number, handle) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            # After a signal our handlers stay, so that a second one does not interrupt the end of the process.
            if not stopping.is_set():
                signal.signal(number, handler)


def leave(code: int) -> NoReturn:
    """End the process with this exit code, even if a thread is still running.

    Call it after everything was closed: the results of such threads are lost.
    """
    threads = [one for one in threading.enumerate() if one is not threading.current_thread() and not one.daemon]
    for thread in threads:
        thread.join(THREADS_MAX_S / len(threads))
    if any(one.is_alive() for one in threads):
        _end_at_once(code)
    sys.exit(code)


def _end_at_once(code: int) -> NoReturn:
    import logging

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
