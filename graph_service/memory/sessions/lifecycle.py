"""List and close sessions; close idle ones, and those of this process at shutdown."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from cachetools import LRUCache

from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from schema.errors import NotFoundError
from schema.ids import SessionId, TenantId, UserId, memory_id, session_uri
from schema.session import CloseReason, SessionState, SessionView
from schema.timespan import millis

# Maximum number of idle sessions closed by one check; the next check closes more.
_IDLE_MAX: Final = 500
USERS_MAX: Final = 1_000


async def users_of_tenant(graph: Graph, tenant: str, *, users_max: int = USERS_MAX) -> list[Row]:
    """Return the ids and names of a tenant's users, by name."""
    return await graph.read(statement("lookup/users_of_tenant"), {"tenant": tenant, "rows_max": users_max})


async def users_in_view(graph: Graph, tenant: str, user_id: str | None) -> list[str]:
    """Return the ids of the users that a view contains: the given one, or those of the tenant, at most `USERS_MAX`."""
    return [user_id] if user_id is not None else [row["user_id"] for row in await users_of_tenant(graph, tenant)]


async def request_close(
    graph: Graph,
    tenant: TenantId,
    sessions: Sequence[str],
    *,
    reason: CloseReason,
    now: datetime,
    last_before_ms: int | None = None,
) -> list[str]:
    """Enqueue the closing of sessions (node ids); return those that are neither unknown nor closed already.

    Args:
        last_before_ms: only sessions whose last message was before this time, in milliseconds since 1970.
    """
    parameters = {
        "tenant": tenant,
        "sessions": sorted(sessions),
        "last_before_ms": last_before_ms,
        "reason": reason.value,
        "now": now,
        "now_ms": millis(now),
    }
    return [row["session"] for row in await graph.run(statement("sessions/enqueue_close"), parameters)]


async def close_idle(graph: Graph, *, idle_s: float, now: datetime) -> int:
    """Enqueue the closing of all sessions of all tenants without a message for `idle_s`; return their number."""
    last_before_ms = millis(now - timedelta(seconds=idle_s))
    rows = await graph.read(
        statement("sessions/idle_sessions"), {"last_before_ms": last_before_ms, "rows_max": _IDLE_MAX}
    )
    closing_n = 0
    for tenant in sorted({row["tenant"] for row in rows}):
        sessions = [row["session"] for row in rows if row["tenant"] == tenant]
        closing = await request_close(
            graph, tenant, sessions, reason=CloseReason.IDLE, now=now, last_before_ms=last_before_ms
        )
        closing_n += len(closing)
    return closing_n


def session_cursor(view: SessionView) -> str:
    """Return the cursor of a session in the list of its user."""
    return encode_cursor(ListName.SESSIONS, millis(view.last_at), memory_id(view.uri))


def session_node_id(tenant: TenantId, user_id: UserId, session_id: SessionId) -> str:
    """Return the node id of a session."""
    return memory_id(session_uri(tenant, user_id, session_id))


def _view(row: dict[str, Any]) -> SessionView:
    lifecycle = row["lifecycle"]
    return from_row(
        SessionView,
        lifecycle | row,
        state=SessionState(lifecycle["state"]),
        closing_at=lifecycle.get("closing_at"),
        closed_at=lifecycle.get("closed_at"),
        close_reason=CloseReason(lifecycle["close_reason"]) if lifecycle.get("close_reason") else None,
    )


