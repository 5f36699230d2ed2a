"""The viewer's WebSocket `/live`: handshake, access checks, incoming frames, sending and closing.

A `Viewer` has its position in the shared ring, its unacknowledged frames and its send loop.
"""

import asyncio
import contextlib
import hashlib
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from enum import IntEnum

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
from graph_service.auth.rates import Bucket
from graph_service.auth.rules import frame_requirement
from graph_service.live.change_feed import Feed, LiveLimits
from graph_service.live.hub import Hub, Member
from graph_service.memory.change_log.log import moment_text
from graph_service.memory.mindmap.snapshot import frame_json
from graph_service.supervision import first_done, wait_for_any
from schema.errors import (
    ForbiddenError,
    InputError,
    MnemosceneError,
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
    Bookmark,
    ErrorFrame,
    Frame,
    GraphSnapshot,
    Hello,
    PlaceNodes,
    Resume,
    Resync,
    ScopeChange,
    SelectionUpdate,
    Status,
)
from schema.ids import TenantId, tenant_named


class CloseCode(IntEnum):
    """Reasons to close a viewer's connection, with their close codes; error frames have the name."""

    INTERNAL = 1011
    TRY_LATER = 1013
    BAD_FRAME = 4400
    UNAUTHORIZED = 4401
    FORBIDDEN = 4403
    NO_TENANT = 4404
    SUB_PROTOCOL = 4406
    TIMEOUT = 4408
    TOO_BIG = 4413
    QUARANTINED = 4423
    TOO_FAST = 4429


class RefusedError(MnemosceneError):
    """Raised to close a viewer's connection.

    Attributes:
        close_code: the code to close it with.
        retry_s: seconds to wait before reconnecting; None if reconnecting alone does not help.
    """

    def __init__(self, close_code: CloseCode, message: str, *, retry_s: float | None = None) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.retry_s = retry_s

    def frame(self) -> ErrorFrame:
        return ErrorFrame(code=self.close_code.name, message=self.message, retry_s=self.retry_s)


Send = Callable[[bytes], Awaitable[None]]


