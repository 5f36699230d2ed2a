"""GraphQL as it is mounted: loaded with the first request, or soon after the start."""

import asyncio
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.api.errors import install_error_handlers
from graph_service.auth.gate import Gate
from graph_service.memory.service import Memory

if TYPE_CHECKING:
    from graph_service.api.graphql_live import Follow

GRAPHQL_PATH = "/graphql"


class GraphQLMount:
    """An ASGI application that answers GraphQL over HTTP and over sockets.

    To load GraphQL takes a third of all that this process loads, while Neo4j's start needs the same processors: so the
    service starts without it, and the first request may have to wait for a fraction of a second.
    """

    def __init__(self, memory: Memory, gate: Gate, follow: "Follow") -> None:
        self._memory = memory
        self._gate = gate
        self._follow = follow
        self._loading: asyncio.Task[ASGIApp] | None = None

    def load(self) -> None:
        """Load it beside whatever else goes on; the second call does nothing, unless the first one failed."""
        if self._loading is None or (self._loading.done() and _failed(self._loading)):
            self._loading = asyncio.create_task(asyncio.to_thread(self._load), name="graphql")

    def routes(self) -> list[BaseRoute]:
        """Where it is reached."""
        return [Route(GRAPHQL_PATH, endpoint=self), WebSocketRoute(GRAPHQL_PATH, endpoint=self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or one socket."""
        self.load()
        assert self._loading is not None
        app = await asyncio.shield(self._loading)
        await app(scope, receive, send)

    def _load(self) -> ASGIApp:
        from graph_service.api.graphql import graphql_router

        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        install_error_handlers(app)
        app.include_router(graphql_router(self._memory, self._gate, self._follow), prefix=GRAPHQL_PATH)
        return app


def _failed(task: "asyncio.Task[ASGIApp]") -> bool:
    return task.cancelled() or task.exception() is not None
