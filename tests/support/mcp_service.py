"""The MCP door as the service mounts it, served by a real uvicorn, and the SDK's own client."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from starlette.applications import Starlette
from starlette.routing import Route

from graph_service.api.tenant import HEADER, tenant_of
from graph_service.mcp.caller import Caller
from graph_service.mcp.http_endpoint import McpEndpoint
from graph_service.mcp.tool import ServiceInfo, ToolContext
from graph_service.memory.service import Memory
from schema.ids import DEFAULT_TENANT

ABOUT = ServiceInfo(version="0.0-test", reader="rules", embedder="hashed-words")


def a_desk(memory: Memory) -> ToolContext:
    """A desk with a real clock."""
    return ToolContext(memory=memory, about=ABOUT, clock=lambda: datetime.now(UTC))


class Agent:
    """An agent's view of the door: calls tools, and looks at what comes back."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that works; the SDK checks it against the tool's schema."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result.content
        return dict(result.structured_content)

    async def text(self, tool: str, **arguments: Any) -> str:
        """What a model reads of a call that works."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return str(result.content[0].text)

    async def failure(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails; a model reads the same."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        error = dict(result.structured_content["error"])
        assert result.content[0].text == f"{error['code']}: {error['message']}"
        return error


class McpService:
    """Where the door listens."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"

    @contextlib.asynccontextmanager
    async def agent(self, tenant: str, *, mode: str = "auto", **query: str) -> AsyncIterator[Agent]:
        """The SDK's client; `query` goes into the address."""
        url = f"{self.url}?{urlencode(query)}" if query else self.url
        async with (
            httpx2.AsyncClient(headers={HEADER: quote(tenant)}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            yield Agent(client)


@contextlib.asynccontextmanager
async def kept(opening: contextlib.AbstractAsyncContextManager[Agent]) -> AsyncIterator[Agent]:
    """An agent for a fixture: the SDK wants to be closed by the task that opened it, and fixtures end in another."""
    opened: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        async with opening as agent:
            opened.set_result(agent)
            await over.wait()

    holding = asyncio.create_task(hold())
    await asyncio.wait([holding, opened], return_when=asyncio.FIRST_COMPLETED)
    try:
        yield opened.result() if opened.done() else holding.result()  # type: ignore[misc]
    finally:
        over.set()
        await holding


@contextlib.asynccontextmanager
async def serving(memory: Memory, usual: Caller | None = None) -> AsyncIterator[McpService]:
    """The mounted door."""
    mount = McpEndpoint(
        a_desk(memory),
        usual=usual or Caller(tenant=DEFAULT_TENANT),
        tenant_of=tenant_of,
    )
    app, stop = Starlette(routes=[Route("/mcp", endpoint=mount)]), asyncio.Event()
    running = asyncio.create_task(mount.run(stop))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    task = asyncio.create_task(server.serve())
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0)
    try:
        yield McpService(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        await task
        stop.set()
        await running
