"""Feed the changes of a tenant to its viewers: one task reads the log into a shared ring buffer and wakes readers.

Snapshots and patches are encoded once for all viewers of the same scope.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final, TypeAlias

import orjson
from cachetools import LRUCache

from extraction.bounded_threads import BoundedThreads
from graph_service.live.patches import patch_of, snapshot_parts
from graph_service.memory.change_log.log import ChangeLog, Head, moment_text
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import frame_json
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.supervision import wait_for_any
from schema.change import FORGOTTEN, NumberedChange
from schema.errors import UnavailableError
from schema.frames import GraphSnapshot, Places, PlacesByView, Resume


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLimits:
    """Limits of viewers, frames and the shared ring of changes.

    Attributes:
        viewers: concurrent viewers in total, counted after `hello`.
        viewers_of_tenant: concurrent viewers per tenant.
        viewers_of_credential: concurrent viewers per API key or token subject.
        window: graph frames that may be unacknowledged.
        heartbeat_s: a bookmark is sent after this time without frames.
        skipped_max: changes of other users after which a bookmark moves a viewer's resume position.
        poll_s: interval at which the log is read for changes of other processes.
        answer_s: timeout of one read of the log, after which the database counts as down.
        snapshot_cost: frames that one `resync` or `scope` counts for, since each costs a snapshot.
        place_cost: frames that one `place` counts for, since it is written and broadcast.
        pointing_cost: frames that one `selection_sync` counts for, since it is broadcast.
        pointings_per_request: `selection_sync` frames that count as one request of the credential.
        presence_interval_s: minimum interval between presence updates to a viewer.
        presence_frames: presence frames per interval for all viewers of a tenant; the others follow later.
    """

    viewers: int = 1_024
    viewers_of_tenant: int = 256
    viewers_of_credential: int = 64
    window: int = 3
    ack_s: float = 30.0
    hello_s: float = 3.0
    heartbeat_s: float = 15.0
    skipped_max: int = 200
    poll_s: float = 0.5
    answer_s: float = 10.0
    frame_in_bytes: int = 16_384
    frames_per_s: int = 20
    snapshot_cost: int = 4
    place_cost: int = 2
    pointing_cost: int = 2
    pointings_per_request: int = 5
    presence_interval_s: float = 0.1
    presence_frames: int = 500
    frame_out_bytes: int = 1_048_576
    ring_changes: int = 2_000
    ring_bytes: int = 8_388_608
    ring_s: float = 600.0
    retry_s: float = 5.0


LIVE_LIMITS = LiveLimits()


_SNAPSHOTS_MAX: Final = 8
# Elements that are encoded in about 3 ms on the event loop.
_ENCODED_INLINE: Final = 500
_ENCODING: Final = BoundedThreads(threads_max=2, cpu_max_s=10.0)


# A snapshot and its frames.
_Encoded: TypeAlias = tuple[GraphSnapshot, tuple[bytes, ...]]


class SnapshotFrameCache:
    """The last encoded snapshots of a tenant, in frames of at most `part_bytes`."""

    def __init__(self, *, part_bytes: int, bytes_max: int) -> None:
        self._part_bytes = part_bytes
        self._bytes_max = bytes_max
        self._lock = asyncio.Lock()
        self.clear()

    async def parts(self, snapshot: GraphSnapshot, *, stale: bool) -> tuple[bytes, ...]:
        """Return the frames of a snapshot.

        Args:
            stale: mark the frames as read before the database became unavailable.

        Raises:
            TooSlowError: encoding took too long.
        """
        async with self._lock:
            cached, key = self._cached, (id(snapshot), stale)
            if key in cached:
                return cached[key][1]

            def encoded() -> tuple[bytes, ...]:
                whole = snapshot.model_copy(update={"stale": stale})
                return tuple(frame_json(part) for part in snapshot_parts(whole, bytes_max=self._part_bytes))

            small = len(snapshot.nodes) + len(snapshot.edges) <= _ENCODED_INLINE
            made = encoded() if small else await _ENCODING.run(encoded)
            # `clear` replaces the cache, so that a snapshot begun before it is not kept.
            cached[key] = snapshot, made
            return made

    def clear(self) -> None:
        """Drop everything, after data in it was deleted."""
        self._cached: LRUCache[tuple[int, bool], _Encoded] = LRUCache(self._bytes_max, getsizeof=self._size)

    def _size(self, encoded: _Encoded) -> int:
        """Return the bytes that an entry counts for; at most `_SNAPSHOTS_MAX` fit, and one of any size."""
        return min(max(sum(map(len, encoded[1])), self._bytes_max // _SNAPSHOTS_MAX), self._bytes_max)


_PATCHES_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class EncodedPatch:
    """A patch as JSON.

    Attributes:
        empty: True if it has no operations for the viewer.
    """

    text: bytes
    to: int
    empty: bool


class PatchCache:
    """The last encoded patches, shared by viewers at the same position with the same user filter."""

    def __init__(self, bytes_max: int) -> None:
        bytes_min = bytes_max // _PATCHES_MAX
        self._patches: LRUCache[tuple[str, int, int, str | None], EncodedPatch] = LRUCache(
            bytes_max, getsizeof=lambda patch: min(max(len(patch.text), bytes_min), bytes_max)
        )

    def patch(self, changes: Sequence[NumberedChange], *, epoch: str, seq: int, user: str | None) -> EncodedPatch:
        """Return these changes, the first of which follows `seq`, as an encoded patch for one user or for all."""
        key = (epoch, seq, changes[-1].seq, user)
        known = self._patches.get(key)
        if known is not None:
            return known
        patch = patch_of(changes, epoch=epoch, seq=seq, user=user)
        made = EncodedPatch(text=frame_json(patch), to=patch.to, empty=not patch.ops)
        self._patches[key] = made
        return made

    def clear(self) -> None:
        """Drop everything, after data in it was deleted."""
        self._patches.clear()


@dataclass(frozen=True, slots=True)
class _Entry:
    change: NumberedChange
    size_bytes: int
    added_s: float


class Ring:
    """Ring buffer of changes `start + 1` to `end`, without gaps; bounded in number, bytes and age.

    Args:
        start: sequence number before the first change.
    """

    def __init__(self, start: int, limits: LiveLimits) -> None:
        self.start = start
        self._limits = limits
        self._entries: deque[_Entry] = deque()
        self._bytes = 0

    @property
    def end(self) -> int:
        """Sequence number of the newest change."""
        return self.start + len(self._entries)

    def add(self, changes: Sequence[NumberedChange], *, now_s: float) -> None:
        """Append changes that follow `end`, and drop the oldest ones over the bounds.

        Args:
            now_s: from a monotonic clock.
        """
        for change in changes:
            if change.seq != self.end + 1:
                raise AssertionError(f"change {change.seq} does not follow {self.end}")
            size = len(orjson.dumps(change.change.body)) + len(change.change.element_id) + 16
            self._entries.append(_Entry(change, size, now_s))
            self._bytes += size
        self._trim(now_s)

    def since(self, seq: int, *, bytes_max: int) -> list[NumberedChange] | None:
        """Return changes after `seq`, at least one and up to `bytes_max`; None if some are no longer in the ring."""
        if not self.start <= seq <= self.end:
            return None
        taken: list[NumberedChange] = []
        size = 0
        for entry in islice(self._entries, seq - self.start, None):
            size += entry.size_bytes
            if taken and size > bytes_max:
                break
            taken.append(entry.change)
        return taken

    def _trim(self, now_s: float) -> None:
        while self._entries and (
            len(self._entries) > self._limits.ring_changes
            or self._bytes > self._limits.ring_bytes
            or now_s - self._entries[0].added_s > self._limits.ring_s
        ):
            self._bytes -= self._entries.popleft().size_bytes
            self.start += 1


# Between two readings of a log whose next change is not visible yet.
_COMMIT_WAITS_S: Final = (0.02, 0.05, 0.1, 0.2)


def _places(user: str | None, seq: int, found: PlacesByView, *, whole: bool) -> Places:
    places = {view: list(of_view.items()) for view, of_view in found.items()}
    return Places(user=user, seq=seq, whole=whole, places=places)


class Feed:
    """Follows the change log of one tenant while it has viewers.

    Args:
        resume: position of the first viewer. The ring starts there if it is recent enough, so that reconnecting after
            all viewers left, or after a restart, needs no snapshot.

    Attributes:
        up: True if the last read of the log succeeded.
        as_of: when the database last answered, ISO 8601 UTC; empty before.
        epoch: epoch of the log; None before the first successful read.
        places_seq: number of times that viewers placed nodes.
        frames, snapshots: encoded frames shared by viewers.
        first_read: set after the first read, successful or not.
    """

    def __init__(
        self,
        tenant: str,
        change_log: ChangeLog,
        mindmap: MindMap,
        *,
        limits: LiveLimits,
        snapshot_cache: MapSnapshotCache,
        resume: Resume | None,
    ) -> None:
        self.tenant = tenant
        self.up = False
        self.as_of = ""
        self.epoch: str | None = None
        self.places_seq = 0
        self.ring = Ring(0, limits)
        self.frames = PatchCache(limits.ring_bytes)
        self.snapshots = SnapshotFrameCache(part_bytes=limits.frame_out_bytes, bytes_max=limits.ring_bytes)
        self.first_read = asyncio.Event()
        self.listeners: set[asyncio.Event] = set()
        self._changes = change_log
        self._mindmap = mindmap
        self._limits = limits
        self._cache = snapshot_cache
        self._resume = resume
        self._places: dict[tuple[str | None, int | None, int], Places] = {}
        self._notified = asyncio.Event()
        self._lock = asyncio.Lock()
        self._snapshot_lock = asyncio.Lock()

    def notify(self) -> None:
        """Read the log now, after a commit."""
        self._notified.set()

    async def watch(self) -> None:
        """Read the log at each notification and every `poll_s` until cancelled, also while the database is down.

        Run it supervised: an unexpected error ends it, after viewers got the status `down`.
        """
        while True:
            self._notified.clear()
            await self._poll()
            await wait_for_any(self._notified, timeout_s=self._limits.poll_s)

    def reaches(self, epoch: str, seq: int) -> bool:
        """Return whether patches suffice to bring a viewer from this position to the present."""
        return epoch == self.epoch and self.ring.start <= seq <= self.ring.end

    async def snapshot(self, user: str | None, budget: int) -> GraphSnapshot:
        """Return a snapshot that later patches apply to; concurrent viewers of the same scope share it.

        Raises:
            UnavailableError: the database does not answer.
        """
        async with self._snapshot_lock:
            return await self._snapshot(user, budget)

    async def _snapshot(self, user: str | None, budget: int) -> GraphSnapshot:
        cached = self._cache.exactly(self.tenant, user, budget)
        if cached is not None and self.up and (cached.epoch, cached.seq) == (self.epoch, self.ring.end):
            return cached
        generation = self._cache.generation
        snapshot = await self._mindmap.snapshot(self.tenant, user_id=user, budget=budget)
        self.as_of = snapshot.as_of
        self._cache.keep(self.tenant, user, budget, snapshot, generation=generation)
        if not self.reaches(snapshot.epoch, snapshot.seq):
            async with self._lock:
                await self._catch_up()
        return snapshot

    async def places(self, user: str | None, *, after: int | None) -> Places:
        """Return the positions in the views of a user, or of everybody; while the database is down the last known ones.

        Args:
            after: only those that changed after this `places_seq`; None returns all.

        Raises:
            UnavailableError: the database does not answer.
        """
        seq, whole = self.places_seq, after is None
        if not self.up:
            return _places(user, seq, self._cache.places(self.tenant, user), whole=whole)
        key = (user, after, seq)
        async with self._snapshot_lock:
            found = self._places.get(key)
            if found is None:
                generation = self._cache.generation
                read = await self._mindmap.places(self.tenant, user, after=after or 0)
                self._cache.keep_places(self.tenant, user, read, whole=whole, generation=generation)
                found = _places(user, seq, read, whole=whole)
                # Only those of one number: viewers are at the same one most of the time.
                self._places = {known: value for known, value in self._places.items() if known[2] == seq}
                self._places[key] = found
        return found

    def cached_snapshot(self, user: str | None, budget: int) -> GraphSnapshot | None:
        """Return the last snapshot of this scope, else the nearest cached one, however old; None without any."""
        return self._cache.nearest(self.tenant, user, budget)

    async def _poll(self) -> None:
        try:
            async with self._lock, asyncio.timeout(self._limits.answer_s):
                await self._catch_up()
            up = True
        except (UnavailableError, TimeoutError):
            up = False
        except Exception:
            # Report `down` to the viewers; the supervisor restarts the task.
            self._set_up(up=False)
            raise
        self._set_up(up=up)

    def _set_up(self, *, up: bool) -> None:
        if up:
            self.as_of = moment_text(datetime.now(UTC)) or ""
        if up != self.up or not self.first_read.is_set():
            self.up = up
            self.first_read.set()
            self._wake()

    async def _catch_up(self) -> None:
        head = await self._changes.head(self.tenant)
        if head.epoch != self.epoch:
            self._begin(head)
        if not 0 <= head.seq - self.ring.end <= self._limits.ring_changes:
            self._restart(head)
        while self.ring.end < head.seq:
            changes = await self._following(self.ring.end)
            if not changes:
                self._restart(head)
                return
            if any(numbered.change.reason == FORGOTTEN for numbered in changes):
                # Cached frames and changes may contain the deleted data; the log no longer does.
                self._cache.drop(self.tenant)
                self.frames.clear()
                self.snapshots.clear()
                self._places.clear()
                self.ring = Ring(self.ring.end, self._limits)
            self.ring.add(changes, now_s=asyncio.get_running_loop().time())
            self._wake()
        if head.places != self.places_seq:
            self.places_seq = head.places
            self._wake()

    async def _following(self, seq: int) -> list[NumberedChange]:
        """Return the changes that follow `seq` without a gap; none if they were deleted.

        Neo4j applies a commit in parts: for some milliseconds a reader may see the new head but not all changes before
        it. A gap is therefore read again before it counts as a deletion, which costs every viewer a snapshot.
        """
        for wait_s in (*_COMMIT_WAITS_S, None):
            logged = await self._changes.since(self.tenant, seq)
            changes = [change for number, change in enumerate(logged, seq + 1) if change.seq == number]
            if changes or wait_s is None:
                return changes
            await asyncio.sleep(wait_s)
        return []

    def _begin(self, head: Head) -> None:
        resume, self._resume = self._resume, None
        self._restart(head)
        if resume is not None and resume.epoch == head.epoch and resume.seq <= head.seq:
            self.ring = Ring(resume.seq, self._limits)

    def _restart(self, head: Head) -> None:
        """Start a new ring; viewers behind it get snapshots."""
        self.epoch = head.epoch
        self.ring = Ring(head.seq, self._limits)
        self._wake()

    def _wake(self) -> None:
        for listener in self.listeners:
            listener.set()