class Viewer:
    """Keeps one viewer up to date, as fast as it acknowledges frames.

    Nothing is queued per viewer: a slow one gets one coalesced patch, or a snapshot if the changes since its position
    are no longer in the ring.

    Args:
        send: sends one text frame.
    """

    def __init__(self, feed: Feed, hello: Hello, send: Send, limits: LiveLimits) -> None:
        self.wake = asyncio.Event()
        self._feed = feed
        self._user = hello.scope.user
        self._budget = hello.scope.budget
        self._position: Resume | None = hello.resume
        # `places_seq` of the last positions sent; None before the first.
        self._placed: int | None = None
        if hello.resume is not None and hello.resume.epoch == feed.epoch:
            self._placed = hello.resume.places
        self._send_bytes = send
        self._limits = limits
        self._unacknowledged: deque[tuple[int, float]] = deque()
        self._reported_up = True
        self._sent_s = _now_s()

    def handle(self, frame: Ack | Resync | ScopeChange) -> None:
        """Handle a frame from the viewer and wake the send loop."""
        match frame:
            case Ack():
                self._acknowledge(frame.seq)
            case Resync():
                self._request_snapshot()
            case ScopeChange():
                self._user, self._budget = frame.user, frame.budget
                self._placed = None
                self._request_snapshot()
        self.wake.set()

    async def send_presence(self, member: Member) -> None:
        """Send presence frames until cancelled.

        Raises:
            RefusedError: the viewer did not read a frame within `ack_s`.
        """
        while True:
            await member.wake.wait()
            for text in member.take(frames_max=self._limits.presence_frames):
                await self._send_text(text)
            await asyncio.sleep(self._limits.presence_interval_s)

    async def run(self) -> None:
        """Send status, snapshots and patches until cancelled.

        Raises:
            RefusedError: the viewer did not read or acknowledge a frame within `ack_s`.
        """
        self._feed.listeners.add(self.wake)
        try:
            while True:
                self.wake.clear()
                if self._feed.up != self._reported_up:
                    self._reported_up = self._feed.up
                    await self._send(self._status())
                while await self._advance():
                    pass
                await self._send_heartbeat()
                await wait_for_any(self.wake, timeout_s=self._pause_s())
                self._check_acknowledged()
        finally:
            self._feed.listeners.discard(self.wake)

    async def _advance(self) -> bool:
        """Send the next snapshot or patch; return False if there is none or the window is full."""
        if len(self._unacknowledged) >= self._limits.window:
            return False
        # Before a snapshot, so that its nodes are drawn where they belong.
        await self._send_places()
        position = self._position
        if position is None or (self._feed.up and not self._feed.reaches(position.epoch, position.seq)):
            return await self._send_snapshot()
        if position.epoch != self._feed.epoch:
            return False
        changes = self._feed.ring.since(position.seq, bytes_max=self._limits.frame_out_bytes // 2)
        if not changes:
            return False
        patch = self._feed.frames.patch(changes, epoch=position.epoch, seq=position.seq, user=self._user)
        if not patch.empty:
            self._position = Resume(epoch=position.epoch, seq=patch.to)
            self._unacknowledged.append((patch.to, _now_s()))
            await self._send_text(patch.text)
            return True
        if len(changes) < self._limits.skipped_max and patch.to == self._feed.ring.end:
            return False
        await self._send_bookmark(Resume(epoch=position.epoch, seq=patch.to))
        return True

    async def _send_places(self) -> None:
        user, placed = self._user, self._placed
        if placed == self._feed.places_seq or (placed is not None and not self._feed.up):
            return
        if placed is None and self._feed.up and self._feed.places_seq == 0:
            self._placed = 0
            return
        try:
            async with asyncio.timeout(self._limits.ack_s):
                places = await self._feed.places(user, after=placed)
        except (UnavailableError, TimeoutError):
            self._feed.notify()
            return
        if user != self._user:
            return
        self._placed = places.seq
        if places.places:
            await self._send(places)

    async def _send_snapshot(self) -> bool:
        user, budget = self._user, self._budget
        stale = not self._feed.up
        snapshot = self._feed.cached_snapshot(user, budget) if stale else await self._fresh(user, budget)
        if snapshot is None:
            return False
        parts = await self._feed.snapshots.parts(snapshot, stale=stale)
        if (user, budget) != (self._user, self._budget):
            return True
        self._position = Resume(epoch=snapshot.epoch, seq=snapshot.seq)
        self._unacknowledged.append((snapshot.seq, _now_s()))
        for part in parts:
            await self._send_text(part)
        return True

    async def _fresh(self, user: str | None, budget: int) -> GraphSnapshot | None:
        try:
            async with asyncio.timeout(self._limits.ack_s):
                return await self._feed.snapshot(user, budget)
        except (UnavailableError, TimeoutError):
            self._feed.notify()
            return None

    async def _send_heartbeat(self) -> None:
        if _now_s() - self._sent_s < self._limits.heartbeat_s:
            return
        if self._position is None:
            await self._send(self._status())
            return
        skipped = None
        if not self._unacknowledged and self._position.epoch == self._feed.epoch:
            skipped = self._feed.ring.since(self._position.seq, bytes_max=self._limits.frame_out_bytes // 2)
        seq = skipped[-1].seq if skipped else self._position.seq
        await self._send_bookmark(Resume(epoch=self._position.epoch, seq=seq))

    async def _send_bookmark(self, position: Resume) -> None:
        self._position = position
        await self._send(Bookmark(epoch=position.epoch, seq=position.seq))

    async def _send(self, frame: Frame) -> None:
        await self._send_text(frame_json(frame))

    async def _send_text(self, text: bytes) -> None:
        try:
            async with asyncio.timeout(self._limits.ack_s):
                await self._send_bytes(text)
        except TimeoutError as error:
            raise RefusedError(
                CloseCode.TIMEOUT, "the viewer does not read its frames; reconnect", retry_s=0.0
            ) from error
        self._sent_s = _now_s()

    def _status(self) -> Status:
        up = self._feed.up
        return Status(db="up" if up else "down", serving="live" if up else "last snapshot", as_of=self._feed.as_of)

    def _acknowledge(self, seq: int) -> None:
        # An acknowledgement covers all frames before it, which may belong to an older epoch.
        count = max(
            (number for number, (sent, _) in enumerate(self._unacknowledged, start=1) if sent <= seq), default=0
        )
        for _ in range(count):
            self._unacknowledged.popleft()

    def _request_snapshot(self) -> None:
        """Send a snapshot next; acknowledgements of earlier frames no longer matter."""
        self._position = None
        self._unacknowledged.clear()

    def _check_acknowledged(self) -> None:
        if self._unacknowledged and _now_s() - self._unacknowledged[0][1] >= self._limits.ack_s:
            raise RefusedError(
                CloseCode.TIMEOUT,
                f"frame {self._unacknowledged[0][0]} was not acknowledged within {self._limits.ack_s:g} s; reconnect",
                retry_s=0.0,
            )

    def _pause_s(self) -> float:
        due = [self._sent_s + self._limits.heartbeat_s]
        if self._unacknowledged:
            due.append(self._unacknowledged[0][1] + self._limits.ack_s)
        if self._position is None and len(self._unacknowledged) < self._limits.window:
            due.append(_now_s() + self._limits.poll_s)
        return max(min(due) - _now_s(), 0.01)


def _now_s() -> float:
    return asyncio.get_running_loop().time()


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
        async with contextlib.AsyncExitStack() as stack:
            slot = stack.enter_context(self._hub.slots.take(hello.scope.tenant, self._access))
            identify_connection(websocket.scope, self._access)
            feed = await stack.enter_async_context(self._hub.watching(hello.scope.tenant, hello.resume))
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
        bucket = Bucket(limits.frames_per_s, clock(), limits.frames_per_s, limits.frames_per_s)
        pointed = 0
        while True:
            frame = await _receive(websocket, limits)
            if isinstance(frame, Hello):
                raise RefusedError(CloseCode.BAD_FRAME, "'hello' was already received; send 'scope' to change the view")
            wait_s = bucket.take(now_s=clock(), cost=_cost(frame, limits))
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
