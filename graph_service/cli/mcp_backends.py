"""Serve MCP on standard input and output for `mnemoscene mcp`, through a running service or in this process."""

import asyncio
import contextlib
import importlib
import sys
from typing import TYPE_CHECKING, Final

from graph_service.cli.open_services import open_services
from graph_service.cli.service_client import request_headers
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from graph_service.mcp.caller import Caller
from graph_service.mcp.proxy_backend import ProxyBackend
from graph_service.mcp.server import Backend, serve_stdio
from graph_service.runtime.service_registry import running_service
from graph_service.supervision import cancel
from graph_service.version import version
from schema.errors import UnavailableError
from schema.ids import tenant_named

if TYPE_CHECKING:
    from graph_service.mcp.tool import ToolContext

# MCP clients close our input to stop us, and kill the process two seconds later.
SHUTDOWN_MAX_S: Final = 1.5
# Clients give up after a minute; the first start, which downloads Neo4j, may take longer.
READY_MAX_S: Final = 40.0


async def serve(settings: Settings, terminal: Terminal) -> None:
    """Serve one client on standard input and output until it disconnects.

    Raises:
        InputError: the tenant's name is not valid.
    """
    mcp = settings.mcp
    caller = Caller(tenant=tenant_named(settings.tenant), user_id=mcp.user, tools=mcp.tools, aliases=mcp.aliases)
    backends = Backends(settings, terminal, caller)
    if sys.stdin.isatty():
        terminal.say("MCP on standard input and output; an agent's MCP client starts this command. Ctrl-C stops.")
    try:
        await serve_stdio(backends.current, caller=caller, version=version())
    finally:
        await backends.close()


class Backends:
    """The running service of this machine, or without one services in this process.

    A running service is looked for before each request, until this process has opened its own.
    """

    def __init__(self, settings: Settings, terminal: Terminal, caller: Caller) -> None:
        self._settings = settings
        self._terminal = terminal
        self._caller = caller
        self._proxy: ProxyBackend | None = None
        self._own: Backend | None = None
        self._opening: asyncio.Task[ToolContext] | None = None
        self._closing = contextlib.AsyncExitStack()

    async def close(self) -> None:
        if self._proxy is not None:
            await self._proxy.close()
        await cancel(self._opening)
        await self._closing.aclose()

    async def current(self) -> Backend:
        """Return the service of `url` or of this machine; else services in this process, kept from then on."""
        if self._own is not None:
            return self._own
        address = self._settings.url or await asyncio.to_thread(running_service, self._settings)
        if address is None:
            if self._proxy is not None:
                await self._proxy.close()
            # Imported only now: a client of a running service should not wait for it.
            module = await asyncio.to_thread(importlib.import_module, "graph_service.mcp.memory_backend")
            # Another call may have set it meanwhile.
            self._own = self._own or module.MemoryBackend(self._context, hidden=self._settings.display.hidden)
            # Open the services while the client reads the list of tools.
            self._open()
            assert self._own is not None
            return self._own
        old = self._proxy
        if old is None or old.address != address:
            self._proxy = ProxyBackend(
                address, headers=request_headers(self._settings, self._settings.tenant), caller=self._caller
            )
            if old is not None:
                await old.close()
        assert self._proxy is not None
        return self._proxy

    def _open(self) -> "asyncio.Task[ToolContext]":
        """Return the task that opens the services; start it again if it failed."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open_services())
        return self._opening

    async def _context(self) -> "ToolContext":
        opening = self._open()
        done, _ = await asyncio.wait([opening], timeout=READY_MAX_S)
        if not done:
            raise UnavailableError(
                "the memory is starting; the first start downloads Neo4j, about 176 MB. Try again in a moment", 10.0
            )
        return opening.result()

    async def _open_services(self) -> "ToolContext":
        opening = open_services(self._settings, self._terminal, lasting=True)
        services = await self._closing.enter_async_context(opening)
        # While the database is away, messages are spooled, and questions answered from the spool and the snapshot.
        await services.database.attempted()
        if not services.database.connected:
            await services.memory.recall_snapshots.load()
        from graph_service.app.application import tool_context, working
        from graph_service.runtime.shutdown import Stopping

        await self._closing.enter_async_context(working(services, Stopping(work_max_s=SHUTDOWN_MAX_S)))
        return tool_context(services)
