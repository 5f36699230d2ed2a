"""The web server with the application in it; loaded while Neo4j starts."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import Iterator
from typing import Final

import uvicorn

from graph_service.app import create_app
from graph_service.parts import Parts
from graph_service.stopping import WORK_MAX_S, Stopping

# What was loaded by then (GraphQL, a dictionary of Chinese) stays until the end. Python would go through all of it
# every sixty recalls, and all who ask would wait for that: 40 ms measured.
STANDING_AFTER_S: Final = 5.0
COLLECTED_EVERY: Final = 10_000


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
            asyncio.get_running_loop().call_later(STANDING_AFTER_S, leave_alone_what_stands)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def leave_alone_what_stands() -> None:
    """Has Python look for garbage among what is made from now on, and only once that is much."""
    gc.freeze()
    gc.set_threshold(COLLECTED_EVERY, *gc.get_threshold()[1:])


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
