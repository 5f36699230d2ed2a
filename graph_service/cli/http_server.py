"""The web server with the application in it; loaded while Neo4j starts."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from graph_service.app.application import create_app
from graph_service.app.services import Services
from graph_service.runtime.connections import (
    MESSAGE_BYTES_MAX,
    Connections,
    GuardedHttp,
    GuardedSocket,
    limits_within,
    raise_file_limit,
    silence_noise,
)
from graph_service.runtime.shutdown import WORK_MAX_S, Stopping

# What was loaded by then (GraphQL, a dictionary of Chinese) stays until the end. Python would go through all of it
# every sixty recalls, and all who ask would wait for that: 40 ms measured.
STANDING_AFTER_S: Final = 5.0
COLLECTED_EVERY: Final = 10_000
# Connections that wait in the system for being accepted, and those that are accepted before others are served again.
BACKLOG: Final = 1_024
ACCEPTED_AT_ONCE: Final = 16


class HttpServer(uvicorn.Server):
    """A server that leaves signals to us, since they must also end what runs beside it, and says when it answers."""

    def __init__(self, config: uvicorn.Config, connections: Connections) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()
        self._connections = connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen; `answers` is set when it does."""
        await super().startup(sockets)
        if self.started:
            # asyncio takes `ACCEPTED_AT_ONCE` connections before it serves others; the rest wait in the system.
            for door in sockets or ():
                door.listen(BACKLOG)
            self.answers.set()
            asyncio.get_running_loop().call_later(STANDING_AFTER_S, leave_alone_what_stands)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: requests under way are finished, but no client is waited for."""
        self._connections.stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def leave_alone_what_stands() -> None:
    """Have Python look for garbage among what is made from now on, and only once that is much."""
    gc.freeze()
    gc.set_threshold(COLLECTED_EVERY, *gc.get_threshold()[1:])


def http_server(parts: Services, stopping: Stopping) -> HttpServer:
    """Return a server of all doors to these parts, not started yet."""
    service = parts.settings.service
    connections = Connections(limits_within(raise_file_limit()))
    return HttpServer(
        guarded(create_app(parts, stopping), connections, trusted_proxies=service.trusted_proxies), connections
    )


def guarded(
    app: ASGIApp, connections: Connections, *, trusted_proxies: Sequence[str] = (), **more: Any
) -> uvicorn.Config:
    """Return the uvicorn configuration of an application with connection limits.

    Args:
        trusted_proxies: whose forwarding headers are believed.
        more: of uvicorn's settings.
    """
    silence_noise()
    settings: dict[str, Any] = {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "lifespan": "on",
        "timeout_graceful_shutdown": round(WORK_MAX_S),
        "backlog": ACCEPTED_AT_ONCE,
        **more,
    }
    return uvicorn.Config(
        app,
        http=partial(GuardedHttp, connections=connections),  # type: ignore[arg-type]
        ws=partial(GuardedSocket, connections=connections),  # type: ignore[arg-type]
        ws_max_size=MESSAGE_BYTES_MAX,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        **settings,
    )
