"""MCP over the standard streams of this process, for one client: the program that started it."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any, Final, cast

from mcp.server.stdio import stdio_server

from graph_service.mcp.caller import Caller
from graph_service.mcp.door import Door
from graph_service.mcp.server import protocol_server

_CHUNK_BYTES: Final = 65_536


async def serve_stdio(door: Door, *, caller: Caller, version: str) -> None:
    """Answers until the client closes our input. Nothing else may write to standard output meanwhile."""
    server = protocol_server(door, version=version, caller=lambda _context: caller)
    # The SDK only iterates over its input.
    async with stdio_server(stdin=cast(Any, _lines(sys.stdin.fileno()))) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _lines(number: int) -> AsyncIterator[str]:
    """Lines of a file, read by a thread that nobody has to wait for: the SDK's own keeps a process from ending."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        # The loop may be closed when the client says something at last.
        with contextlib.suppress(RuntimeError):
            # An input that cannot be read any more has ended as well.
            with contextlib.suppress(OSError):
                while chunk := os.read(number, _CHUNK_BYTES):
                    loop.call_soon_threadsafe(found.put_nowait, chunk)
            loop.call_soon_threadsafe(found.put_nowait, b"")

    threading.Thread(target=read, name="standard input", daemon=True).start()
    begun = b""
    while chunk := await found.get():
        *whole, begun = (begun + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", errors="replace")
