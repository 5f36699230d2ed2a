"""The WebSocket door `/live`: who may enter, what a frame may be, and how a connection ends."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable, Set
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from graph_service.auth.access import ANYBODY, Access, demand, tenant_opened, vouch
from graph_service.auth.gate import Gate
from graph_service.auth.origin import same_origin
from graph_service.auth.places import Place
from graph_service.auth.rates import Bucket, take
from graph_service.auth.rules import frame_need
from graph_service.live.close_codes import (
    BAD_FRAME,
    FORBIDDEN,
    OUR_FAULT,
    SUB_PROTOCOL,
    TIMEOUT,
    TOO_BIG,
    TOO_FAST,
    TRY_LATER,
    UNAUTHORIZED,
    RefusedError,
)
from graph_service.live.hub import Hub
from graph_service.live.limits import LiveLimits
from graph_service.live.viewer_session import Viewer
from graph_service.memory.change_log.payloads import moment_text
from graph_service.memory.mindmap.snapshot import frame_json
from schema.errors import ForbiddenError, InputError, MnemographError, RateLimitError, UnavailableError
from schema.frames import CLIENT_FRAMES, PROTOCOL, PROTOCOL_VERSION, Ack, Frame, Hello, Pointing, Resync, ScopeWish
from schema.ids import TenantId
from schema.tenant_name import tenant_named

# Which pages may open a socket: those that this very service delivered (cross-site hijacking, DNS rebinding).

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def origin_allowed(origin: str | None, host: str | None, allowed_hosts: Set[str]) -> bool:
    """Return whether a connection with these headers is welcome.

    Args:
        origin: absent for programs that are no browser.
        host: `name` or `name:port`; the name must be allowed, or a name that an attacker's DNS answers would do.
        allowed_hosts: names; `*` allows every name, and still only pages of that very name.
    """
    name = _name(host)
    if name is None or not ("*" in allowed_hosts or name in allowed_hosts):
        return False
    return origin is None or same_origin(origin, host)


def _name(host: str | None) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname if host else None
    except ValueError:
        return None


# What a viewer is told of its own access, so that it keeps nothing for anybody else and not for longer.


def told_of(access: Access) -> dict[str, str | None]:
    """Return the fields `holder` and `until` of `hello_ack`."""
    if access is ANYBODY:
        return {"holder": None, "until": None}
    holder = hashlib.sha256(f"{access.who}\0{access.tenant}".encode()).hexdigest()[:32]
    until = None if access.until_s is None else moment_text(datetime.fromtimestamp(access.until_s, UTC))
    return {"holder": holder, "until": until}


Hear = Callable[[Ack | Resync | ScopeWish | Pointing], None]

_LOG = logging.getLogger(__name__)


def live_router(hub: Hub, *, gate: Gate | None = None, allowed_hosts: Set[str] = LOOPBACK_HOSTS) -> APIRouter:
    """Return the route `/live`.

    Args:
        gate: knows who comes with the token in `hello`, the header or the cookie; None lets everybody in.
        allowed_hosts: names by which browsers may address this service.
    """
    router = APIRouter()

    @router.websocket("/live")
    async def live(websocket: WebSocket) -> None:
        await _Door(hub, gate, allowed_hosts).serve(websocket)

    return router


class _Door:
    def __init__(self, hub: Hub, gate: Gate | None, allowed_hosts: Set[str]) -> None:
        self._hub = hub
        self._gate = gate
        self._access = ANYBODY
        self._allowed_hosts = allowed_hosts

    async def serve(self, websocket: WebSocket) -> None:
        """One connection from first to last; browsers see a close code only on a connection that was accepted."""
        offered = PROTOCOL in websocket.scope.get("subprotocols", ())
        try:
            await websocket.accept(subprotocol=PROTOCOL if offered else None)
            self._check_origin(websocket)
            if not offered:
                raise RefusedError(SUB_PROTOCOL, f"this door speaks the sub-protocol {PROTOCOL}; ask for it")
            await self._converse(websocket)
        except WebSocketDisconnect:
            return
        except RefusedError as refusal:
            await _refuse(websocket, refusal)
        except Exception:
            _LOG.exception("a viewer's connection failed")
            await _refuse(websocket, RefusedError(OUR_FAULT, "this is a bug; please report it", retry_s=5.0))

    def _check_origin(self, websocket: WebSocket) -> None:
        origin, host = websocket.headers.get("origin"), websocket.headers.get("host")
        if not origin_allowed(origin, host, self._allowed_hosts):
            raise RefusedError(
                FORBIDDEN,
                f"a page of {origin or 'no origin'!r} may not watch the service at {host!r}; "
                "open the viewer that the service itself delivers",
            )

    async def _converse(self, websocket: WebSocket) -> None:
        hello = await self._greeted(websocket)
        with contextlib.ExitStack() as stack:
            try:
                place = stack.enter_context(self._hub.places.taken(hello.scope.tenant, self._access))
            except RateLimitError as error:
                raise RefusedError(TRY_LATER, error.message, retry_s=self._hub.limits.retry_s) from error
            vouch(websocket.scope, self._access)
            await self._watch(websocket, hello, place)

    async def _watch(self, websocket: WebSocket, hello: Hello, place: Place) -> None:
        async with self._hub.watching(hello.scope.tenant, hello.resume) as feed:
            ack = (await self._hub.hello_ack(feed)).model_copy(update=told_of(self._access))
            await websocket.send_text(frame_json(ack).decode())
            viewer = Viewer(feed, hello, lambda text: websocket.send_text(text.decode()), self._hub.limits)
            company = self._hub.company(feed)
            member = company.join()

            def hear(frame: Ack | Resync | ScopeWish | Pointing) -> None:
                if isinstance(frame, Pointing):
                    company.point(member, frame)
                else:
                    viewer.hear(frame)

            tasks = {
                asyncio.create_task(viewer.run(), name="send to a viewer"),
                asyncio.create_task(viewer.mingle(member), name="tell a viewer of the others"),
                asyncio.create_task(self._listen(websocket, hear), name="listen to a viewer"),
                asyncio.create_task(self._watch_access(), name="watch a viewer's access"),
                asyncio.create_task(self._keep(place), name="keep a viewer's place"),
            }
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                company.leave(member)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _greeted(self, websocket: WebSocket) -> Hello:
        limits = self._hub.limits
        try:
            async with asyncio.timeout(limits.hello_s):
                hello = await _receive(websocket, limits)
        except TimeoutError as error:
            raise RefusedError(TIMEOUT, f"no hello within {limits.hello_s:g} s; send it first", retry_s=1.0) from error
        if not isinstance(hello, Hello):
            raise RefusedError(BAD_FRAME, f"the first frame must be 'hello', not {hello.t!r}")
        if hello.v != PROTOCOL_VERSION:
            raise RefusedError(
                SUB_PROTOCOL, f"version {hello.v} is not spoken here, {PROTOCOL_VERSION} is; load the viewer anew"
            )
        try:
            tenant_named(hello.scope.tenant)
        except InputError as error:
            raise RefusedError(BAD_FRAME, error.message) from error
        await self._let_in(websocket, hello)
        return hello

    async def _let_in(self, websocket: WebSocket, hello: Hello) -> None:
        if self._gate is None:
            return
        try:
            self._access = await self._gate.admit(websocket, token=hello.token)
            self._gate.spend(self._access)
            demand(self._access, frame_need(hello.t), "watching")
            tenant_opened(self._access, TenantId(hello.scope.tenant))
        except (RateLimitError, UnavailableError) as error:
            raise RefusedError(TRY_LATER, error.message, retry_s=error.retry_after_s or 1.0) from error
        except MnemographError as error:
            raise RefusedError(UNAUTHORIZED, error.message) from error

    async def _listen(self, websocket: WebSocket, hear: Hear) -> None:
        """Hand frames on until the socket closes; a token bucket and the credential's rate bound how many come in."""
        limits, clock = self._hub.limits, asyncio.get_running_loop().time
        bucket = Bucket(limits.frames_per_s, clock())
        pointed = 0
        while True:
            frame = await _receive(websocket, limits)
            if isinstance(frame, Hello):
                raise RefusedError(BAD_FRAME, "'hello' was said already; send 'scope' to look at something else")
            bucket, wait_s = take(
                bucket,
                now_s=clock(),
                per_s=limits.frames_per_s,
                burst=limits.frames_per_s,
                cost=_cost(frame, limits),
            )
            if wait_s > 0:
                raise RefusedError(
                    TOO_FAST, f"more than {limits.frames_per_s} frames a second; slow down", retry_s=limits.retry_s
                )
            try:
                demand(self._access, frame_need(frame.t), f"the frame {frame.t!r}")
            except ForbiddenError as error:
                raise RefusedError(FORBIDDEN, error.message) from error
            pointed += isinstance(frame, Pointing)
            if isinstance(frame, Resync | ScopeWish) or (
                isinstance(frame, Pointing) and pointed % limits.pointings_per_request == 0
            ):
                self._spend()
            hear(frame)

    def _spend(self) -> None:
        """Count one request of the credential, over all its connections."""
        try:
            if self._gate is not None:
                self._gate.spend(self._access)
        except RateLimitError as error:
            raise RefusedError(TOO_FAST, error.message, retry_s=error.retry_after_s or 1.0) from error

    async def _keep(self, place: Place) -> None:
        """End the connection when its place is given to somebody else."""
        await place.lost.wait()
        raise RefusedError(
            TRY_LATER, "this place was given to a tenant that has fewer; come back", retry_s=self._hub.limits.retry_s
        )

    async def _watch_access(self) -> None:
        """End the connection when what opened it opens it no more."""
        if self._gate is None:
            await asyncio.Event().wait()
            return
        await self._gate.ended(self._access)
        raise RefusedError(UNAUTHORIZED, "your access has ended: it is over or was revoked; sign in again")


