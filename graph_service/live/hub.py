"""All viewers of this process: one change feed per watched tenant, presence, and streams of changes."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Set
from dataclasses import dataclass, field, replace
from itertools import islice

from graph_service.auth.access import ANONYMOUS, Access, Role
from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.live.change_feed import LIVE_LIMITS, Feed, LiveLimits
from graph_service.memory.change_log.log import ChangeLog, moment_text
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import frame_json
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.memory.recall.question_log import AskedQuestion
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor, cancel, wait_for_any
from schema.change import ChangeBatch
from schema.errors import UnavailableError
from schema.frames import (
    HelloAck,
    PlaceNodes,
    Presence,
    QuestionAsked,
    QuestionHit,
    QuestionsRemoved,
    Resume,
    Said,
    SelectionSync,
    SelectionUpdate,
    SocketLimits,
    UserView,
)
from schema.labels import MIND_MAP_KINDS
from schema.predicates import whitelist

COLOURS = 6
# Questions and messages that wait for a slow viewer; older ones are dropped, and can be fetched.
_SHOWN_MAX = 100


@dataclass(slots=True, eq=False)
class Member:
    """One viewer of the group.

    Attributes:
        name: assigned by the service, so that nobody can impersonate another viewer.
        wake: set when there is something to send.
        sees: whether it may see what this caller asked.
    """

    name: str
    colour: int
    sees: Callable[[str], bool] = lambda _who: True
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _shown: deque[bytes] = field(default_factory=lambda: deque(maxlen=_SHOWN_MAX))
    _clock: int = -1
    _pending: dict[str, bytes] = field(default_factory=dict)
    _others: int = 0
    _sent_others: int = 0

    def take(self, *, frames_max: int) -> list[bytes]:
        """Return the frames to send now: the number of other viewers if it changed, then their latest frames.

        Args:
            frames_max: limit for the whole group, divided equally among its members.
        """
        texts = [] if self._others == self._sent_others else [frame_json(Presence(others=self._others))]
        self._sent_others = self._others
        share = max(frames_max // (self._others + 1), 1)
        for by in list(islice(self._pending, share)):
            texts.append(self._pending.pop(by))
        while self._shown and len(texts) < share + 1:
            texts.append(self._shown.popleft())
        if not self._pending and not self._shown:
            self.wake.clear()
        return texts


class ViewerGroup:
    """The viewers of one tenant."""

    def __init__(self) -> None:
        self._numbers = 0
        self._members: dict[str, Member] = {}
        self._last: dict[str, bytes] = {}

    def join(self, sees: Callable[[str], bool] = lambda _who: True) -> Member:
        """Add a viewer, and queue the others' latest frames for it."""
        self._numbers += 1
        member = Member(name=f"v{self._numbers}", colour=self._numbers % COLOURS, sees=sees)
        member._pending.update(self._last)
        self._members[member.name] = member
        self._count()
        return member

    def leave(self, member: Member) -> None:
        """Remove a viewer, and tell the others that its selection has ended."""
        del self._members[member.name]
        if self._last.pop(member.name, None) is not None:
            self._broadcast(SelectionSync(viewer=member.name, clock=member._clock + 1, ids=None, colour=member.colour))
        self._count()

    def point(self, member: Member, pointing: SelectionUpdate) -> None:
        """Broadcast a viewer's selection, unless it is older than the last one."""
        if pointing.clock <= member._clock:
            return
        member._clock = pointing.clock
        frame = SelectionSync(
            viewer=member.name, clock=pointing.clock, ids=pointing.ids, focus=pointing.focus, colour=member.colour
        )
        self._last[member.name] = self._broadcast(frame)

    def show(self, frame: QuestionAsked | QuestionsRemoved | Said, *, asked_by: str | None = None) -> None:
        """Send a frame to the viewers that may see it.

        Args:
            asked_by: the caller who asked the question; None for frames that everybody may see.
        """
        readers = [one for one in self._members.values() if asked_by is None or one.sees(asked_by)]
        if not readers:
            return
        text = frame_json(frame)
        for one in readers:
            one._shown.append(text)
            one.wake.set()

    def _broadcast(self, frame: SelectionSync) -> bytes:
        text = frame_json(frame)
        for other in self._members.values():
            if other.name != frame.viewer:
                other._pending[frame.viewer] = text
                other.wake.set()
        return text

    def _count(self) -> None:
        for member in self._members.values():
            member._others = len(self._members) - 1
            member.wake.set()


