"""The viewer's WebSocket `/live`: handshake, access checks, incoming frames and closing."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from graph_service.auth.access import (
    ANONYMOUS,
    Access,
    identify_connection,
    is_allowed,
    require_access,
    resolve_tenant,
    same_origin,
    sees_questions_of,
)
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.connection_slots import Slot
from graph_service.auth.rates import Bucket, take
from graph_service.auth.rules import frame_requirement
from graph_service.live.hub import Hub
from graph_service.live.limits import LiveLimits
from graph_service.live.viewer_session import CloseCode, RefusedError, Viewer
from graph_service.memory.change_log.log import moment_text
from graph_service.memory.mindmap.snapshot import frame_json
from graph_service.supervision import first_done
from schema.errors import (
    ForbiddenError,
    InputError,
    QuarantinedError,
    RateLimitError,
    UnauthorizedError,
    UnavailableError,
)
from schema.frames import (
    CLIENT_FRAMES,
    PROTOCOL,
    PROTOCOL_VERSION,
    Ack,
    Hello,
    PlaceNodes,
    Resync,
    ScopeChange,
    SelectionUpdate,
)
from schema.ids import TenantId, tenant_named


def access_fields(access: Access) -> dict[str, str | bool | None]:
    """Return the fields of `hello_ack` about the credential: what it may do, and for the offline copy whose it is."""
    may_place = is_allowed(access, frame_requirement("place"))
    if access.is_anonymous:
        return {"may_place": may_place, "principal": None, "access_expires_at": None}
    principal = hashlib.sha256(f"{access.who}\0{access.tenant}".encode()).hexdigest()[:32]
    until = None if access.until_s is None else moment_text(datetime.fromtimestamp(access.until_s, UTC))
    return {"may_place": may_place, "principal": principal, "access_expires_at": until}


_Received = Ack | Resync | ScopeChange | SelectionUpdate | PlaceNodes
_Handler = Callable[[_Received], Awaitable[None]]

_LOG = logging.getLogger(__name__)


def live_router(hub: Hub, *, auth: Authenticator | None = None) -> APIRouter:
    """Return the route `/live`.

    Args:
        auth: checks the credential in `hello`, the header or the cookie; None admits everybody.
    """
    router = APIRouter()

    @router.websocket("/live")
    async def live(websocket: WebSocket) -> None:
        await _Connection(hub, auth).serve(websocket)

    return router


class _Connection:
    def __init__(self, hub: Hub, auth: Authenticator | None) -> None:
        self._hub = hub
        self._auth = auth
        self._access = ANONYMOUS

    async def serve(self, websocket: WebSocket) -> None:
        """Serve a connection; it is accepted first, because browsers see close codes only after that."""
        offered = PROTOCOL in websocket.scope.get("subprotocols", ())
        try:
            await websocket.accept(subprotocol=PROTOCOL if offered else None)
            # The name of the host was checked before (`HostGuard`).
            origin, host = websocket.headers.get("origin"), websocket.headers.get("host")
            if origin is not None and not same_origin(origin, host):
                message = f"pages of {origin!r} may not use the service at {host!r}: use the service's own viewer"
                raise RefusedError(CloseCode.FORBIDDEN, message)
            if not offered:
                raise RefusedError(CloseCode.SUB_PROTOCOL, f"request the subprotocol {PROTOCOL}")
            await self._run(websocket)
        except WebSocketDisconnect:
            return
        except Exception as error:
            refusal = _refusal(error)
            if refusal.close_code is CloseCode.INTERNAL:
                _LOG.exception("a viewer's connection failed")
            await _refuse(websocket, refusal)

    async def _run(self, websocket: WebSocket) -> None:
        hello = await self._receive_hello(websocket)
        with self._hub.slots.take(hello.scope.tenant, self._access) as slot:
            identify_connection(websocket.scope, self._access)
            await self._watch(websocket, hello, slot)

    async def _watch(self, websocket: WebSocket, hello: Hello, slot: Slot) -> None:
        async with self._hub.watching(hello.scope.tenant, hello.resume) as feed:
            ack = (await self._hub.hello_ack(feed)).model_copy(update=access_fields(self._access))
            await websocket.send_text(frame_json(ack).decode())
            viewer = Viewer(feed, hello, lambda text: websocket.send_text(text.decode()), self._hub.limits)
            group = self._hub.viewer_group(feed)
            seen_by = self._hub.questions_seen_by
            member = group.join(lambda who: sees_questions_of(self._access, who, seen_by))

            async def handle(frame: _Received) -> None:
                if isinstance(frame, SelectionUpdate):
                    group.point(member, frame)
                elif isinstance(frame, PlaceNodes):
                    await self._place(feed.tenant, frame)
                else:
                    viewer.handle(frame)

            tenant, auth = TenantId(hello.scope.tenant), self._auth
            endings = [] if auth is None else auth.endings(self._access, tenant, "watching")
            running = (viewer.run(), viewer.send_presence(member), self._listen(websocket, handle))
            try:
                for task in await first_done(*running, slot.raise_when_revoked(), *endings):
                    if not task.cancelled():
                        task.result()
            finally:
                group.leave(member)

    async def _receive_hello(self, websocket: WebSocket) -> Hello:
        limits = self._hub.limits
        try:
            async with asyncio.timeout(limits.hello_s):
                hello = await _receive(websocket, limits)
        except TimeoutError as error:
            raise RefusedError(
                CloseCode.TIMEOUT, f"no 'hello' within {limits.hello_s:g} s; send it first", retry_s=1.0
            ) from error
        if not isinstance(hello, Hello):
            raise RefusedError(CloseCode.BAD_FRAME, f"the first frame must be 'hello', not {hello.t!r}")
        if hello.v != PROTOCOL_VERSION:
            raise RefusedError(
                CloseCode.SUB_PROTOCOL,
                f"protocol version {hello.v} is not supported, use {PROTOCOL_VERSION}; reload the viewer",
            )
        try:
            tenant_named(hello.scope.tenant)
        except InputError as error:
            raise RefusedError(CloseCode.NO_TENANT, error.message) from error
        await self._authorize(websocket, hello)
        return hello

    async def _authorize(self, websocket: WebSocket, hello: Hello) -> None:
        if self._auth is None:
            return
        self._access = await self._auth.authenticate(websocket, token=hello.token)
        self._auth.check_rate(self._access)
        require_access(self._access, frame_requirement(hello.t), "watching")
        tenant = resolve_tenant(self._access, TenantId(hello.scope.tenant))
        self._auth.quarantine.check(tenant, frame_requirement(hello.t), "watching")

    async def _listen(self, websocket: WebSocket, handle: _Handler) -> None:
        """Handle frames until the socket closes, limited per connection and by the credential's rate."""
        limits, clock = self._hub.limits, asyncio.get_running_loop().time
        bucket = Bucket(limits.frames_per_s, clock())
        pointed = 0
        while True:
            frame = await _receive(websocket, limits)
            if isinstance(frame, Hello):
                raise RefusedError(CloseCode.BAD_FRAME, "'hello' was already received; send 'scope' to change the view")
            bucket, wait_s = take(
                bucket,
                now_s=clock(),
                per_s=limits.frames_per_s,
                burst=limits.frames_per_s,
                cost=_cost(frame, limits),
            )
            if wait_s > 0:
                raise RefusedError(
                    CloseCode.TOO_FAST, f"more than {limits.frames_per_s} frames per second", retry_s=limits.retry_s
                )
            try:
                require_access(self._access, frame_requirement(frame.t), f"the frame {frame.t!r}")
            except ForbiddenError as error:
                raise RefusedError(CloseCode.FORBIDDEN, error.message) from error
            pointed += isinstance(frame, SelectionUpdate)
            if isinstance(frame, Resync | ScopeChange | PlaceNodes) or (
                isinstance(frame, SelectionUpdate) and pointed % limits.pointings_per_request == 0
            ):
                self._check_rate()
            await handle(frame)

    async def _place(self, tenant: str, frame: PlaceNodes) -> None:
        """Store positions; drop them in a quarantine, and in an outage, after which the viewer sends them again."""
        try:
            if self._auth is not None:
                self._auth.quarantine.check(TenantId(tenant), frame_requirement(frame.t), "placing")
            await self._hub.place(tenant, frame)
        except (QuarantinedError, UnavailableError) as error:
            _LOG.debug("positions were not stored: %s", error.message)

    def _check_rate(self) -> None:
        try:
            if self._auth is not None:
                self._auth.check_rate(self._access)
        except RateLimitError as error:
            raise RefusedError(CloseCode.TOO_FAST, error.message, retry_s=error.retry_after_s or 1.0) from error


