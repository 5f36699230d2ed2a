"""What every request passes before it reaches a door: who it thinks it talks to, and how large it may be."""

import asyncio
import json
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.auth.access import SCOPE_KEY, quota_key
from graph_service.config.settings import LOOPBACK_NAMES
from graph_service.graph.round_trips import counted
from graph_service.observability.metrics import REQUEST_SECONDS, REQUESTS, Door
from graph_service.observability.spans import span
from graph_service.observability.structured_log import REQUEST_ID
from graph_service.runtime.shutdown import Stopping
from schema.errors import InputError, RateLimitError, UnavailableError

# Of all holders together; no credential has this name.
_ALL: Final = "\0all"


class HostGuard:
    """Refuses requests whose Host header names somebody else: a page elsewhere cannot rebind its name to us.

    Args:
        allowed: host names beside the loopback ones; `*` lets everything through.
    """

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self._app = app
        self._allowed = LOOPBACK_NAMES | {name.lower() for name in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
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
        """Pass the request on, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._stopping.asked.is_set():
            await self._until_the_end(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1012, "reason": "the service is stopping"})
        else:
            await self._refuse(send)

    async def _until_the_end(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the server cancels it when it has not ended soon after the end was asked for."""
        began = False

        async def noted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except asyncio.CancelledError:
            if scope["type"] != "http" or began or not self._stopping.asked.is_set():
                raise
            await self._refuse(send)

    async def _refuse(self, send: Send) -> None:
        message = "the service is stopping and takes nothing new; ask again when it runs"
        await _refuse(send, UnavailableError.http_status, message, code=UnavailableError.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyRules:
    """Bounds on the bodies of requests.

    Attributes:
        bytes_max: of one that was admitted.
        stranger_bytes_max: of one that no credential was asked for, such as a sign-in.
        patience_s: a body must be complete after this, and a second more for each `bytes_per_s` that came.
        small_bytes: up to here a body counts as nothing against the two bounds that follow.
        held_of_one: bytes of bodies of one credential that are under way at once.
        held: of all.
    """

    bytes_max: int
    stranger_bytes_max: int
    patience_s: float = 10.0
    bytes_per_s: float = 65_536.0
    small_bytes: int = 65_536
    held_of_one: int = 134_217_728
    held: int = 268_435_456


class BodyLimit:
    """Answers 413 to a request that is too large, 408 to one whose body does not come, 429 while too much is held.

    Must stand behind the front door, which admits by the head alone: nothing of a body is read before.
    """

    def __init__(self, app: ASGIApp, *, rules: BodyRules) -> None:
        self._app = app
        self._rules = rules
        self._held: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        access = scope.get(SCOPE_KEY)
        body = _Body(self._rules, self._held, holder=None if access is None else quota_key(access))
        answered, began = False, False

        async def counted() -> Message:
            return await body.next(receive)

        async def watched(message: Message) -> None:
            # Frameworks turn an error while reading into an answer of their own; this one must say what it was.
            nonlocal answered, began
            if body.refused is None or began:
                began = True
                await send(message)
            elif not answered:
                await body.refuse(send)
            answered = True

        try:
            announced = _header(scope, b"content-length")
            if announced.isdigit():
                body.expect(int(announced))
            await self._app(scope, counted, watched)
        except _RefusedError:
            if not answered:
                await body.refuse(send)
        finally:
            body.let_go()


class _Body:
    """What came of one body."""

    def __init__(self, rules: BodyRules, held: "Counter[str]", *, holder: str | None) -> None:
        self.refused: tuple[int, str] | None = None
        self._rules = rules
        self._held = held
        self._holder = holder
        self._bytes_max = rules.stranger_bytes_max if holder is None else rules.bytes_max
        self._taken = 0
        self._counted = 0
        self._complete = False
        self._since_s = asyncio.get_running_loop().time()

    def expect(self, size: int) -> None:
        """Look at the length that was announced."""
        if size > self._bytes_max:
            self._too_large()

    async def next(self, receive: Receive) -> Message:
        """Return the next piece, in time; after the last one, whatever else there is, whenever."""
        if self._complete:
            return await receive()
        until_s = self._since_s + self._rules.patience_s + self._taken / self._rules.bytes_per_s
        try:
            async with asyncio.timeout_at(until_s):
                message = await receive()
        except TimeoutError:
            self._refuse(408, "the body of the request did not come in time: send it at once, or by several calls")
        self._taken += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._taken > self._bytes_max:
            self._too_large()
        self._hold()
        return message

    async def refuse(self, send: Send) -> None:
        """Answer instead of what was asked for."""
        status, message = self.refused or (400, "the request was not understood")
        retry = [(b"retry-after", b"1")] if status == RateLimitError.http_status else []
        code = RateLimitError.code if status == RateLimitError.http_status else InputError.code
        await _refuse(send, status, message, code=code, headers=retry)

    def let_go(self) -> None:
        """The request is over."""
        for name in (self._holder or "", _ALL):
            self._held[name] -= self._counted
            if not self._held[name]:
                del self._held[name]

    def _hold(self) -> None:
        """Count a large body against its holder and against all."""
        grown = max(self._taken - self._rules.small_bytes, 0) - self._counted
        if grown <= 0:
            return
        name = self._holder or ""
        if self._held[name] + grown > self._rules.held_of_one or self._held[_ALL] + grown > self._rules.held:
            self._refuse(429, "too many large requests are under way: send this one again in a moment")
        self._held[name] += grown
        self._held[_ALL] += grown
        self._counted += grown

    def _too_large(self) -> NoReturn:
        self._refuse(413, f"the request has more than {self._bytes_max:,} bytes: hand the messages in by several calls")

    def _refuse(self, status: int, message: str) -> NoReturn:
        self.refused = status, message
        raise _RefusedError(message)


class _RefusedError(InputError):
    """Leaves the application in the middle of reading; one of ours, so that nobody logs it as a bug."""


async def _refuse(
    send: Send,
    status: int,
    message: str,
    *,
    code: str = InputError.code,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": [*own, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


def _host_name(scope: Scope) -> str:
    host = _header(scope, b"host").lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


# Adds headers to an answer at the moment when it begins.


def adding(send: Send, told: Callable[[Message], Iterable[tuple[bytes, bytes]]]) -> Send:
    """Return the same way out, with headers added to the beginning of the answer.

    Args:
        told: the headers, names in lower case, for the message with which the answer begins.
    """

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *told(message)]}
        await send(message)

    return with_headers


# Tells each caller how often its request asked the database: the header `Mnemograph-Round-Trips`.

HEADER: Final = "Mnemograph-Round-Trips"


class RoundTripHeader:
    """Adds the number of statements that were sent before the answer began."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with counted() as count:
            name = HEADER.lower().encode()
            await self._app(scope, receive, adding(send, lambda _: [(name, str(count.sent).encode())]))


# Counts and times each request, and gives it an id that its answer, its log lines and its trace carry.

REQUEST_ID_HEADER: Final = "X-Request-Id"
_HEADER_BYTES: Final = REQUEST_ID_HEADER.lower().encode()
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
        """Pass the request on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = _request_header(scope, _HEADER_BYTES)
        request_id = given.decode() if _GOOD_ID.fullmatch(given) else secrets.token_hex(8)
        token = REQUEST_ID.set(request_id)
        door = door_of(scope["path"])
        status, started_s = 500 if scope["type"] == "http" else 101, time.perf_counter()

        def with_id(beginning: Message) -> list[tuple[bytes, bytes]]:
            nonlocal status
            status = beginning["status"]
            return [(_HEADER_BYTES, request_id.encode())]

        try:
            parent = _request_header(scope, b"traceparent").decode("latin-1") or None
            with span(f"request {door}", parent=parent, **{"http.request.id": request_id}):
                await self._app(scope, receive, adding(send, with_id))
        finally:
            took_s = time.perf_counter() - started_s
            _note(door, status, took_s, timed=scope["type"] == "http")
            REQUEST_ID.reset(token)


def door_of(path: str) -> Door:
    """Return where a path leads; whatever is nobody else's is the viewer's."""
    return _DOORS.get(path[1:].partition("/")[0], Door.VIEWER)


def _note(door: Door, status: int, took_s: float, *, timed: bool) -> None:
    REQUESTS.add(door, f"{status // 100}xx")
    # A socket stays for hours, which tells nothing of how fast we are.
    if timed:
        REQUEST_SECONDS.note(took_s, door)
    if _log.isEnabledFor(logging.INFO):
        _log.info("request", extra={"door": str(door), "status": status, "ms": round(took_s * 1000, 1)})


def _request_header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


# What every answer tells browsers, so that nothing in it can become a page of somebody else's making.

# Of answers that are no page: shown in a browser they may load nothing, run nothing, and be framed by nobody.
DATA_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class PageHeaders:
    """Adds these headers to every answer that does not say otherwise itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, adding(send, _unsaid))


def _unsaid(message: Message) -> list[tuple[bytes, bytes]]:
    known = {name.lower() for name, _ in message.get("headers", ())}
    every = [(name.encode(), value.encode()) for name, value in DATA_HEADERS.items()]
    return [each for each in every if each[0] not in known]
