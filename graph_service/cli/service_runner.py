"""Runs the HTTP service until it is told to stop."""

import asyncio
import contextlib
import errno
import importlib
import socket
import time
import webbrowser
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Final

from graph_service.cli.open_services import opened
from graph_service.cli.signals import Stops
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings, has_screen, is_loopback
from graph_service.runtime.service_registry import recorded
from graph_service.runtime.shutdown import Stopping
from schema.errors import ConflictError, InstallError, UnavailableError

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.cli.http_server import HttpServer

BACKLOG: Final = 128
DOORS: Final = "graph_service.cli.http_server"
_KEYS_WAIT_S: Final = 15.0
_KEYS_AGAIN_S: Final = 0.5
Afterwards = Callable[["Services", str], Awaitable[None]]


async def run_service(
    settings: Settings,
    terminal: Terminal,
    stops: Stops,
    *,
    afterwards: Afterwards,
    once: bool = False,
    lasting: bool = False,
) -> None:
    """Serve until a signal, or until `afterwards` is done if `once`; then end in order.

    Args:
        afterwards: runs beside the service as soon as that answers; gets the service's address.
        lasting: it is to answer for long, and may take longer to start.

    Raises:
        ConflictError: another program listens on the port that was asked for.
        InstallError: other machines could come in, and nobody would have to show a credential.
    """
    with _listening(settings, terminal) as door:
        # Loading the doors takes as long as Neo4j's start; both go on at the same time.
        async with opened(settings, terminal, beside=DOORS, lasting=lasting) as parts:
            if parts.arrival.done:
                await _check_bind(parts)
            stopping = Stopping()
            doors = await asyncio.to_thread(importlib.import_module, DOORS)
            server: HttpServer = doors.http_server(parts, stopping)

            def stop() -> None:
                server.force_exit = server.should_exit
                server.should_exit = True
                stopping.ask()

            with stops.told(stop), recorded(settings, _address(door)):
                await _serve(server, door, _once_there(parts, afterwards, _address(door)), once=once)
                terminal.say("stopping: finishing what is in flight")


def open_browser(settings: Settings, address: str, terminal: Terminal) -> None:
    """Show the viewer's address, and open it where there is a screen."""
    terminal.say(f"viewer: {address}    (Ctrl-C stops)")
    if settings.service.open_browser and has_screen() and terminal.side.is_terminal:
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)


async def _once_there(parts: "Services", afterwards: Afterwards, address: str) -> None:
    """Do what comes afterwards when the database is there; what keeps it away for good ends the service."""
    await parts.arrival.wait()
    # Until then a service that others reach asks for credentials, whatever keys there are.
    await _check_bind(parts)
    await afterwards(parts, address)


async def _check_bind(parts: "Services") -> None:
    service = parts.settings.service
    if is_loopback(service.host) or service.allow_unauthenticated_bind or parts.settings.auth.takes_tokens:
        return
    await _known_keys(parts)
    if not parts.keyring.exist:
        raise InstallError(
            f"service.host is {service.host!r}: other machines could read and write every memory, since there is no"
            " credential yet. Make a key with `mnemograph keys create NAME --role admin`, or set auth.jwt_secret or"
            " auth.jwt_public_key; or use 127.0.0.1; or, behind a proxy that checks who asks, set"
            " service.allow_unauthenticated_bind = true (MNEMOGRAPH_SERVICE_ALLOW_UNAUTHENTICATED_BIND=true)"
        )


async def _known_keys(parts: "Services") -> None:
    """Wait until the keys are read: a connection lost during the start is no reason to end the service.

    Raises:
        UnavailableError: Neo4j has not answered for `_KEYS_WAIT_S`.
    """
    until_s = time.monotonic() + _KEYS_WAIT_S
    while True:
        try:
            return await parts.keyring.know()
        except UnavailableError:
            if time.monotonic() > until_s:
                raise
            await asyncio.sleep(_KEYS_AGAIN_S)


async def _serve(server: "HttpServer", door: socket.socket, afterwards: Awaitable[None], *, once: bool) -> None:
    serving = asyncio.create_task(server.serve(sockets=[door]))
    beside = asyncio.create_task(_once_started(server, afterwards))
    try:
        await asyncio.wait({serving, beside}, return_when=asyncio.FIRST_COMPLETED)
        if beside.done() and (once or beside.exception()):
            server.should_exit = True
        await serving
        if beside.done():
            beside.result()
    finally:
        server.should_exit = True
        beside.cancel()
        await asyncio.gather(serving, beside, return_exceptions=True)


async def _once_started(server: "HttpServer", afterwards: Awaitable[None]) -> None:
    await server.answers.wait()
    await afterwards


@contextlib.contextmanager
def _listening(settings: Settings, terminal: Terminal) -> Iterator[socket.socket]:
    """A bound socket; another port than usual when the usual one is taken and nobody asked for it."""
    service = settings.service
    try:
        door = bound(service.host, service.port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise InstallError(
                f"cannot listen on {service.host}:{service.port}: {error.strerror}; choose another host or port"
            ) from error
        if "service.port" in settings.chosen:
            raise ConflictError(
                f"{service.host}:{service.port} is taken, perhaps by this service already; choose another --port"
            ) from error
        door = bound(service.host, 0)
        terminal.say(f"port {service.port} is taken; using {door.getsockname()[1]}")
    with door:
        yield door


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; what is accepted there sends each piece at once.

    Otherwise the body of an answer, written after its head, waits 40 ms until the head is acknowledged.

    Raises:
        OSError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return door


def _address(door: socket.socket) -> str:
    host, port = door.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    return f"http://{shown}:{port}"
