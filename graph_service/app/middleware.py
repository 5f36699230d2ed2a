"""ASGI middleware: host check, body limits, shutdown, response headers and the request log."""

import asyncio
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.api.errors import CLIENT_CLOSED, error_answer, refuse
from graph_service.auth.access import SCOPE_KEY, quota_key
from graph_service.config.settings import LOOPBACK_NAMES
from graph_service.graph.round_trips import counted
from graph_service.observability.metrics import REQUEST_SECONDS, REQUESTS, Interface
from graph_service.observability.spans import span
from graph_service.observability.structured_log import REQUEST_ID
from graph_service.runtime.shutdown import Stopping
from schema.errors import InputError, RateLimitError, UnavailableError

# Counter key for all credentials together; no credential has this name.
_ALL: Final = "\0all"
_CLOSE: Final = {"Connection": "close"}
# Time for a complete request body, plus one second per `_BYTES_PER_S` received.
_PATIENCE_S: Final = 10.0
_BYTES_PER_S: Final = 65_536.0
# First bytes of each body that do not count towards the two totals of concurrent bodies: of a credential, and of all.
_SMALL_BYTES: Final = 65_536
_CREDENTIAL_TOTAL_MAX: Final = 134_217_728
_TOTAL_MAX: Final = 268_435_456


class HostGuard:
    """Refuse requests with an unknown Host header, against DNS rebinding.

    Args:
        allowed: host names in addition to the loopback ones; `*` allows all.
    """

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self._app = app
        self._allowed = LOOPBACK_NAMES | {name.lower() for name in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "").lower()
        host = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        if host in self._allowed or "*" in self._allowed:
            await self._app(scope, receive, send)
            return
        message = f"unknown host {host!r}: add it to service.allowed_hosts if it belongs to this service"
        answer = error_answer(421, InputError.code, message, _CLOSE)
        await refuse(answer, "unknown host name", scope, receive, send)


