"""Manage all viewers of this process: one change feed per watched tenant, with a bounded number of viewers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass, field

from graph_service.auth.access import Role
from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.live.change_feed import Feed
from graph_service.live.limits import LIVE_LIMITS, LiveLimits
from graph_service.live.presence import ViewerGroup
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.change_log.payloads import moment_text
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.memory.recall.question_log import AskedQuestion
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor, cancel
from schema.errors import UnavailableError
from schema.frames import (
    HelloAck,
    PlaceNodes,
    QuestionAsked,
    QuestionHit,
    QuestionsRemoved,
    Resume,
    Said,
    SocketLimits,
    UserView,
)
from schema.labels import MIND_MAP_KINDS
from schema.predicates import whitelist


@dataclass(slots=True)
class _Watched:
    feed: Feed
    task: asyncio.Task[None]
    viewer_group: ViewerGroup = field(default_factory=ViewerGroup)
    viewers: int = field(default=0)


class Hub:
    """The change feeds and connection slots of all viewers of this process.

    Args:
        version: version of the service.
        snapshot_cache: snapshots to show while the database is unavailable, shared with the REST API.
        supervisor: runs the feeds.
        questions_seen_by: the role from which a viewer sees the questions of others.
        auto_extract: whether the service extracts facts from messages without a request, as `hello_ack` says.
    """

    def __init__(
        self,
        change_log: ChangeLog,
        mindmap: MindMap,
        *,
        version: str,
        limits: LiveLimits = LIVE_LIMITS,
        snapshot_cache: MapSnapshotCache | None = None,
        supervisor: Supervisor | None = None,
        questions_seen_by: Role = Role.ADMIN,
        auto_extract: bool = True,
    ) -> None:
        self.limits = limits
        self.questions_seen_by = questions_seen_by
        self._changes = change_log
        self._mindmap = mindmap
        self._version = version
        self._auto_extract = auto_extract
        self._supervisor = supervisor or Supervisor()
        self._watched: dict[str, _Watched] = {}
        self.snapshot_cache = MapSnapshotCache() if snapshot_cache is None else snapshot_cache
        self.slots = ConnectionSlots(
            "viewers",
            most=limits.viewers,
            of_tenant=limits.viewers_of_tenant,
            of_credential=limits.viewers_of_credential,
        )

    @property
    def viewers(self) -> int:
        """The number of connected viewers."""
        return len(self.slots)

    def notify(self, tenant: str) -> None:
        """Notify the feed of a tenant after a commit; call it in the event loop."""
        watched = self._watched.get(tenant)
        if watched is not None:
            watched.feed.notify()

    def show_question(self, question: AskedQuestion) -> None:
        """Show a question to the viewers of its tenant that may see it."""
        watched = self._watched.get(question.tenant)
        if watched is not None:
            watched.viewer_group.show(question_frame(question), asked_by=question.asker.who)

    def remove_questions(self, tenant: str, ids: Set[str]) -> None:
        """Remove questions from the viewers of a tenant."""
        watched = self._watched.get(tenant)
        if watched is not None:
            watched.viewer_group.show(QuestionsRemoved(ids=sorted(ids)))

    def show_said(self, tenant: str, user_id: str, session_id: str) -> None:
        """Tell the viewers of a tenant that messages were stored."""
        watched = self._watched.get(tenant)
        if watched is not None:
            watched.viewer_group.show(Said(user_id=user_id, session_id=session_id))

    async def place(self, tenant: str, frame: PlaceNodes) -> None:
        """Store positions that a viewer gave to nodes; the feeds send them to all viewers of the tenant."""
        places = dict(frame.places)
        if await self._mindmap.put_places(tenant, frame.user, places, view=frame.view, keep=frame.keep):
            self.notify(tenant)

    def forget(self, tenant: str | None) -> None:
        """Drop the cached snapshots of a tenant, or of all, after a deletion."""
        self.snapshot_cache.drop(tenant)
        for watched in self._watched if tenant is None else (tenant,):
            self.notify(watched)

    @contextlib.asynccontextmanager
    async def watching(self, tenant: str, resume: Resume | None) -> AsyncIterator[Feed]:
        """Yield the tenant's feed after its first read of the log; the feed runs while it has viewers."""
        watched = self._watched.get(tenant)
        if watched is None:
            feed = Feed(
                tenant,
                self._changes,
                self._mindmap,
                limits=self.limits,
                snapshot_cache=self.snapshot_cache,
                resume=resume,
            )
            watched = _Watched(feed, self._supervisor.start(Loop.LIVE_FEED, feed.watch))
            self._watched[tenant] = watched
        else:
            watched.feed.notify()
        watched.viewers += 1
        try:
            await watched.feed.first_read.wait()
            yield watched.feed
        finally:
            watched.viewers -= 1
            if watched.viewers == 0 and self._watched.get(tenant) is watched:
                del self._watched[tenant]
                await cancel(watched.task)

    def viewer_group(self, feed: Feed) -> ViewerGroup:
        """Return the viewers of this feed's tenant."""
        return self._watched[feed.tenant].viewer_group

    async def hello_ack(self, feed: Feed) -> HelloAck:
        """Return the reply to `hello`; without the database its list of users is empty."""
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
            auto_extract=self._auto_extract,
        )

    async def close(self) -> None:
        """Stop all feeds; open sockets get no more frames."""
        watched, self._watched = list(self._watched.values()), {}
        await cancel(*(each.task for each in watched))


def question_frame(question: AskedQuestion) -> QuestionAsked:
    """Return a question as a frame. Pure."""
    hits = [
        QuestionHit(kind=hit.kind.value, id=hit.id, score=hit.score, scene=hit.scene, used=hit.used)
        for hit in question.hits
    ]
    return QuestionAsked(
        id=question.id,
        user_id=question.user_id,
        kind=question.kind.value,
        door=question.asker.door.value,
        text=question.text,
        at=moment_text(question.asked_at),
        hits=hits,
        found_n=question.found_n,
        confidence=question.confidence,
        nothing_relevant=question.nothing_relevant,
    )
