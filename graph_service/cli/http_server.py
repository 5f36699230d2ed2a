"""The HTTP server with the application; imported while Neo4j starts."""

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
    KEEP_ALIVE_S,
    MESSAGE_BYTES_MAX,
    Connections,
    GuardedHttp,
    GuardedSocket,
    limits_within,
    raise_file_limit,
    silence_noise,
)
from graph_service.runtime.shutdown import WORK_MAX_S, Stopping

# Objects that exist by then (GraphQL, the Chinese dictionary) are never freed. By default Python's garbage collector
# traverses all of them every sixty recalls, which delays all requests by 40 ms (measured).
GC_FREEZE_AFTER_S: Final = 5.0
GC_THRESHOLD: Final = 10_000
# Connections that wait in the kernel to be accepted, and those accepted before the event loop serves others again.
BACKLOG: Final = 1_024
ACCEPTED_AT_ONCE: Final = 16


class HttpServer(uvicorn.Server):
    """A uvicorn server that does not handle signals (`cli.signals` does) and sets `answers` when it listens."""

    def __init__(self, config: uvicorn.Config, connections: Connections) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()
        self._connections = connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and set `answers`."""
        await super().startup(sockets)
        if self.started:
            # asyncio accepts up to its backlog at once; the kernel's queue may be longer.
            for listener in sockets or ():
                listener.listen(BACKLOG)
            self.answers.set()
            asyncio.get_running_loop().call_later(GC_FREEZE_AFTER_S, freeze_startup_objects)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish requests in progress, without waiting long for clients to send or read, and stop."""
        self._connections.stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def freeze_startup_objects() -> None:
    """Exclude all existing objects from garbage collection, and collect new ones less often."""
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])


def http_server(services: Services, stopping: Stopping) -> HttpServer:
    """Return a server of the application, not started yet."""
    service = services.settings.service
    connections = Connections(limits_within(raise_file_limit()))
    return HttpServer(
        uvicorn_config(
            create_app(services, stopping),
            connections,
            trusted_proxies=service.trusted_proxies,
            timeout_graceful_shutdown=round(WORK_MAX_S - service.drain_s),
        ),
        connections,
    )


def uvicorn_config(
    app: ASGIApp, connections: Connections, *, trusted_proxies: Sequence[str] = (), **options: Any
) -> uvicorn.Config:
    """Return uvicorn's configuration for an application behind the connection limits of `connections`.

    Args:
        trusted_proxies: addresses of the proxies whose forwarding headers count.
        options: override settings of uvicorn.
    """
    silence_noise()
    settings: dict[str, Any] = {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "lifespan": "on",
        "timeout_keep_alive": KEEP_ALIVE_S,
        "timeout_graceful_shutdown": round(WORK_MAX_S),
        "backlog": ACCEPTED_AT_ONCE,
        **options,
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