class StopGuard:
    """Answer 503 to requests that arrive during shutdown; running requests are finished.

    While the service drains, only `/ready` says so, and each response closes its connection, so that the client's next
    request goes to another process.
    """

    def __init__(self, app: ASGIApp, *, stopping: Stopping) -> None:
        self._app = app
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif self._stopping.draining and scope["path"] == "/ready":
            await self._refuse(scope, receive, send)
        elif not self._stopping.asked.is_set():
            await self._until_the_end(scope, receive, send)
        else:
            await self._refuse(scope, receive, send)

    async def _until_the_end(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; answer 503 if shutdown cancels it before its response has begun."""
        began = False

        async def noted(message: Message) -> None:
            nonlocal began
            began = True
            if self._stopping.draining and message["type"] == "http.response.start":
                headers_of(message)["connection"] = "close"
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except asyncio.CancelledError:
            if scope["type"] != "http" or began or not self._stopping.asked.is_set():
                raise
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = "the service is shutting down; try again later"
        answer = error_answer(UnavailableError.http_status, UnavailableError.code, message, _CLOSE)
        await refuse(answer, "the service is shutting down", scope, receive, send, close_code=1012)


class BodyLimit:
    """Read each body before its request is passed on.

    Answer 413 to too large requests, 408 to too slow ones, 429 while too many large ones are in progress. Must run
    inside the request gate, so that no body is read before the caller is authenticated by its headers.

    Args:
        bytes_max: maximum size of an authenticated request.
        stranger_bytes_max: maximum size of a request to a public route, such as sign-in.
    """

    def __init__(self, app: ASGIApp, *, bytes_max: int, stranger_bytes_max: int) -> None:
        self._app = app
        self._bytes_max = bytes_max
        self._stranger_bytes_max = stranger_bytes_max
        self._totals: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        access = scope.get(SCOPE_KEY)
        body = _Body(self._totals, holder=None if access is None else quota_key(access))
        bytes_max = self._stranger_bytes_max if access is None else self._bytes_max
        try:
            whole = await body.read(Headers(scope=scope).get("content-length", ""), receive, bytes_max=bytes_max)
            await self._app(scope, _first(whole, receive), send)
        except _RefusedError as refused:
            too_many = refused.status == RateLimitError.http_status
            code, headers = (RateLimitError.code, {"Retry-After": "1"}) if too_many else (InputError.code, {})
            await error_answer(refused.status, code, str(refused), _CLOSE | headers)(scope, receive, send)
        finally:
            body.release()


def _first(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns a body, and from then on what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return messages.pop() if messages else await receive()

    return received


class _Body:
    """One request body, which counts towards the totals until it is released."""

    def __init__(self, totals: "Counter[str]", *, holder: str | None) -> None:
        self._totals = totals
        self._holder = holder
        self._counted = 0

    async def read(self, announced: str, receive: Receive, *, bytes_max: int) -> bytes:
        """Return the whole body.

        Args:
            announced: its Content-Length, if any.

        Raises:
            _RefusedError: it exceeds a limit of time or size, or the client has left.
        """
        too_large = _RefusedError(413, f"the request exceeds {bytes_max:,} bytes: split it into several calls")
        if announced.isdigit() and int(announced) > bytes_max:
            raise too_large
        chunks, size, more = list[bytes](), 0, True
        since_s = asyncio.get_running_loop().time()
        while more:
            try:
                async with asyncio.timeout_at(since_s + _PATIENCE_S + size / _BYTES_PER_S):
                    message = await receive()
            except TimeoutError:
                slow = "the request body was too slow: send it faster, or split it into several calls"
                raise _RefusedError(408, slow) from None
            if message["type"] == "http.disconnect":
                raise _RefusedError(CLIENT_CLOSED, "the client has left")
            chunks.append(message.get("body", b""))
            size, more = size + len(chunks[-1]), message.get("more_body", False)
            if size > bytes_max:
                raise too_large
            self._count(size)
        return b"".join(chunks)

    def release(self) -> None:
        for name in (self._holder or "", _ALL):
            self._totals[name] -= self._counted
            if not self._totals[name]:
                del self._totals[name]

    def _count(self, size: int) -> None:
        """Add the bytes of a large body to the totals of its credential and of all; refuse it over a limit."""
        grown = max(size - _SMALL_BYTES, 0) - self._counted
        if grown <= 0:
            return
        name = self._holder or ""
        credential_total, total = self._totals[name] + grown, self._totals[_ALL] + grown
        if credential_total > _CREDENTIAL_TOTAL_MAX or total > _TOTAL_MAX:
            raise _RefusedError(429, "too many large requests are in progress: try again in a moment")
        self._totals[name] += grown
        self._totals[_ALL] += grown
        self._counted += grown


class _RefusedError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def headers_of(start: Message) -> MutableHeaders:
    """Return the headers of a response's start message, to be changed there."""
    start.setdefault("headers", [])
    return MutableHeaders(scope=start)


ROUND_TRIPS_HEADER: Final = "Mnemoscene-Round-Trips"
REQUEST_ID_HEADER: Final = "X-Request-Id"
# Ids of callers are logged, so only safe characters are accepted.
_GOOD_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_INTERFACES: Final = {
    "graphql": Interface.GRAPHQL,
    "api": Interface.REST,
    "mcp": Interface.MCP,
    "live": Interface.LIVE,
    "health": Interface.PROBE,
    "ready": Interface.PROBE,
    "metrics": Interface.PROBE,
}
_log = logging.getLogger("mnemoscene.requests")


class RequestRecord:
    """Count, time and log each request, with an id.

    Its response gets the number of database statements, and missing security headers. The outermost middleware, so that
    refused requests count.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        caller = Headers(scope=scope)
        given = caller.get(REQUEST_ID_HEADER, "")
        request_id = given if _GOOD_ID.fullmatch(given) else secrets.token_hex(8)
        token = REQUEST_ID.set(request_id)
        # All other paths belong to the viewer.
        interface = _INTERFACES.get(scope["path"][1:].partition("/")[0], Interface.VIEWER)
        status, started_s = 500 if scope["type"] == "http" else 101, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, headers = message["status"], headers_of(message)
                headers[REQUEST_ID_HEADER], headers[ROUND_TRIPS_HEADER] = request_id, str(count.sent)
                for name, value in DATA_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            parent = caller.get("traceparent") or None
            with span(f"request {interface}", parent=parent, **{"http.request.id": request_id}), counted() as count:
                await self._app(scope, receive, noted)
        finally:
            took_s = time.perf_counter() - started_s
            _note(interface, status, took_s, timed=scope["type"] == "http")
            REQUEST_ID.reset(token)


def _note(interface: Interface, status: int, took_s: float, *, timed: bool) -> None:
    REQUESTS.add(interface, f"{status // 100}xx")
    # WebSockets stay open for hours and have no latency.
    if timed:
        REQUEST_SECONDS.note(took_s, interface)
    if _log.isEnabledFor(logging.INFO):
        _log.info("request", extra={"interface": str(interface), "status": status, "ms": round(took_s * 1000, 1)})


# For responses other than pages: a browser that shows them must not load, run or frame anything.
DATA_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
