"""The ASGI endpoint of GraphQL, loaded with the first request or soon after the start."""

import asyncio
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.api.errors import install_error_handlers
from graph_service.auth.authenticator import Authenticator
from graph_service.memory.service import Memory
from graph_service.supervision import has_result

if TYPE_CHECKING:
    from graph_service.api.graphql.changes import Follow

GRAPHQL_PATH = "/graphql"


class GraphQLEndpoint:
    """ASGI application for GraphQL over HTTP and WebSocket.

    Loading GraphQL is a third of this process's import time and would compete with Neo4j's start for the processor, so
    it is deferred; the first request may wait a fraction of a second.
    """

    def __init__(self, memory: Memory, auth: Authenticator, follow: "Follow") -> None:
        self._memory = memory
        self._auth = auth
        self._follow = follow
        self._loading: asyncio.Task[ASGIApp] | None = None

    def load(self) -> None:
        """Start loading in a thread, unless it was started before and has not failed."""
        if self._loading is None or (self._loading.done() and not has_result(self._loading)):
            self._loading = asyncio.create_task(asyncio.to_thread(self._load), name="graphql")

    def routes(self) -> list[BaseRoute]:
        return [Route(GRAPHQL_PATH, endpoint=self), WebSocketRoute(GRAPHQL_PATH, endpoint=self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.load()
        assert self._loading is not None
        app = await asyncio.shield(self._loading)
        await app(scope, receive, send)

    def _load(self) -> ASGIApp:
        from graph_service.api.graphql.schema import graphql_router

        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        install_error_handlers(app)
        app.include_router(graphql_router(self._memory, self._auth, self._follow), prefix=GRAPHQL_PATH)
        return app
