"""Run a CPU-bound function in a child process, one at a time, with a deadline.

For functions that would hold the GIL, and so block every request, for many seconds. The process is killed after its
deadline or when the caller is cancelled, and exits when its parent process is gone.
"""

import asyncio
import os
import pickle
import signal
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from extraction.bounded_threads import BoundedThreads
from schema.errors import MnemosceneError, TooSlowError

T = TypeVar("T")

# A hundred thousand nodes with their relationships took 270 s of wall-clock time on a loaded machine.
WALL_MAX_S: Final = 900.0
_NICE: Final = 10
# Limit of the thread that waits for the child; longer, because it also pickles arguments and result.
_THREAD_WALL_MAX_S: Final = 3_600.0


class EndedEarlyError(MnemosceneError):
    """The process ended without a result: it was killed or ran out of memory."""


class OwnProcess:
    """Run one child process at a time; other calls wait.

    Args:
        wall_max_s: wall-clock limit of one call.
    """

    def __init__(self, *, wall_max_s: float = WALL_MAX_S) -> None:
        self.wall_max_s = wall_max_s
        self._thread = BoundedThreads(threads_max=1, wall_max_s=_THREAD_WALL_MAX_S)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run a call in a child process and return its result; function, arguments and result must be picklable.

        Raises:
            TooSlowError: the call exceeded its time and was killed.
            EndedEarlyError: the process ended without a result.
        """
        loop, deadlines = asyncio.get_running_loop(), list[asyncio.TimerHandle]()
        child = _Child(work, args, self.wall_max_s)

        # On the event loop: a thread of `BoundedThreads` must not start another thread.
        def set_deadline() -> None:
            # The call may have ended before this runs; then no timer may keep the child's pipes open.
            if not child.killed:
                deadlines.append(loop.call_later(self.wall_max_s, child.kill))

        try:
            ok, result = await self._thread.run(partial(child.run, lambda: loop.call_soon_threadsafe(set_deadline)))
        finally:
            for deadline in deadlines:
                deadline.cancel()
            child.kill()
        if not ok:
            raise result
        found: T = result
        return found


class _Child:
    """One child process for one call."""

    def __init__(self, work: Callable[..., object], args: tuple[object, ...], wall_max_s: float) -> None:
        self._work = work, args
        self._wall_max_s = wall_max_s
        self._guard = threading.Lock()
        self.killed = False
        context = get_context("spawn")
        self._parent_end, self._child_end = context.Pipe()
        # A daemon process also ends with the interpreter.
        self._process = context.Process(target=_compute, args=(self._child_end,), name="computing", daemon=True)

    def run(self, on_start: Callable[[], object]) -> tuple[bool, Any]:
        """Return whether the call succeeded, and its result or exception; runs in a thread.

        Args:
            on_start: called when the process runs.
        """
        with self._guard:
            if self.killed:
                return False, TooSlowError("it was stopped")
            self._process.start()
        self._child_end.close()
        try:
            on_start()
            _send_in_pieces(self._parent_end, self._work)
            answer: tuple[bool, Any] = self._parent_end.recv()
        except (EOFError, OSError):
            # The pipe closes when the child is killed.
            if self.killed:
                return False, TooSlowError(f"it was stopped after {self._wall_max_s:.0f} s")
            return False, EndedEarlyError("a computing process ended unexpectedly, possibly out of memory")
        else:
            return answer
        finally:
            self.kill()
            self._process.join()

    def kill(self) -> None:
        """Kill the process."""
        with self._guard:
            self.killed = True
            if self._process.pid is not None:
                self._process.kill()


def _send_in_pieces(pipe: Connection, value: object) -> None:
    """Pickle a value frame by frame (64 KiB), and send an empty piece at its end.

    `Connection.send` pickles it in one call, which holds the GIL: 333 ms for a hundred thousand nodes.
    """
    pickle.Pickler(SimpleNamespace(write=pipe.send_bytes)).dump(value)
    pipe.send_bytes(b"")


def _compute(pipe: Connection) -> None:
    """Run the call received through the pipe; main function of the child."""
    # Ctrl-C reaches the whole process group; leave it to the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    work, args = pickle.loads(b"".join(iter(pipe.recv_bytes, b"")))
    try:
        answer = True, work(*args)
    except Exception as error:
        answer = False, error
    pipe.send(answer)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
