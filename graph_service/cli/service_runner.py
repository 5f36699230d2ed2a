"""Run the HTTP service until it is stopped."""

import asyncio
import contextlib
import errno
import importlib
import socket
import sys
import time
import webbrowser
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Final

from graph_service.cli.open_services import open_services
from graph_service.cli.signals import StopSignals
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings, has_screen, is_loopback
from graph_service.runtime.service_registry import recorded
from graph_service.runtime.shutdown import Stopping
from schema.errors import ConflictError, InstallError, UnavailableError

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.auth.keyring import Keyring
    from graph_service.cli.http_server import HttpServer

BACKLOG: Final = 128
SERVER_MODULE: Final = "graph_service.cli.http_server"
_KEYS_WAIT_S: Final = 15.0
_KEYS_RETRY_S: Final = 0.5
OnReady = Callable[["Services", str], Awaitable[None]]


async def run_service(
    settings: Settings,
    terminal: Terminal,
    signals: StopSignals,
    *,
    on_ready: OnReady,
    once: bool = False,
    lasting: bool = False,
) -> None:
    """Serve until a signal, or with `once` until `on_ready` is done; then shut down cleanly.

    Args:
        on_ready: called with the services and the address, when the server answers and the database is connected.
        lasting: answer requests before the database is connected.

    Raises:
        ConflictError: another program listens on the configured port.
        InstallError: other machines could connect, and no credential would be required.
    """
    with _listen(settings, terminal) as listener:
        # Importing the server takes as long as starting Neo4j; both go on at the same time.
        async with open_services(settings, terminal, preload=SERVER_MODULE, lasting=lasting) as services:
            if services.database.connected:
                await _check_bind(services)
            stopping = Stopping()
            module = await asyncio.to_thread(importlib.import_module, SERVER_MODULE)
            server: HttpServer = module.http_server(services, stopping)

            def stop() -> None:
                server.force_exit = server.should_exit
                server.should_exit = True
                stopping.ask()

            def stop_once() -> None:
                if not server.should_exit:
                    stop()

            def drain() -> None:
                # The second signal does not wait.
                if stopping.draining or not settings.service.drain_s:
                    stop()
                    return
                stopping.drain()
                asyncio.get_running_loop().call_later(settings.service.drain_s, stop_once)

            address = _address(listener)
            with signals.handled_by(drain), recorded(settings, address):
                await _serve(server, listener, _when_connected(server, services, on_ready, address), once=once)
                terminal.say("stopping: finishing requests and jobs in progress")


def open_browser(settings: Settings, address: str, terminal: Terminal) -> None:
    """Print the viewer's address, and open it in a browser if there is a screen."""
    terminal.say(f"viewer: {address}    (Ctrl-C stops)")
    if settings.service.open_browser and has_screen() and sys.stderr.isatty():
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)


async def _when_connected(server: "HttpServer", services: "Services", on_ready: OnReady, address: str) -> None:
    """Call `on_ready` when the server answers and the database is connected; raise if connecting has failed."""
    await server.answers.wait()
    await services.database.wait()
    # Until then a service that other machines can reach requires credentials, whether or not there are keys.
    await _check_bind(services)
    await on_ready(services, address)


async def _check_bind(services: "Services") -> None:
    service = services.settings.service
    if is_loopback(service.host) or service.allow_unauthenticated_bind or services.settings.auth.takes_tokens:
        return
    await _load_keys(services.keyring)
    if not services.keyring.any_exist:
        raise InstallError(
            f"service.host is {service.host!r}: other machines could read and write every memory, since there is no"
            " credential yet. Make a key with `mnemoscene keys create NAME --role admin`, or set auth.jwt_secret or"
            " auth.jwt_public_key; or use 127.0.0.1; or, behind a proxy that authenticates requests, set"
            " service.allow_unauthenticated_bind = true (MNEMOSCENE_SERVICE_ALLOW_UNAUTHENTICATED_BIND=true)"
        )


async def _load_keys(keyring: "Keyring") -> None:
    """Load the keys; retry for `_KEYS_WAIT_S`, because one lost connection must not end the service."""
    deadline_s = time.monotonic() + _KEYS_WAIT_S
    while True:
        try:
            return await keyring.ensure_loaded()
        except UnavailableError:
            if time.monotonic() > deadline_s:
                raise
            await asyncio.sleep(_KEYS_RETRY_S)


async def _serve(
    server: "HttpServer", listener: socket.socket, on_ready: Coroutine[Any, Any, None], *, once: bool
) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    ready = asyncio.create_task(on_ready)
    try:
        await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and (once or ready.exception()):
            server.should_exit = True
        await serving
        if ready.done():
            ready.result()
    finally:
        server.should_exit = True
        ready.cancel()
        await asyncio.gather(serving, ready, return_exceptions=True)


@contextlib.contextmanager
def _listen(settings: Settings, terminal: Terminal) -> Iterator[socket.socket]:
    """Yield a listening socket; if the port is taken and was not configured, use any free one."""
    service = settings.service
    try:
        listener = listening_socket(service.host, service.port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise InstallError(
                f"cannot listen on {service.host}:{service.port}: {error.strerror}; choose another host or port"
            ) from error
        if "service.port" in settings.chosen:
            raise ConflictError(
                f"{service.host}:{service.port} is in use, perhaps by this service already; choose another --port"
            ) from error
        listener = listening_socket(service.host, 0)
        terminal.say(f"port {service.port} is in use; using {listener.getsockname()[1]}")
    with listener:
        yield listener


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket whose connections do not use Nagle's algorithm.

    With the algorithm the body of a response, written after its head, waits 40 ms until the head is acknowledged.

    Raises:
        OSError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    return f"http://{shown}:{port}"
