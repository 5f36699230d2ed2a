"""A module of the benches in a process of its own, which says where it is and ends with its input."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from typing import Any


@contextlib.asynccontextmanager
async def child_process(
    module: str, *arguments: str, said: str | None = None
) -> AsyncIterator[tuple[Any, asyncio.subprocess.Process]]:
    """The first line that it prints, which is JSON, and the process; it has ended when the block has.

    Args:
        said: a line that it is told first, for what must not stand in the list of processes.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", module, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        if said is not None:
            child.stdin.write(f"{said}\n".encode())
        told = json.loads(await child.stdout.readline())
        yield told, child
    finally:
        child.stdin.close()
        await child.wait()
