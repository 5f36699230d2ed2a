"""One viewer: its position in the shared ring, its unacknowledged frames, its send loop, and why it is closed."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from enum import IntEnum

from graph_service.live.change_feed import Feed
from graph_service.live.hub import Member
from graph_service.live.limits import LiveLimits
from graph_service.memory.mindmap.snapshot import frame_json
from schema.errors import MnemosceneError, UnavailableError
from schema.frames import Ack, Bookmark, ErrorFrame, Frame, GraphSnapshot, Hello, Resume, Resync, ScopeChange, Status


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
                # Not wait_for: in Python 3.11 it can swallow a cancellation that arrives with the event.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pause_s()):
                        await self.wake.wait()
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