def _refusal(error: Exception) -> RefusedError:
    """Return why a connection is closed after an error; errors that are no answer to the viewer are internal."""
    match error:
        case RefusedError():
            return error
        case RateLimitError() | UnavailableError():
            return RefusedError(CloseCode.TRY_LATER, error.message, retry_s=error.retry_after_s or 1.0)
        case QuarantinedError():
            return RefusedError(CloseCode.QUARANTINED, error.message)
        case UnauthorizedError() | ForbiddenError():
            return RefusedError(CloseCode.UNAUTHORIZED, error.message)
        case _:
            return RefusedError(CloseCode.INTERNAL, "internal error; please report this bug", retry_s=5.0)


def _cost(frame: _Received, limits: LiveLimits) -> int:
    match frame:
        case Ack():
            return 1
        case SelectionUpdate():
            return limits.pointing_cost
        case PlaceNodes():
            return limits.place_cost
    return limits.snapshot_cost


async def _receive(websocket: WebSocket, limits: LiveLimits) -> Hello | _Received:
    event = await websocket.receive()
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1005))
    text = event.get("text")
    if text is None:
        raise RefusedError(CloseCode.BAD_FRAME, "frames must be text, not binary")
    if len(text) > limits.frame_in_bytes or len(text.encode()) > limits.frame_in_bytes:
        raise RefusedError(CloseCode.TOO_BIG, f"the frame exceeds {limits.frame_in_bytes} bytes")
    try:
        return CLIENT_FRAMES.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RefusedError(
            CloseCode.BAD_FRAME, f"not a valid frame of {PROTOCOL}: {place or 'the text'}: {first['msg']}"
        ) from error


async def _refuse(websocket: WebSocket, refusal: RefusedError) -> None:
    """Send the error frame and close; ignore a peer that no longer reads."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(1.0):
            await websocket.send_text(frame_json(refusal.frame()).decode())
            await websocket.close(refusal.close_code, reason=refusal.frame().code)
