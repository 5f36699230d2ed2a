"""One tenant's changes for all its viewers: a single watcher reads the log into the ring and wakes who waits."""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Final

import orjson

from extraction.bounded_threads import BoundedThreads
from graph_service.live.limits import LiveLimits
from graph_service.live.patches import ViewerState, apply_ops, coalesce, patch_of
from graph_service.live.shared_snapshots import SharedSnapshots
from graph_service.memory.change_log.log import ChangeLog, Head
from graph_service.memory.change_log.payloads import moment_text
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import Snapshot, frame_json
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from schema.change import FORGOTTEN, NumberedChange
from schema.errors import TooSlowError, UnavailableError
from schema.frames import Count, EdgeView, NodeView, Resume


def caught_up(snapshot: Snapshot, changes: Sequence[NumberedChange], *, user: str | None) -> Snapshot:
    """Return the snapshot with all these changes applied; used while the database cannot be read.

    Args:
        changes: without gaps, starting with the one after the snapshot.
        user: apply only this user's changes; None means all.
    """
    if not changes:
        return snapshot
    # The fields of a model are its `__dict__`: elements that no change touches are neither dumped nor validated.
    state = ViewerState(
        nodes={node.id: node.__dict__ for node in snapshot.nodes},
        edges={edge.id: edge.__dict__ for edge in snapshot.edges},
    )
    apply_ops(state, coalesce(change for change in changes if user is None or change.user_id == user))
    node_before = {node.id: node for node in snapshot.nodes}
    edge_before = {edge.id: edge for edge in snapshot.edges}
    nodes, edges = [], []
    for node_id, body in state.nodes.items():
        node = node_before.get(node_id)
        nodes.append(node if node and body is node.__dict__ else NodeView.model_validate(body))
    for edge_id, body in state.visible_edges().items():
        edge = edge_before.get(edge_id)
        unchanged = edge is not None and body is edge.__dict__
        edges.append(edge if edge and unchanged else EdgeView.model_validate({**body, "was": None}))
    total = Count(
        nodes=snapshot.total.nodes + len(nodes) - len(snapshot.nodes),
        edges=snapshot.total.edges + len(edges) - len(snapshot.edges),
    )
    last = changes[-1]
    return Snapshot(epoch=snapshot.epoch, seq=last.seq, as_of=last.at, total=total, nodes=nodes, edges=edges)


_PATCHES_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class Encoded:
    """A patch as JSON.

    Attributes:
        to: number of the last change in it.
        empty: whether nothing in it concerns the viewer.
    """

    text: bytes
    to: int
    empty: bool


