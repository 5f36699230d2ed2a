"""The ASGI endpoint of GraphQL, loaded with the first request or soon after the start."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.api.errors import install_error_handlers
from graph_service.auth.access import ANONYMOUS, SCOPE_KEY, Access, identify_connection
from graph_service.auth.authenticator import CREDENTIAL_ENDED, Authenticator
from graph_service.auth.connection_slots import REVOKED, ConnectionSlots, Slot
from graph_service.memory.service import Memory
from schema.errors import RateLimitError

if TYPE_CHECKING:
    from graph_service.api.graphql.changes import Follow

GRAPHQL_PATH = "/graphql"
# Scope key of the coroutine function to call with the tenant after `connection_init`.
GREETED_KEY: Final = "mnemoscene.greeted"
_TRY_LATER: Final = 1013
# Close code of graphql-transport-ws.
_FORBIDDEN: Final = 4403
_LAST_WORDS_S: Final = 0.5


class GraphQLEndpoint:
    """ASGI application for GraphQL over HTTP and WebSocket.

    Loading GraphQL is a third of this process's import time and would compete with Neo4j's start for the processor, so
    it is deferred; the first request may wait a fraction of a second.
    """

    def __init__(self, memory: Memory, auth: Authenticator, follow: "Follow") -> None:
        self._memory = memory
        self._auth = auth
        self._follow = follow
        self._sockets = ConnectionSlots("sockets", most=1_024, of_tenant=256, of_credential=64)
        self._loading: asyncio.Task[ASGIApp] | None = None

    def load(self) -> None:
        """Start loading in a thread, unless it was started before and has not failed."""
        if self._loading is None or (self._loading.done() and _failed(self._loading)):
            self._loading = asyncio.create_task(asyncio.to_thread(self._load), name="graphql")

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the endpoint."""
        return [Route(GRAPHQL_PATH, endpoint=self), WebSocketRoute(GRAPHQL_PATH, endpoint=self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket."""
        self.load()
        assert self._loading is not None
        app = await asyncio.shield(self._loading)
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        async with _Socket(self._sockets, self._auth, scope, send) as socket:
            await app(scope, receive, socket.send)

    def _load(self) -> ASGIApp:
        from graph_service.api.graphql.schema import graphql_router

        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        install_error_handlers(app)
        app.include_router(graphql_router(self._memory, self._auth, self._follow), prefix=GRAPHQL_PATH)
        return app


def _failed(task: "asyncio.Task[ASGIApp]") -> bool:
    return task.cancelled() or task.exception() is not None


class _Socket:
    """A WebSocket, which takes a connection slot after `connection_init`."""

    def __init__(self, slots: ConnectionSlots, auth: Authenticator, scope: Scope, send: Send) -> None:
        self._slots = slots
        self._auth = auth
        self._scope = scope
        self._send = send
        self._closed = False
        self._stack = contextlib.AsyncExitStack()
        scope[GREETED_KEY] = self._greet

    async def __aenter__(self) -> "_Socket":
        """Return the socket; its slot is taken later, by `_greet`."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Release the slot, if one was taken."""
        await self._stack.aclose()

    async def send(self, message: Message) -> None:
        """Send a message, unless the socket was closed for lack of a slot."""
        if not self._closed:
            await self._send(message)

    async def _greet(self, tenant: str) -> None:
        """Take a connection slot; close the socket when the slot is revoked or the credential ends.

        Raises:
            RateLimitError: none is free; the socket is closed.
        """
        access: Access = self._scope.get(SCOPE_KEY, ANONYMOUS)
        try:
            slot = self._stack.enter_context(self._slots.take(tenant, access))
        except RateLimitError as error:
            await self._close(error.message)
            raise
        identify_connection(self._scope, access)
        watching = (
            asyncio.create_task(self._close_when_revoked(slot), name="watch a socket's slot"),
            asyncio.create_task(self._close_when_invalid(access), name="watch a socket's credential"),
        )
        for task in watching:
            self._stack.push_async_callback(_cancel, task)

    async def _close_when_revoked(self, slot: Slot) -> None:
        await slot.revoked.wait()
        await self._close(REVOKED)

    async def _close_when_invalid(self, access: Access) -> None:
        await self._auth.wait_until_invalid(access)
        # Subscriptions end with an error that says why; the socket closes after it.
        await asyncio.sleep(_LAST_WORDS_S)
        await self._close(CREDENTIAL_ENDED, code=_FORBIDDEN)

    async def _close(self, reason: str, *, code: int = _TRY_LATER) -> None:
        self._closed = True
        with contextlib.suppress(OSError, RuntimeError):
            # A close reason has at most 123 bytes.
            await self._send({"type": "websocket.close", "code": code, "reason": reason[:120]})


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
