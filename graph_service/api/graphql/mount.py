"""GraphQL as it is mounted: loaded with the first request, or soon after the start."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.api.errors import install_error_handlers
from graph_service.auth.access import ANYBODY, SCOPE_KEY, Access, vouch
from graph_service.auth.gate import Gate
from graph_service.auth.places import Place, Places
from graph_service.memory.service import Memory
from schema.errors import RateLimitError

if TYPE_CHECKING:
    from graph_service.api.graphql.subscriptions import Follow

GRAPHQL_PATH = "/graphql"
# Where a socket's scope holds what is to be awaited, with the tenant, when it has said `connection_init`.
GREETED_KEY: Final = "mnemograph.greeted"
_TRY_LATER: Final = 1013


class GraphQLMount:
    """An ASGI application that answers GraphQL over HTTP and over sockets.

    To load GraphQL takes a third of all that this process loads, while Neo4j's start needs the same processors: so the
    service starts without it, and the first request may have to wait for a fraction of a second.
    """

    def __init__(self, memory: Memory, gate: Gate, follow: "Follow") -> None:
        self._memory = memory
        self._gate = gate
        self._follow = follow
        self._sockets = Places("sockets", most=1_024, of_tenant=256, of_credential=64)
        self._loading: asyncio.Task[ASGIApp] | None = None

    def load(self) -> None:
        """Load it beside whatever else goes on; the second call does nothing, unless the first one failed."""
        if self._loading is None or (self._loading.done() and _failed(self._loading)):
            self._loading = asyncio.create_task(asyncio.to_thread(self._load), name="graphql")

    def routes(self) -> list[BaseRoute]:
        """Return where it is reached."""
        return [Route(GRAPHQL_PATH, endpoint=self), WebSocketRoute(GRAPHQL_PATH, endpoint=self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or one socket."""
        self.load()
        assert self._loading is not None
        app = await asyncio.shield(self._loading)
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        async with _Socket(self._sockets, scope, send) as socket:
            await app(scope, receive, socket.send)

    def _load(self) -> ASGIApp:
        from graph_service.api.graphql.schema import graphql_router

        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        install_error_handlers(app)
        app.include_router(graphql_router(self._memory, self._gate, self._follow), prefix=GRAPHQL_PATH)
        return app


def _failed(task: "asyncio.Task[ASGIApp]") -> bool:
    return task.cancelled() or task.exception() is not None


class _Socket:
    """One socket, which takes a place once it said `connection_init`; those that say nothing take none."""

    def __init__(self, places: Places, scope: Scope, send: Send) -> None:
        self._places = places
        self._scope = scope
        self._send = send
        self._closed = False
        self._stack = contextlib.AsyncExitStack()
        scope[GREETED_KEY] = self._greet

    async def __aenter__(self) -> "_Socket":
        """Return the socket, without a place."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Give the place back."""
        await self._stack.aclose()

    async def send(self, message: Message) -> None:
        """Send a message, unless the socket was closed for want of a place."""
        if not self._closed:
            await self._send(message)

    async def _greet(self, tenant: str) -> None:
        """Take the place.

        Raises:
            RateLimitError: there is none; the socket is closed.
        """
        access: Access = self._scope.get(SCOPE_KEY, ANYBODY)
        try:
            place = self._stack.enter_context(self._places.taken(tenant, access))
        except RateLimitError as error:
            await self._close(error.message)
            raise
        vouch(self._scope, access)
        keeping = asyncio.create_task(self._keep(place), name="keep a socket's place")
        self._stack.push_async_callback(_ended, keeping)

    async def _keep(self, place: Place) -> None:
        await place.lost.wait()
        await self._close("this place was given to a tenant that has fewer; come back")

    async def _close(self, reason: str) -> None:
        self._closed = True
        with contextlib.suppress(OSError, RuntimeError):
            # A reason has 123 bytes at most.
            await self._send({"type": "websocket.close", "code": _TRY_LATER, "reason": reason[:120]})


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
