"""What every request passes before it reaches a door: who it thinks it talks to, and how large it may be."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.auth.access import SCOPE_KEY, holder_of
from graph_service.settings import LOOPBACK_NAMES
from graph_service.stopping import Stopping
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
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._stopping.asked.is_set():
            await self._until_the_end(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1012, "reason": "the service is stopping"})
        else:
            await self._refuse(send)

    async def _until_the_end(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on; the server cancels it when it has not ended soon after the end was asked for."""
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
        """Passes the request on, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        access = scope.get(SCOPE_KEY)
        body = _Body(self._rules, self._held, holder=None if access is None else holder_of(access))
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
        """The next piece, in time; after the last one, whatever else there is, whenever."""
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
