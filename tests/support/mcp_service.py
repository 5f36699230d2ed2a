"""Run the MCP endpoint on a real uvicorn, with the SDK's client."""

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

from graph_service.api.request_gate import HEADER, tenant_of
from graph_service.mcp.caller import Caller
from graph_service.mcp.http_endpoint import McpEndpoint
from graph_service.mcp.tool import ServiceInfo, ToolContext
from graph_service.memory.service import Memory
from schema.ids import DEFAULT_TENANT
from tests.support import http_server

ABOUT = ServiceInfo(version="0.0-test", reader="rules", embedder="hashed-words")


def a_tool_context(memory: Memory) -> ToolContext:
    """Return a tool context with a real clock."""
    return ToolContext(memory=memory, about=ABOUT, clock=lambda: datetime.now(UTC))


class Agent:
    """An MCP client that calls tools and checks the form of their results."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a successful call; the SDK validates it against the tool's schema."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result.content
        return dict(result.structured_content)

    async def text(self, tool: str, **arguments: Any) -> str:
        """Return the text result of a successful call."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return str(result.content[0].text)

    async def failure(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the error of a failing call; the text result must contain the same error."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        error = dict(result.structured_content["error"])
        assert result.content[0].text == f"{error['code']}: {error['message']}"
        return error


class McpService:
    """The address of the endpoint."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"

    @contextlib.asynccontextmanager
    async def agent(self, tenant: str, *, mode: str = "auto", **query: str) -> AsyncIterator[Agent]:
        """Connect the SDK's client; `query` is added to the URL."""
        url = f"{self.url}?{urlencode(query)}" if query else self.url
        async with (
            httpx2.AsyncClient(headers={HEADER: quote(tenant)}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            yield Agent(client)


@contextlib.asynccontextmanager
async def kept_open(opening: contextlib.AbstractAsyncContextManager[Agent]) -> AsyncIterator[Agent]:
    """Yield an agent opened in a separate task: the SDK must be closed by the task that opened it, unlike fixtures."""
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
    """Serve the endpoint inside the block."""
    mount = McpEndpoint(
        a_tool_context(memory),
        usual=usual or Caller(tenant=DEFAULT_TENANT),
        tenant_of=tenant_of,
    )
    app, stop = Starlette(routes=[Route("/mcp", endpoint=mount)]), asyncio.Event()
    running = asyncio.create_task(mount.run(stop))
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan="off")
    try:
        async with http_server.running(config) as server:
            yield McpService(http_server.port_of(server))
    finally:
        stop.set()
        await running
