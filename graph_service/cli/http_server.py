"""The web server with the application in it; loaded while Neo4j starts."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn

from graph_service.app import create_app
from graph_service.parts import Parts
from graph_service.stopping import WORK_MAX_S, Stopping


class HttpServer(uvicorn.Server):
    """A server that leaves signals to us, since they must also end what runs beside it, and says when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen; `answers` is set when it does."""
        await super().startup(sockets)
        if self.started:
            self.answers.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def http_server(parts: Parts, stopping: Stopping) -> HttpServer:
    """A server of all doors to these parts, not started yet."""
    return HttpServer(
        uvicorn.Config(
            create_app(parts, stopping),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=round(WORK_MAX_S),
        )
    )
