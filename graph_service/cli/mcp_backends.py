"""Where the answers of `mnemograph mcp` come from: a service that runs, or parts of its own."""

import asyncio
import contextlib
import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mcp.types import (
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)

from graph_service.cli.open_services import opened
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from graph_service.mcp.backend import Backend
from graph_service.mcp.caller import Caller
from graph_service.mcp.proxy_backend import ProxyBackend
from graph_service.mcp.server import serve_stdio
from graph_service.runtime.service_registry import running_service
from graph_service.version import version
from schema.errors import UnavailableError
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.mcp.tool import ToolContext

# A client that is done closes our input and kills us two seconds later.
END_MAX_S: Final = 1.5
# Clients give up after a minute; the first start, which fetches Neo4j, may take longer.
READY_MAX_S: Final = 40.0


async def serve(settings: Settings, terminal: Terminal) -> None:
    """Answer one client on standard input and output until it is done.

    Raises:
        InputError: the tenant is no name.
    """
    wanted = settings.mcp
    caller = Caller(tenant=tenant_named(settings.tenant), user_id=wanted.user, aliases=wanted.aliases)
    door = NearestDoor(settings, terminal, caller)
    if sys.stdin.isatty():
        terminal.say("MCP on standard input and output: agents' clients start this by themselves. Ctrl-C stops.")
    try:
        await serve_stdio(door, caller=caller, version=version())
    finally:
        await door.close()


class NearestDoor:
    """The service of this machine while one runs, parts of our own otherwise; looked for before each answer."""

    def __init__(self, settings: Settings, terminal: Terminal, caller: Caller) -> None:
        self._settings = settings
        self._terminal = terminal
        self._caller = caller
        self._relay: ProxyBackend | None = None
        self._own: Backend | None = None
        self._opening: asyncio.Task[ToolContext] | None = None
        self._closing = contextlib.AsyncExitStack()

    async def tools(self, caller: Caller) -> ListToolsResult:
        """Return the tools there are."""
        return await (await self._door()).tools(caller)

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Return what a tool answers."""
        return await (await self._door()).call(caller, name, arguments)

    async def resources(self, caller: Caller) -> ListResourcesResult:
        """Return the latest sessions of the caller's user."""
        return await (await self._door()).resources(caller)

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        """Return how the URIs of layer texts are made."""
        return await (await self._door()).templates(caller)

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        """Return a layer text."""
        return await (await self._door()).read(caller, uri)

    async def close(self) -> None:
        """End the connection to the service, or the parts of our own."""
        if self._relay is not None:
            await self._relay.close()
        if self._opening is not None:
            if not self._opening.done():
                self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
        await self._closing.aclose()

    async def _door(self) -> Backend:
        """Return the service that was named, or that runs here. Once the parts are our own they stay so."""
        if self._own is not None:
            return self._own
        address = self._settings.mcp.url or await asyncio.to_thread(running_service, self._settings)
        if address is None:
            if self._relay is not None:
                await self._relay.close()
            # A client that talks to a service never waits for what only our own parts need.
            memory_door = await asyncio.to_thread(importlib.import_module, "graph_service.mcp.memory_backend")
            # Whatever awaited meanwhile found the same.
            self._own = self._own or memory_door.MemoryBackend(self._desk)
            # The first tool is not called at once: the parts get ready while the client reads what there is.
            self._open()
            assert self._own is not None
            return self._own
        old = self._relay
        if old is None or old.address != address:
            self._relay = ProxyBackend(address, headers=_headers(self._settings), caller=self._caller)
            if old is not None:
                await old.close()
        assert self._relay is not None
        return self._relay

    def _open(self) -> "asyncio.Task[ToolContext]":
        """Return the parts, getting ready; begun again when that failed."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._opened())
        return self._opening

    async def _desk(self) -> "ToolContext":
        opening = self._open()
        done, _ = await asyncio.wait([opening], timeout=READY_MAX_S)
        if not done:
            raise UnavailableError(
                "the memory is getting ready; its first start fetches Neo4j once, about 150 MB. Try again in a moment",
                10.0,
            )
        return opening.result()

    async def _opened(self) -> "ToolContext":
        parts = await self._closing.enter_async_context(opened(self._settings, self._terminal))
        from graph_service.app.application import tool_context
        from graph_service.app.background_tasks import working
        from graph_service.runtime.shutdown import Stopping

        await self._closing.enter_async_context(working(parts, Stopping(work_max_s=END_MAX_S)))
        return tool_context(parts)


def _headers(settings: Settings) -> dict[str, str]:
    headers = {"Mnemograph-Tenant": quote(settings.tenant)}
    if settings.mcp.api_key:
        headers["Authorization"] = f"Bearer {settings.mcp.api_key}"
    return headers
