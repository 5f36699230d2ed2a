"""MCP backend that forwards everything to a running service."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)

from graph_service.config.sections import MCP_PATH
from graph_service.mcp.caller import Caller
from graph_service.mcp.server import failed, protocol_error
from schema.errors import MnemosceneError, UnavailableError

T = TypeVar("T")

# A tool call may wait for a model to summarize a whole session.
ANSWER_MAX_S: Final = 300.0
CONNECT_MAX_S: Final = 10.0


class ProxyBackend:
    """Forwards requests to a service over HTTP.

    Args:
        address: `http://host:port`.
        headers: with the tenant, and the credential if the service requires one.
    """

    def __init__(self, address: str, *, headers: Mapping[str, str], caller: Caller) -> None:
        self.address = address
        query = {
            "tools": caller.tools.value,
            "aliases": caller.aliases.value,
            **({"user": caller.user_id} if caller.user_id else {}),
        }
        self._url = f"{address.rstrip('/')}{MCP_PATH}?{urlencode(query, quote_via=quote)}"
        self._headers = dict(headers)
        self._closing = asyncio.Event()
        self._connection: asyncio.Task[None] | None = None
        self._client: asyncio.Future[Client] | None = None

    async def tools(self, caller: Caller) -> ListToolsResult:
        return await self._request(lambda client: client.list_tools())

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        try:
            return await (await self._connected()).call_tool(name, dict(arguments))
        except MnemosceneError as error:
            return failed(error)
        except (MCPError, httpx2.HTTPError, RuntimeError) as error:
            return failed(self._lost(error))

    async def resources(self, caller: Caller) -> ListResourcesResult:
        return await self._request(lambda client: client.list_resources())

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        return await self._request(lambda client: client.list_resource_templates())

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        return await self._request(lambda client: client.read_resource(uri))

    async def close(self) -> None:
        self._closing.set()
        if self._connection is not None:
            await asyncio.gather(self._connection, return_exceptions=True)

    async def _request(self, ask: Callable[[Client], Awaitable[T]]) -> T:
        try:
            return await ask(await self._connected())
        except MnemosceneError as error:
            raise protocol_error(error) from error
        except httpx2.HTTPError as error:
            raise protocol_error(self._lost(error)) from error

    async def _connected(self) -> Client:
        """Return the client; one task opens and closes it, as the SDK requires."""
        if self._client is None or (self._connection is not None and self._connection.done()):
            self._client = asyncio.get_running_loop().create_future()
            self._connection = asyncio.create_task(self._keep_open(self._client))
        return await asyncio.shield(self._client)

    async def _keep_open(self, ready: "asyncio.Future[Client]") -> None:
        try:
            timeout = httpx2.Timeout(CONNECT_MAX_S, read=ANSWER_MAX_S)
            async with (
                httpx2.AsyncClient(headers=self._headers, timeout=timeout) as http,
                Client(streamable_http_client(self._url, http_client=http), cache=None) as client,
            ):
                ready.set_result(client)
                await self._closing.wait()
        except Exception as error:
            if not ready.done():
                ready.set_exception(self._lost(error))

    def _lost(self, error: BaseException) -> UnavailableError:
        return UnavailableError(
            f"the service at {self.address} did not answer ({type(error).__name__}); check that it is running, and set"
            " api_key if it requires a credential. A pending write may have been stored: check with recall"
        )
