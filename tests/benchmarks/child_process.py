"""Run a benchmark module in a child process that reports its address and ends with its stdin."""

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
    """Start the module; yield its first line (JSON) and the process, which is stopped at the end of the block.

    Args:
        said: a line written to its stdin first, for secrets that must not be in the process list.
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
