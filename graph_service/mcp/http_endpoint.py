"""MCP over streamable HTTP: loaded when the first client comes, answering every request by itself."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.mcp.caller import Caller, caller_of
from schema.errors import InputError, InstallError, MnemographError, UnavailableError
from schema.ids import TenantId
from schema.limits import LIMITS

if TYPE_CHECKING:
    from graph_service.mcp.tool import ToolContext

Whose = Callable[[Request], TenantId]


class McpEndpoint:
    """An ASGI application. No session is kept between requests, so that any replica may answer any of them.

    Args:
        usual: what the settings say of callers.
        whose: the tenant of a request; raises errors of ours.
        auth: writes the audit log; None disables it.
    """

    def __init__(
        self, context: "ToolContext", *, usual: Caller, whose: Whose, auth: Authenticator | None = None
    ) -> None:
        self._context = context
        self._usual = usual
        self._whose = whose
        self._auth = auth
        self._wanted = asyncio.Event()
        self._ready: asyncio.Future[ASGIApp] | None = None
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Serve from the first request until `stop` is set and what is in flight is answered; run it supervised."""
        self._ready = ready = asyncio.get_running_loop().create_future()
        # An error is looked at whether or not somebody waits for it.
        ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await self._serve(ready, stop)
        finally:
            # Whoever waits, or comes before the next start, is told at once.
            self._ready = None
            if not ready.done():
                ready.set_exception(UnavailableError("MCP is not served at this moment; ask again in a moment", 1.0))

    async def _serve(self, ready: "asyncio.Future[ASGIApp]", stop: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self._wanted, stop)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if stop.is_set():
            return
        try:
            # Loading the protocol takes a second or two, which nobody should pay who does not speak it.
            serving = await asyncio.to_thread(self._load)
        except ImportError as error:
            why = f"MCP cannot be spoken here: {error}; install this package with its requirements"
            ready.set_exception(InstallError(why))
            await stop.wait()
            return
        async with serving() as app:
            ready.set_result(app)
            await stop.wait()
            await self._idle.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        No session is kept, so there is nothing to stream between requests and none to end: only POST is answered. The
        SDK would hold the stream of a GET open for as long as the client likes.
        """
        if scope["method"] != "POST":
            told = {"code": InputError.code, "message": "MCP is spoken here by POST; there is no stream to open"}
            await JSONResponse({"error": told}, status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        try:
            # Read here, since the SDK logs a client that leaves as an error of its own.
            said = await Request(scope, receive).body()
        except ClientDisconnect:
            await Response(status_code=499)(scope, receive, send)
            return
        self._wanted.set()
        self._in_flight += 1
        self._idle.clear()
        try:
            if self._ready is None:
                raise UnavailableError("MCP is not served at this moment; ask again in a moment", 1.0)
            app = await asyncio.shield(self._ready)
            await app(scope, _first(said, receive), send)
        except MnemographError as error:
            body = {"error": {"code": error.code, "message": error.message}}
            await JSONResponse(body, status_code=error.http_status)(scope, receive, send)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    def _load(self) -> Callable[[], contextlib.AbstractAsyncContextManager[ASGIApp]]:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from graph_service.mcp.memory_backend import MemoryBackend
        from graph_service.mcp.server import Context, protocol_server

        def caller(context: Context) -> Caller:
            request = context.request
            assert isinstance(request, Request), "over HTTP every message comes with its request"
            return self._caller(request)

        async def context() -> "ToolContext":
            return self._context

        door = MemoryBackend(context, note=self._note)
        server = protocol_server(door, version=self._context.about.version, caller=caller)
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=LIMITS.body_bytes
        )

        @contextlib.asynccontextmanager
        async def serving() -> AsyncIterator[ASGIApp]:
            async with manager.run():
                yield manager.handle_request

        return serving

    def _caller(self, request: Request) -> Caller:
        """Return who sends a request: the one place where that is decided."""
        return caller_of(self._whose(request), access_of(request), request.query_params, self._usual)

    async def _note(self, caller: Caller, tool: str, outcome: str) -> None:
        if self._auth is not None:
            await self._auth.write_audit(caller.access, tenant=caller.tenant, door="mcp", what=(tool,), outcome=outcome)


def _first(body: bytes, receive: Receive) -> Receive:
    """Return the way in of a request whose body was read already."""
    told = False

    async def replayed() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
