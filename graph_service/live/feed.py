"""One tenant's changes for all its viewers: a single watcher reads the log into the ring and wakes who waits."""

import asyncio
import contextlib
from datetime import UTC, datetime
from functools import partial
from typing import Final

from extraction.bounded_thread import BoundedThreads
from graph_service.live.catch_up import caught_up
from graph_service.live.limits import LiveLimits
from graph_service.live.ring import Ring
from graph_service.live.shared_frames import SharedFrames
from graph_service.live.shared_snapshots import SharedSnapshots
from graph_service.memory.changes import ChangeLog, Head
from graph_service.memory.kept_maps import KeptMaps
from graph_service.memory.mindmap import MindMap
from graph_service.memory.snapshot import Snapshot
from graph_service.memory.views import moment_text
from schema.change import FORGOTTEN
from schema.errors import TooSlowError, UnavailableError
from schema.frames import Resume

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
        kept: KeptMaps,
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
        """Whether patches alone can bring a viewer from there to now."""
        return epoch == self.epoch and self.ring.start <= seq <= self.ring.end

    async def snapshot(self, user: str | None, budget: int) -> Snapshot:
        """A snapshot from which patches lead on; viewers who ask for the same at the same time share it.

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
        """The last one that shows this scope, however old."""
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
