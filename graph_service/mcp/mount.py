"""MCP over streamable HTTP: loaded when the first client comes, answering every request by itself."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.mcp.caller import Caller, caller_of
from schema.errors import MnemographError, UnavailableError
from schema.ids import TenantId
from schema.limits import LIMITS

if TYPE_CHECKING:
    from graph_service.mcp.tool import Desk

PATH: Final = "/mcp"
Whose = Callable[[Request], TenantId]
Welcome = Callable[[str | None, str | None], bool]


class McpMount:
    """An ASGI application. No session is kept between requests, so that any replica may answer any of them.

    Args:
        usual: what the settings say of callers.
        whose: the tenant of a request; raises errors of ours.
        welcome: whether a page of this origin may ask this host.
    """

    def __init__(self, desk: "Desk", *, usual: Caller, whose: Whose, welcome: Welcome) -> None:
        self._desk = desk
        self._usual = usual
        self._whose = whose
        self._welcome = welcome
        self._wanted = asyncio.Event()
        self._ready: asyncio.Future[ASGIApp] | None = None
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Serves from the first request until `stop` is set and what is in flight is answered."""
        self._ready = asyncio.get_running_loop().create_future()
        waits = [asyncio.ensure_future(event.wait()) for event in (self._wanted, stop)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if stop.is_set():
            self._ready.cancel()
            return
        # Loading the protocol takes a second or two, which nobody should pay who does not speak it.
        async with (await asyncio.to_thread(self._load))() as app:
            self._ready.set_result(app)
            await stop.wait()
            await self._idle.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        headers = Request(scope).headers
        if not self._welcome(headers.get("origin"), headers.get("host")):
            await _refusal("FORBIDDEN", "pages of other origins may not ask this service", 403)(scope, receive, send)
            return
        self._wanted.set()
        self._in_flight += 1
        self._idle.clear()
        try:
            if self._ready is None:
                raise UnavailableError("the service is starting; ask again in a moment", 1.0)
            app = await asyncio.shield(self._ready)
            await app(scope, receive, send)
        except MnemographError as error:
            await _refusal(error.code, error.message, error.http_status)(scope, receive, send)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    def _load(self) -> Callable[[], contextlib.AbstractAsyncContextManager[ASGIApp]]:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from graph_service.mcp.door import MemoryDoor
        from graph_service.mcp.server import Context, protocol_server

        def caller(context: Context) -> Caller:
            request = context.request
            assert isinstance(request, Request), "over HTTP every message comes with its request"
            return self._caller(request)

        async def desk() -> "Desk":
            return self._desk

        server = protocol_server(MemoryDoor(desk), version=self._desk.about.version, caller=caller)
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=LIMITS.body_bytes
        )

        @contextlib.asynccontextmanager
        async def serving() -> AsyncIterator[ASGIApp]:
            async with manager.run():
                yield manager.handle_request

        return serving

    def _caller(self, request: Request) -> Caller:
        """Who sends a request: the one place where that is decided."""
        return caller_of(self._whose(request), request.query_params, self._usual)


def _refusal(code: str, message: str, status: int) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)