def _cost(frame: Ack | Resync | ScopeWish | Pointing, limits: LiveLimits) -> int:
    match frame:
        case Ack():
            return 1
        case Pointing():
            return limits.pointing_cost
    return limits.wish_cost


async def _receive(websocket: WebSocket, limits: LiveLimits) -> Hello | Ack | Resync | ScopeWish | Pointing:
    event = await websocket.receive()
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1005))
    text = event.get("text")
    if text is None:
        raise RefusedError(BAD_FRAME, "frames are JSON text, not bytes")
    if len(text) > limits.frame_in_bytes or len(text.encode()) > limits.frame_in_bytes:
        raise RefusedError(TOO_BIG, f"a frame may have {limits.frame_in_bytes} bytes at most")
    try:
        return CLIENT_FRAMES.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RefusedError(
            BAD_FRAME, f"this is no frame of {PROTOCOL}: {place or 'the text'}: {first['msg']}"
        ) from error


async def _refuse(websocket: WebSocket, refusal: RefusedError) -> None:
    """Say why and close; a peer that takes nothing more is left alone."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(1.0):
            await _send(websocket, refusal.frame())
            await websocket.close(refusal.close_code, reason=refusal.frame().code)


async def _send(websocket: WebSocket, frame: Frame) -> None:
    await websocket.send_text(frame_json(frame).decode())
