"""MCP over streamable HTTP: stateless, loaded with the first request."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.mcp.caller import Caller, caller_of
from graph_service.supervision import wait_for_any
from schema.errors import InputError, InstallError, MnemosceneError, UnavailableError
from schema.ids import TenantId
from schema.limits import LIMITS

if TYPE_CHECKING:
    from graph_service.mcp.tool import ToolContext

TenantOf = Callable[[Request], TenantId]


class McpEndpoint:
    """ASGI application without sessions, so that any replica can answer any request.

    Args:
        usual: default caller from the settings.
        tenant_of: returns the tenant of a request; raises MnemosceneError.
        auth: writes the audit log; None disables it.
    """

    def __init__(
        self, context: "ToolContext", *, usual: Caller, tenant_of: TenantOf, auth: Authenticator | None = None
    ) -> None:
        self._context = context
        self._usual = usual
        self._tenant_of = tenant_of
        self._auth = auth
        self._requested = asyncio.Event()
        self._ready: asyncio.Future[ASGIApp] | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, after the last request; load the SDK at the first one. Run it supervised."""
        self._ready = ready = asyncio.get_running_loop().create_future()
        # Retrieve the error even if no request waits for it.
        ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await self._serve(ready, stop)
        finally:
            # Fail requests that wait, or that arrive before the next start.
            self._ready = None
            if not ready.done():
                ready.set_exception(UnavailableError("the MCP server is restarting; try again in a moment", 1.0))

    async def _serve(self, ready: "asyncio.Future[ASGIApp]", stop: asyncio.Event) -> None:
        await wait_for_any(self._requested, stop, timeout_s=None)
        if stop.is_set():
            return
        try:
            # Loading the SDK takes a second or two, so it is deferred until needed.
            serving = await asyncio.to_thread(self._load)
        except ImportError as error:
            why = f"the MCP SDK cannot be loaded: {error}; install this package with its requirements"
            ready.set_exception(InstallError(why))
            await stop.wait()
            return
        async with serving() as app:
            ready.set_result(app)
            await stop.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Without sessions only POST is needed; for GET the SDK would keep a stream open until the client closes it.
        """
        if scope["method"] != "POST":
            problem = {"code": InputError.code, "message": "use POST; this MCP server has no streams"}
            await JSONResponse({"error": problem}, status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        self._requested.set()
        try:
            if self._ready is None:
                raise UnavailableError("the MCP server is restarting; try again in a moment", 1.0)
            app = await asyncio.shield(self._ready)
            await app(scope, receive, send)
        except MnemosceneError as error:
            body = {"error": {"code": error.code, "message": error.message}}
            await JSONResponse(body, status_code=error.http_status)(scope, receive, send)

    def _load(self) -> Callable[[], contextlib.AbstractAsyncContextManager[ASGIApp]]:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from graph_service.mcp.memory_backend import MemoryBackend
        from graph_service.mcp.server import Context, protocol_server

        def caller(context: Context) -> Caller:
            request = context.request
            assert isinstance(request, Request), "every message over HTTP has a request"
            return caller_of(self._tenant_of(request), access_of(request), request.query_params, self._usual)

        async def context() -> "ToolContext":
            return self._context

        memory = MemoryBackend(context, note=self._note)

        async def backend() -> MemoryBackend:
            return memory

        server = protocol_server(backend, version=self._context.about.version, caller=caller)
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=LIMITS.body_bytes
        )

        @contextlib.asynccontextmanager
        async def serving() -> AsyncIterator[ASGIApp]:
            async with manager.run():
                yield manager.handle_request

        return serving

    async def _note(self, caller: Caller, tool: str, outcome: str) -> None:
        if self._auth is not None:
            await self._auth.write_audit(
                caller.access, tenant=caller.tenant, interface="mcp", what=(tool,), outcome=outcome
            )
