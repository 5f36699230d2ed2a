"""Counts and times each request, and gives it an id that its answer, its log lines and its trace carry."""

import logging
import re
import secrets
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.answer_headers import adding
from graph_service.log import REQUEST_ID
from graph_service.measures import REQUEST_SECONDS, REQUESTS, Door
from graph_service.spans import span

HEADER: Final = "X-Request-Id"
_HEADER_BYTES: Final = HEADER.lower().encode()
# What a caller sends comes into our log: nothing but what ids are made of.
_GOOD_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_DOORS: Final = {
    "graphql": Door.GRAPHQL,
    "api": Door.REST,
    "mcp": Door.MCP,
    "live": Door.LIVE,
    "health": Door.PROBE,
    "ready": Door.PROBE,
    "metrics": Door.PROBE,
}
_log = logging.getLogger("mnemograph.requests")


class RequestRecord:
    """The outermost of all that a request passes, so that refused ones count too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = _header(scope, _HEADER_BYTES)
        request_id = given.decode() if _GOOD_ID.fullmatch(given) else secrets.token_hex(8)
        token = REQUEST_ID.set(request_id)
        door = door_of(scope["path"])
        status, started_s = 500 if scope["type"] == "http" else 101, time.perf_counter()

        def with_id(beginning: Message) -> list[tuple[bytes, bytes]]:
            nonlocal status
            status = beginning["status"]
            return [(_HEADER_BYTES, request_id.encode())]

        try:
            parent = _header(scope, b"traceparent").decode("latin-1") or None
            with span(f"request {door}", parent=parent, **{"http.request.id": request_id}):
                await self._app(scope, receive, adding(send, with_id))
        finally:
            took_s = time.perf_counter() - started_s
            _note(door, status, took_s, timed=scope["type"] == "http")
            REQUEST_ID.reset(token)


def door_of(path: str) -> Door:
    """Where a path leads; whatever is nobody else's is the viewer's."""
    return _DOORS.get(path[1:].partition("/")[0], Door.VIEWER)


def _note(door: Door, status: int, took_s: float, *, timed: bool) -> None:
    REQUESTS.add(door, f"{status // 100}xx")
    # A socket stays for hours, which tells nothing of how fast we are.
    if timed:
        REQUEST_SECONDS.note(took_s, door)
    if _log.isEnabledFor(logging.INFO):
        _log.info("request", extra={"door": str(door), "status": status, "ms": round(took_s * 1000, 1)})


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")
