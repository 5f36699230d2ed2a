"""Test work in a child process: its result, deadline, cancellation, and the death of its parent."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from extraction.child_process import EndedEarlyError, OwnProcess
from schema.errors import TooSlowError
from tests.support.child_processes import computing_children

MANY_S = 60.0


def halved(number: int) -> float:
    """Return half of a number other than 13."""
    if number == 13:
        raise ValueError("thirteen")
    return number / 2


def total_length(parts: list[bytes]) -> int:
    """Return the length of all parts."""
    return sum(map(len, parts))


def sleep_for_ever(note: Path) -> None:
    """Write the process id, then sleep in one call that Python cannot interrupt."""
    note.write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(3_600)


def noted(note: Path) -> tuple[float, float]:
    """Return when the work began and ended."""
    began_s = time.monotonic()
    note.write_text("", encoding="utf-8")
    time.sleep(0.3)
    return began_s, time.monotonic()


def end_at_once() -> None:
    """Kill the process, as the kernel does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


async def until_there(note: Path) -> None:
    async with asyncio.timeout(MANY_S):
        while not written(note):  # noqa: ASYNC110  another process does it
            await asyncio.sleep(0.05)


def written(note: Path) -> str:
    """Return what a process wrote."""
    return note.read_text(encoding="utf-8") if note.exists() else ""


async def until_none_is_left() -> None:
    async with asyncio.timeout(MANY_S):
        while computing_children():  # noqa: ASYNC110  a thread waits for them
            await asyncio.sleep(0.05)


async def test_work_returns_its_result_or_raises_its_error() -> None:
    place = OwnProcess()
    assert await place.run(halved, 4) == 2.0
    with pytest.raises(ValueError, match="thirteen"):
        await place.run(halved, 13)
    await until_none_is_left()


async def test_large_arguments_are_sent_in_pieces() -> None:
    given = [str(number).encode().zfill(1_000) for number in range(10_000)]
    tracemalloc.start()
    try:
        assert await OwnProcess().run(total_length, given) == 10_000_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # As one piece they would be 10 MB, made in one call that holds the GIL.
    assert most < 3_000_000


async def test_cancelled_process_is_killed(tmp_path: Path) -> None:
    place, note = OwnProcess(), tmp_path / "note"
    waiting = asyncio.create_task(place.run(sleep_for_ever, note))
    await until_there(note)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until_none_is_left()
    assert await place.run(halved, 4) == 2.0, "its place is free again"


async def test_process_over_its_deadline_is_killed(tmp_path: Path) -> None:
    with pytest.raises(TooSlowError, match="stopped after 2 s"):
        await OwnProcess(wall_max_s=2.0).run(sleep_for_ever, tmp_path / "note")
    await until_none_is_left()


async def test_process_killed_by_the_system_raises() -> None:
    with pytest.raises(EndedEarlyError):
        await OwnProcess().run(end_at_once)


async def test_one_process_runs_at_a_time(tmp_path: Path) -> None:
    place = OwnProcess()
    times = await asyncio.gather(*(place.run(noted, tmp_path / f"note{number}") for number in range(2)))
    (_, first_end_s), (second_begin_s, _) = sorted(times)
    assert first_end_s <= second_begin_s


PARENT = """
import asyncio, sys
from pathlib import Path
from extraction.child_process import OwnProcess
from tests.unit.extraction.test_child_process import sleep_for_ever

if __name__ == "__main__":
    asyncio.run(OwnProcess().run(sleep_for_ever, Path(sys.argv[1])))
"""


def test_process_ends_with_its_parent_however_that_ends(tmp_path: Path) -> None:
    script, note = tmp_path / "parent.py", tmp_path / "note"
    script.write_text(PARENT, encoding="utf-8")
    root = str(Path(__file__).parents[3])
    until_s = time.monotonic() + MANY_S
    with subprocess.Popen([sys.executable, str(script), str(note)], env={**os.environ, "PYTHONPATH": root}) as parent:
        try:
            while not written(note) and time.monotonic() < until_s:
                time.sleep(0.05)
        finally:
            parent.kill()
    child = int(written(note))
    while is_there(child) and time.monotonic() < until_s:
        time.sleep(0.05)
    assert not is_there(child)


def is_there(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return False


async def test_cancelled_calls_leave_no_process(tmp_path: Path) -> None:
    place = OwnProcess()
    for _ in range(5):
        call = asyncio.create_task(place.run(halved, 1))
        while not computing_children():  # noqa: ASYNC110  another task starts it
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    await until_none_is_left()
    assert await place.run(halved, 4) == 2.0