@dataclass(slots=True)
class _Watched:
    feed: Feed
    task: asyncio.Task[None]
    viewer_group: ViewerGroup = field(default_factory=ViewerGroup)
    viewers: int = field(default=0)


class Hub:
    """The change feeds and connection slots of all viewers of this process.

    Args:
        snapshot_cache: snapshots to show while the database is unavailable, shared with the REST API.
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
        return len(self.slots)

    def notify(self, tenant: str) -> None:
        """Notify the feed of a tenant after a commit; call it in the event loop."""
        if (watched := self._watched.get(tenant)) is not None:
            watched.feed.notify()

    def show_question(self, question: AskedQuestion) -> None:
        """Show a question to the viewers of its tenant that may see it."""
        if (watched := self._watched.get(question.tenant)) is not None:
            hits = [QuestionHit.model_validate(hit, from_attributes=True) for hit in question.hits]
            names = ("id", "user_id", "text", "found_n", "confidence", "nothing_relevant")
            own = {name: getattr(question, name) for name in names}
            door, at = question.asker.door.value, moment_text(question.asked_at)
            frame = QuestionAsked(kind=question.kind.value, door=door, at=at, hits=hits, **own)
            watched.viewer_group.show(frame, asked_by=question.asker.who)

    def remove_questions(self, tenant: str, ids: Set[str]) -> None:
        """Remove questions from the viewers of a tenant."""
        if (watched := self._watched.get(tenant)) is not None:
            watched.viewer_group.show(QuestionsRemoved(ids=sorted(ids)))

    def show_said(self, tenant: str, user_id: str, session_id: str) -> None:
        """Tell the viewers of a tenant that messages were stored."""
        if (watched := self._watched.get(tenant)) is not None:
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

    async def follow(
        self, tenant: str, user_id: str | None, *, epoch: str | None, since: int | None, access: Access = ANONYMOUS
    ) -> AsyncIterator[ChangeBatch]:
        """Yield the current position of a subscriber, who counts as a viewer, then changes as they are committed.

        Nothing is queued per subscriber: the next batch comes from the shared ring, or from the log.

        Args:
            access: access of the subscriber, whose quota is charged.
            since: sequence number of the last known change; None means from now on.

        Raises:
            RateLimitError: too many viewers, or the slot was revoked.
            UnavailableError: the log does not answer.
        """
        with self.slots.take(tenant, access) as slot:
            resume = Resume(epoch=epoch, seq=since) if epoch is not None and since is not None else None
            async with self.watching(tenant, resume) as feed:
                wake = asyncio.Event()
                feed.listeners.add(wake)
                try:
                    position = _position(feed, epoch, since)
                    yield position
                    while True:
                        wake.clear()
                        if slot.revoked.is_set():
                            await slot.raise_when_revoked()
                        batch = await self._next(feed, position)
                        if batch is None:
                            await wait_for_any(wake, slot.revoked, timeout_s=None)
                            continue
                        position = batch
                        wanted = tuple(one for one in batch.changes if user_id in (None, one.user_id))
                        if wanted or batch.reset:
                            yield replace(batch, changes=wanted)
                finally:
                    feed.listeners.discard(wake)

    async def _next(self, feed: Feed, last: ChangeBatch) -> ChangeBatch | None:
        """Return the batch after `last`; None if there is nothing new."""
        if (feed.epoch or "") != last.epoch:
            return _position(feed, last.epoch, last.seq)
        changes = feed.ring.since(last.seq, bytes_max=self.limits.frame_out_bytes)
        if changes is None:
            # Too old for the ring; try the log.
            logged = await self._changes.since(feed.tenant, last.seq)
            changes = logged if logged and logged[0].seq == last.seq + 1 else None
        if changes is None:
            return replace(last, seq=feed.ring.end, reset=True, changes=())
        return replace(last, seq=changes[-1].seq, reset=False, changes=tuple(changes)) if changes else None


def _position(feed: Feed, epoch: str | None, since: int | None) -> ChangeBatch:
    """Return an empty batch at the position from which a reader starts; set `reset` if it cannot resume at `since`."""
    known, end = feed.epoch or "", feed.ring.end
    reset = (epoch is not None and epoch != known) or (since is not None and not 0 <= since <= end)
    return ChangeBatch(epoch=known, seq=end if reset or since is None else since, reset=reset)