class SharedFrames:
    """The last patches; viewers at the same number, with the same lens, get the same bytes."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._held: OrderedDict[tuple[str, int, int, str | None], Encoded] = OrderedDict()

    def patch(self, changes: Sequence[NumberedChange], *, epoch: str, seq: int, user: str | None) -> Encoded:
        """Return all changes after `seq`, for a viewer of this user or of everybody."""
        key = (epoch, seq, changes[-1].seq, user)
        known = self._held.get(key)
        if known is not None:
            return known
        patch = patch_of(changes, epoch=epoch, seq=seq, user=user)
        made = Encoded(text=frame_json(patch), to=patch.to, empty=not patch.ops)
        self._held[key] = made
        self._bytes += len(made.text)
        while len(self._held) > _PATCHES_MAX or (self._bytes > self._bytes_max and len(self._held) > 1):
            self._bytes -= len(self._held.popitem(last=False)[1].text)
        return made

    def clear(self) -> None:
        """Let go of everything, because something in it was forgotten."""
        self._held.clear()
        self._bytes = 0


# The last changes of a tenant, shared by all its viewers, bounded by number, bytes and age.


@dataclass(frozen=True, slots=True)
class _Held:
    change: NumberedChange
    size_bytes: int
    came_s: float


class Ring:
    """Changes `start + 1` … `end`, without gaps.

    Args:
        start: number after which the ring begins to hold changes.
    """

    def __init__(self, start: int, limits: LiveLimits) -> None:
        self.start = start
        self._limits = limits
        self._held: deque[_Held] = deque()
        self._bytes = 0

    @property
    def end(self) -> int:
        """Number of the newest change known."""
        return self.start + len(self._held)

    def add(self, changes: Sequence[NumberedChange], *, now_s: float) -> None:
        """Take changes that follow `end`; the oldest leave as far as a bound demands.

        Args:
            now_s: of a clock that never goes back.
        """
        for change in changes:
            if change.seq != self.end + 1:
                raise AssertionError(f"change {change.seq} does not follow {self.end}")
            size = len(orjson.dumps(change.change.body)) + len(change.change.element_id) + 16
            self._held.append(_Held(change, size, now_s))
            self._bytes += size
        self._trim(now_s)

    def since(self, seq: int, *, bytes_max: int) -> list[NumberedChange] | None:
        """Changes after `seq` in order, as many as `bytes_max` allows but at least one; None when not all are held."""
        if not self.start <= seq <= self.end:
            return None
        taken: list[NumberedChange] = []
        size = 0
        for held in islice(self._held, seq - self.start, None):
            size += held.size_bytes
            if taken and size > bytes_max:
                break
            taken.append(held.change)
        return taken

    def _trim(self, now_s: float) -> None:
        while self._held and (
            len(self._held) > self._limits.ring_changes
            or self._bytes > self._limits.ring_bytes
            or now_s - self._held[0].came_s > self._limits.ring_s
        ):
            self._bytes -= self._held.popleft().size_bytes
            self.start += 1


# Up to 16 maps of 5,000 elements each, one after the other.
_CATCHING_UP: Final = BoundedThreads(threads_max=1, cpu_max_s=5.0)


class Feed:
    """Follows the change log of one tenant while it has viewers.

    Args:
        resume: where the first viewer stopped; the ring begins there when that is near enough, so that coming back
            after everybody had left, or after a restart of the service, needs no snapshot.

    Attributes:
        up: whether the last look at the log succeeded.
        as_of: when the database last answered, ISO 8601 UTC; empty before it ever did.
        epoch: of the log; None before the first successful look.
        frames: patches as they travel, shared by viewers at the same place; snapshots: likewise.
        looked: set after the first look, whether it succeeded or not.
    """

    def __init__(
        self,
        tenant: str,
        change_log: ChangeLog,
        mindmap: MindMap,
        *,
        limits: LiveLimits,
        kept: MapSnapshotCache,
        resume: Resume | None,
    ) -> None:
        self.tenant = tenant
        self.up = False
        self.as_of = ""
        self.epoch: str | None = None
        self.ring = Ring(0, limits)
        self.frames = SharedFrames(limits.ring_bytes)
        self.snapshots = SharedSnapshots(part_bytes=limits.frame_out_bytes, bytes_max=limits.ring_bytes)
        self.looked = asyncio.Event()
        self.listeners: set[asyncio.Event] = set()
        self._changes = change_log
        self._mindmap = mindmap
        self._limits = limits
        self._kept = kept
        self._resume = resume
        self._news = asyncio.Event()
        self._lock = asyncio.Lock()
        self._one_snapshot = asyncio.Lock()

    def notify(self) -> None:
        """Something was committed: look at once."""
        self._news.set()

    async def watch(self) -> None:
        """Look at the log at each notification and every `poll_s`, database up or down, until cancelled.

        Run it supervised: an error that nobody foresaw ends it, after viewers were told that nothing comes.
        """
        while True:
            self._news.clear()
            await self._look()
            # Not wait_for: in Python 3.11 it swallows a cancellation that comes together with the event.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.poll_s):
                    await self._news.wait()

    def reaches(self, epoch: str, seq: int) -> bool:
        """Return whether patches alone can bring a viewer from there to now."""
        return epoch == self.epoch and self.ring.start <= seq <= self.ring.end

    async def snapshot(self, user: str | None, budget: int) -> Snapshot:
        """Return a snapshot from which patches lead on; viewers who ask for the same at the same time share it.

        Raises:
            UnavailableError: the database does not answer.
        """
        async with self._one_snapshot:
            return await self._snapshot(user, budget)

    async def _snapshot(self, user: str | None, budget: int) -> Snapshot:
        kept = self._kept.exactly(self.tenant, user, budget)
        if kept is not None and self.up and (kept.epoch, kept.seq) == (self.epoch, self.ring.end):
            return kept
        forgettings = self._kept.forgettings
        snapshot = await self._mindmap.snapshot(self.tenant, user_id=user, budget=budget)
        self.as_of = snapshot.as_of
        self._kept.keep(self.tenant, user, budget, snapshot, forgettings=forgettings)
        if not self.reaches(snapshot.epoch, snapshot.seq):
            async with self._lock:
                await self._catch_up()
        return snapshot

    def kept_snapshot(self, user: str | None, budget: int) -> Snapshot | None:
        """Return the last one that shows this scope, however old."""
        return self._kept.nearest(self.tenant, user, budget)

    async def keep_up(self) -> None:
        """Bring what is kept up to now, as far as the changes since then are held; nobody watches any more."""
        forgettings = self._kept.forgettings
        for user, budget, kept in self._kept.of_tenant(self.tenant):
            if not self.reaches(kept.epoch, kept.seq):
                continue
            changes = self.ring.since(kept.seq, bytes_max=self._limits.ring_bytes) or []
            if not changes:
                continue
            try:
                now = await _CATCHING_UP.run(partial(caught_up, kept, changes, user=user))
            except TooSlowError:
                # What is kept stays as old as it says.
                continue
            # Whoever came meanwhile may have kept a newer one.
            if self._kept.exactly(self.tenant, user, budget) is kept:
                self._kept.keep(self.tenant, user, budget, now, forgettings=forgettings)

    async def _look(self) -> None:
        try:
            async with self._lock, asyncio.timeout(self._limits.answer_s):
                await self._catch_up()
            up = True
        except (UnavailableError, TimeoutError):
            up = False
        except Exception:
            # Viewers are told that nothing comes at present; the supervisor starts the watcher again.
            self._tell(up=False)
            raise
        self._tell(up=up)

    def _tell(self, *, up: bool) -> None:
        if up:
            self.as_of = moment_text(datetime.now(UTC)) or ""
        if up != self.up or not self.looked.is_set():
            self.up = up
            self.looked.set()
            self._wake()

    async def _catch_up(self) -> None:
        head = await self._changes.head(self.tenant)
        if head.epoch != self.epoch:
            self._begin(head)
        if not 0 <= head.seq - self.ring.end <= self._limits.ring_changes:
            self._restart(head)
        while self.ring.end < head.seq:
            changes = await self._changes.since(self.tenant, self.ring.end)
            if not changes or changes[0].seq != self.ring.end + 1:
                self._restart(head)
                return
            if any(numbered.change.reason == FORGOTTEN for numbered in changes):
                # What is held from before may tell it; the log itself no longer does.
                self._kept.drop(self.tenant)
                self.frames.clear()
                self.snapshots.clear()
                self.ring = Ring(self.ring.end, self._limits)
            self.ring.add(changes, now_s=asyncio.get_running_loop().time())
            self._wake()

    def _begin(self, head: Head) -> None:
        resume, self._resume = self._resume, None
        self._restart(head)
        if resume is not None and resume.epoch == head.epoch and resume.seq <= head.seq:
            self.ring = Ring(resume.seq, self._limits)

    def _restart(self, head: Head) -> None:
        """Everything before is out of reach: viewers get snapshots."""
        self.epoch = head.epoch
        self.ring = Ring(head.seq, self._limits)
        self._wake()

    def _wake(self) -> None:
        for listener in self.listeners:
            listener.set()
