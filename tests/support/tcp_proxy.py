"""Run a TCP proxy between the service and its database, which a test can cut, freeze and restore."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


class TcpProxy:
    """A proxy to a local port; its own `port` does not change when forwarding is restarted with `mend`."""

    def __init__(self) -> None:
        self.port = 0
        self._target = 0
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()

    @property
    def is_cut(self) -> bool:
        """True if new connections are refused."""
        return self._server is None or not self._server.is_serving()

    async def mend(self, target: int) -> None:
        """Start forwarding to `target`."""
        self._target = target
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Abort all connections and refuse new ones."""
        assert self._server is not None
        self._server.close()
        for end in self._ends:
            end.transport.abort()
        self._flows.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def freeze(self) -> None:
        """Stop forwarding data but keep all connections open."""
        self._flows.clear()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._next_target())
            self._ends |= {writer, far_writer}
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
            self._ends -= {writer, far_writer}
        except OSError:
            writer.transport.abort()
        finally:
            self._tasks.discard(task)

    def _next_target(self) -> int:
        return self._target

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@contextlib.asynccontextmanager
async def tcp_proxy(target: int) -> AsyncIterator[TcpProxy]:
    """Forward to `target` inside the block."""
    cable = TcpProxy()
    await cable.mend(target)
    try:
        yield cable
    finally:
        await cable.cut()
