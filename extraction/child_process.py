"""Run a CPU-bound function in a child process, one at a time, with a deadline.

For functions that would hold the GIL, and so block every request, for many seconds. The process is killed after its
deadline or when the caller is cancelled, and exits when its parent process is gone.
"""

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from schema.errors import MnemosceneError, TooSlowError

T = TypeVar("T")

# A hundred thousand nodes with their relationships took 270 s of wall-clock time on a loaded machine.
WALL_MAX_S: Final = 900.0
_NICE: Final = 10
_PROGRAM: Final = f"import sys; sys.path[:] = {{}}; from {__name__} import answer_parent; answer_parent()"


class EndedEarlyError(MnemosceneError):
    """The process ended without a result: it was killed or ran out of memory."""


class OwnProcess:
    """Run one child process at a time; other calls wait.

    Args:
        wall_max_s: wall-clock limit of one call.
    """

    def __init__(self, *, wall_max_s: float = WALL_MAX_S) -> None:
        self.wall_max_s = wall_max_s
        self._turn = asyncio.Lock()

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run a call in a child process and return its result; function, arguments and result must be picklable.

        Raises:
            TooSlowError: the call exceeded its time and was killed.
            EndedEarlyError: the process ended without a result.
        """
        async with self._turn:
            # `-P`, because `-c` puts the working directory first on the import path.
            command = (sys.executable, "-P", "-c", _PROGRAM.format([*filter(None, sys.path)]))
            # In a session of its own, because Ctrl-C reaches the whole process group.
            child = subprocess.Popen(  # noqa: ASYNC220  returns at once
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            try:
                async with asyncio.timeout(self.wall_max_s):
                    ok, result = await asyncio.to_thread(_ask, child, work, args)
            except TimeoutError:
                raise TooSlowError(f"it was stopped after {self.wall_max_s:.0f} s") from None
            finally:
                # Ends the thread, too.
                child.kill()
        if not ok:
            raise result
        answer: T = result
        return answer


def _ask(child: "subprocess.Popen[bytes]", work: Callable[..., object], args: tuple[object, ...]) -> tuple[bool, Any]:
    """Send a call to a child; return whether it succeeded, and its result or exception."""
    assert child.stdin is not None, "it is a pipe"
    assert child.stdout is not None, "it is a pipe"
    try:
        # Frames of 64 KiB are written without the GIL; one piece would hold it 333 ms for a hundred thousand nodes.
        pickle.Pickler(child.stdin).dump((work, args))
        child.stdin.flush()
        answer: tuple[bool, Any] = pickle.load(child.stdout)
    except (EOFError, OSError, pickle.UnpicklingError):
        raise EndedEarlyError("a computing process ended unexpectedly, possibly out of memory") from None
    else:
        return answer
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):
                pipe.close()


def answer_parent() -> None:
    """Run the call that standard input holds; main function of the child."""
    os.nice(_NICE)
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What the call prints is no part of the answer.
    os.dup2(2, 1)
    work, args = pickle.load(calls)

    def end_with_parent() -> None:
        calls.read(1)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        answer = True, work(*args)
    except Exception as error:
        answer = False, error
    with answers:
        pickle.dump(answer, answers)
        answers.flush()
    os._exit(0)
