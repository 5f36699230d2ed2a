"""What every request passes before it reaches a door: who it thinks it talks to, and how large it may be."""

import json
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.settings import LOOPBACK_NAMES
from graph_service.stopping import Stopping
from schema.errors import InputError, UnavailableError


class HostGuard:
    """Refuses requests whose Host header names somebody else: a page elsewhere cannot rebind its name to us.

    Args:
        allowed: host names beside the loopback ones; `*` lets everything through.
    """

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self._app = app
        self._allowed = LOOPBACK_NAMES | {name.lower() for name in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        host = _host_name(scope)
        if host in self._allowed or "*" in self._allowed:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "unknown host name"})
        else:
            await _refuse(
                send, 421, f"this service is not {host!r}: add that name to service.allowed_hosts if it should be"
            )


class StopGuard:
    """Answers 503 to requests that arrive after the service was asked to end; those under way are finished."""

    def __init__(self, app: ASGIApp, *, stopping: Stopping) -> None:
        self._app = app
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers it."""
        if scope["type"] == "lifespan" or not self._stopping.asked.is_set():
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1012, "reason": "the service is stopping"})
        else:
            message = "the service is stopping and takes nothing new; ask again when it runs"
            await _refuse(send, UnavailableError.http_status, message, code=UnavailableError.code)


class BodyLimit:
    """Answers 413 as soon as a request is known to be larger than `bytes_max`, announced or not."""

    def __init__(self, app: ASGIApp, *, bytes_max: int) -> None:
        self._app = app
        self._bytes_max = bytes_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = _header(scope, b"content-length")
        if announced.isdigit() and int(announced) > self._bytes_max:
            await self._too_large(send)
            return
        taken, answered = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._bytes_max:
                raise _TooLargeError
            return message

        async def watched(message: Message) -> None:
            # Frameworks turn an error while reading into an answer of their own; this one must say what it was.
            nonlocal answered
            if taken <= self._bytes_max:
                await send(message)
            elif not answered:
                await self._too_large(send)
            answered = True

        try:
            await self._app(scope, counted, watched)
        except _TooLargeError:
            if not answered:
                await self._too_large(send)

    async def _too_large(self, send: Send) -> None:
        await _refuse(
            send, 413, f"the request has more than {self._bytes_max:,} bytes: hand the messages in by several calls"
        )


class _TooLargeError(Exception):
    """Leaves the application in the middle of reading."""


async def _refuse(send: Send, status: int, message: str, *, code: str = InputError.code) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


def _host_name(scope: Scope) -> str:
    host = _header(scope, b"host").lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
