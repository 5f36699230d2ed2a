"""Run a uvicorn server in the event loop of the tests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import uvicorn


@contextlib.asynccontextmanager
async def running(config: uvicorn.Config) -> AsyncIterator[uvicorn.Server]:
    """Serve inside the block."""
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0.005)
    try:
        yield server
    finally:
        server.should_exit = True
        await task


def port_of(server: uvicorn.Server) -> int:
    """Return the port on which a server listens."""
    return int(server.servers[0].sockets[0].getsockname()[1])