# Maximum number of sessions to close at shutdown; the idle timeout closes older ones.
_ACTIVE_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """The result of indexing a session.

    Attributes:
        messages: number of its messages.
        indexed: messages that had no scene or vector, and have both now.
        skipped: messages that had both.
        failed: messages that lack one still; try again later.
        deferred_scenes: scenes that were read now because `automation.auto_extract` is off.
    """

    messages: int
    indexed: int
    skipped: int
    failed: int
    deferred_scenes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """List, index and close sessions.

    Args:
        index_now: extracts from a session (node id) and computes its vectors at once.
        notify: called with the tenant after each commit that created jobs.
    """

    graph: Graph
    clock: Callable[[], datetime]
    notify: Callable[[str], None]
    index_now: Callable[[TenantId, str], Awaitable[int]]
    embeds: bool
    _active: LRUCache[tuple[TenantId, str], None] = field(default_factory=lambda: LRUCache(_ACTIVE_MAX), init=False)

    async def latest(self, tenant: TenantId, user_id: str, *, limit: int = 50) -> list[SessionView]:
        """Return sessions of a user, latest first."""
        check_ids(userId=user_id)
        check_limit(limit)
        return await self._listed(tenant, user_id, rows_max=limit)

    async def page(self, tenant: TenantId, user_id: str, *, first: int, after: str | None) -> list[SessionView]:
        """Return up to `first` + 1 sessions of a user after a cursor, latest first."""
        check_ids(userId=user_id)
        check_limit(first, name="first")
        return await self._listed(tenant, user_id, rows_max=first + 1, after=after)

    async def one(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """Return one session with its state.

        Raises:
            NotFoundError: this user has no such session.
        """
        check_ids(userId=user_id, sessionId=session_id)
        for view in await self._listed(tenant, user_id, session_id, rows_max=1):
            return view
        raise NotFoundError(f"user {user_id!r} has no session {session_id!r}; `sessions` lists them")

    async def _listed(
        self, tenant: TenantId, user_id: str, session_id: str | None = None, *, rows_max: int, after: str | None = None
    ) -> list[SessionView]:
        last_ms, after_id = decode_cursor(ListName.SESSIONS, after)
        parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session_id": session_id}
        parameters |= {"last_ms": last_ms, "after": after_id, "rows_max": rows_max}
        return [_view(row) for row in await self.graph.read(statement("sessions/list_sessions"), parameters)]

    async def close(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """Enqueue the closing of a session, for which the worker extracts from its unread messages. Idempotent.

        Raises:
            NotFoundError: this user has no such session.
        """
        check_ids(userId=user_id, sessionId=session_id)
        node_id = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        await request_close(self.graph, tenant, [node_id], reason=CloseReason.REQUEST, now=self.clock())
        self.notify(tenant)
        return await self.one(tenant, user_id, session_id)

    async def index(self, tenant: TenantId, user_id: str, session_id: str) -> IndexReport:
        """Extract from a session now, update its layers, and compute its missing vectors. Idempotent.

        Raises:
            NotFoundError: this user has no such session.
            UnavailableError: Neo4j, the model or the embedder does not answer.
        """
        before = await self.one(tenant, user_id, session_id)
        deferred_n = await self.index_now(tenant, session_node_id(tenant, UserId(user_id), SessionId(session_id)))
        after = await self.one(tenant, user_id, session_id)
        pending, left = self._pending(before), self._pending(after)
        return IndexReport(
            messages=after.messages,
            indexed=max(pending - left, 0),
            skipped=max(after.messages - max(pending, left), 0),
            failed=left,
            deferred_scenes=deferred_n,
        )

    def _pending(self, view: SessionView) -> int:
        return max(view.unread, view.unembedded) if self.embeds else view.unread

    def note_messages(self, tenant: TenantId, session: str) -> None:
        """Record that this process received messages of a session (URI)."""
        self._active[tenant, memory_id(session)] = None

    async def close_active(self, reason: CloseReason = CloseReason.SHUTDOWN) -> None:
        """Enqueue the closing of the sessions whose messages this process received, for example at shutdown.

        Raises:
            UnavailableError: Neo4j does not answer; the idle timeout will close them.
        """
        for tenant in sorted({tenant for tenant, _ in self._active}):
            nodes = [node for owner, node in self._active if owner == tenant]
            await request_close(self.graph, tenant, nodes, reason=reason, now=self.clock())
