"""Brings viewers and tenants together: one feed for each tenant that is being watched, a bounded number of viewers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.live.change_feed import Feed
from graph_service.live.limits import LIVE_LIMITS, LiveLimits
from graph_service.live.presence import ViewerGroup
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor
from schema.errors import UnavailableError
from schema.frames import HelloAck, Resume, SocketLimits, UserView
from schema.labels import MIND_MAP_KINDS
from schema.predicates import whitelist


@dataclass(slots=True)
class _Watched:
    feed: Feed
    task: asyncio.Task[None]
    company: ViewerGroup = field(default_factory=ViewerGroup)
    viewers: int = field(default=0)


class Hub:
    """All viewers of this process.

    Args:
        version: of the service, as viewers are told.
        kept: what is shown while the database is away; shared with whoever else shows maps.
        supervisor: keeps the feeds running.
    """

    def __init__(
        self,
        change_log: ChangeLog,
        mindmap: MindMap,
        *,
        version: str,
        limits: LiveLimits = LIVE_LIMITS,
        kept: MapSnapshotCache | None = None,
        supervisor: Supervisor | None = None,
    ) -> None:
        self.limits = limits
        self._changes = change_log
        self._mindmap = mindmap
        self._version = version
        self._supervisor = supervisor or Supervisor()
        self._watched: dict[str, _Watched] = {}
        self.kept = MapSnapshotCache() if kept is None else kept
        self.slots = ConnectionSlots(
            "viewers",
            most=limits.viewers,
            of_tenant=limits.viewers_of_tenant,
            of_credential=limits.viewers_of_credential,
        )

    @property
    def viewers(self) -> int:
        """Return how many watch."""
        return len(self.slots)

    def notify(self, tenant: str) -> None:
        """Something was committed in this tenant; to be called in the event loop, after the commit."""
        watched = self._watched.get(tenant)
        if watched is not None:
            watched.feed.notify()

    def forget(self, tenant: str) -> None:
        """Something was forgotten in this tenant: lets go of what was kept to be shown without the database."""
        self.kept.drop(tenant)
        self.notify(tenant)

    @contextlib.asynccontextmanager
    async def watching(self, tenant: str, resume: Resume | None) -> AsyncIterator[Feed]:
        """The tenant's feed, which has looked at the log once; it runs as long as somebody watches."""
        watched = self._watched.get(tenant)
        if watched is None:
            feed = Feed(tenant, self._changes, self._mindmap, limits=self.limits, kept=self.kept, resume=resume)
            watched = _Watched(feed, self._supervisor.start(Loop.LIVE_FEED, feed.watch))
            self._watched[tenant] = watched
        else:
            watched.feed.notify()
        watched.viewers += 1
        try:
            await watched.feed.looked.wait()
            yield watched.feed
        finally:
            watched.viewers -= 1
            if watched.viewers == 0 and self._watched.get(tenant) is watched:
                del self._watched[tenant]
                await _end(watched.task)
                await watched.feed.keep_up()

    def company(self, feed: Feed) -> ViewerGroup:
        """Return those who watch the tenant of this feed, which is being watched."""
        return self._watched[feed.tenant].company

    async def hello_ack(self, feed: Feed) -> HelloAck:
        """Return what a viewer is told first; while the database is away it lists no users."""
        users: list[UserView] = []
        if feed.up:
            with contextlib.suppress(UnavailableError):
                users = await self._mindmap.users(feed.tenant)
        return HelloAck(
            epoch=feed.epoch or "",
            head=feed.ring.end,
            version=self._version,
            db="up" if feed.up else "down",
            limits=SocketLimits(
                msg_bytes=self.limits.frame_out_bytes,
                window=self.limits.window,
                ping_s=max(1, round(self.limits.heartbeat_s)),
            ),
            kinds=[kind.value for kind in MIND_MAP_KINDS],
            predicates=list(whitelist()),
            users=users,
        )

    async def close(self) -> None:
        """End all watching; sockets that are still open get nothing more."""
        watched, self._watched = list(self._watched.values()), {}
        for each in watched:
            await _end(each.task)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
