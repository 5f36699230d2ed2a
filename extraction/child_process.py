"""Run pure computing in a process of its own, one at a time, which ends when nobody waits for it.

For what would keep the interpreter's lock, and so every request, for many seconds. The process is killed after its
deadline, when the caller is cancelled (a request that went away, a service that stops), and ends by itself when the
process that started it is gone, however that ended.
"""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from extraction.bounded_threads import BoundedThreads
from schema.errors import MnemographError, TooSlowError

T = TypeVar("T")

# By the clock, on a machine that is busy with other things: a hundred thousand things with their links took 270 s.
WALL_MAX_S: Final = 900.0
_NICE: Final = 10
# Of the thread that waits for the process: what is handed over is made into bytes there.
_THREAD_WALL_MAX_S: Final = 3_600.0


class EndedEarlyError(MnemographError):
    """A process ended before it gave its result: it was killed from outside, or had no memory left."""


class OwnProcess:
    """A place for one process at a time; others wait their turn.

    Args:
        wall_max_s: how long one may take by the clock.
    """

    def __init__(self, *, wall_max_s: float = WALL_MAX_S) -> None:
        self.wall_max_s = wall_max_s
        self._place = BoundedThreads(threads_max=1, wall_max_s=_THREAD_WALL_MAX_S)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Return what the work returns; work, arguments and result must be such as `pickle` can carry.

        Raises:
            TooSlowError: it took longer than it may, and was killed.
            EndedEarlyError: the process was ended by somebody else.
        """
        child = _Child(work, args, self.wall_max_s)
        try:
            ok, result = await self._place.run(child.run)
        finally:
            child.kill()
        if not ok:
            raise result
        found: T = result
        return found


class _Child:
    """One process with one piece of work."""

    def __init__(self, work: Callable[..., object], args: tuple[object, ...], wall_max_s: float) -> None:
        self._work = work, args
        self._wall_max_s = wall_max_s
        self._guard = threading.Lock()
        self._killed = False
        context = get_context("spawn")
        self._here, self._there = context.Pipe()
        # As a daemon it is ended with the interpreter too.
        self._process = context.Process(target=_compute, args=(self._there,), name="computing", daemon=True)

    def run(self) -> tuple[bool, Any]:
        """Return whether the work ended well, and its result or its error; called in a thread."""
        with self._guard:
            if self._killed:
                return False, TooSlowError("it was stopped")
            self._process.start()
        self._there.close()
        timer = threading.Timer(self._wall_max_s, self.kill)
        timer.daemon = True
        timer.start()
        try:
            self._here.send(self._work)
            answer: tuple[bool, Any] = self._here.recv()
        except (EOFError, OSError):
            # Whoever killed it closed its end of the pipe.
            if self._killed:
                return False, TooSlowError(f"it was stopped after {self._wall_max_s:.0f} s")
            return False, EndedEarlyError("a process that computes ended early; perhaps it had no memory left")
        else:
            return answer
        finally:
            timer.cancel()
            self.kill()
            self._process.join()

    def kill(self) -> None:
        """End the process, whatever it does."""
        with self._guard:
            self._killed = True
            if self._process.pid is not None:
                self._process.kill()


def _compute(pipe: Connection) -> None:
    """Do the work that comes through the pipe; the main function of the process."""
    # A Ctrl-C reaches the whole group; whoever started this process decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    work, args = pipe.recv()
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
