"""`Sessions`: what can be done with sessions, for every door; and which of them this process must close at its end."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from schema.errors import NotFoundError
from schema.ids import SessionId, TenantId, UserId, memory_id, session_uri
from schema.session import CloseReason, SessionState, SessionView
from schema.timespan import millis

# Asking for the end of sessions, and showing where they stand.

# Idle sessions that one look closes; the next look takes the rest.
_IDLE_MAX = 500


async def ask_to_close(
    graph: Graph, tenant: TenantId, sessions: Sequence[str], *, why: CloseReason, now: datetime
) -> list[str]:
    """Ask for the end of sessions (node ids); closed and unknown ones are left alone. Returns those that will end."""
    return await _want_close(graph, tenant, sessions, why=why, now=now, last_before_ms=None)


async def close_idle(graph: Graph, *, idle_s: float, now: datetime) -> int:
    """Ask for the end of every session, of all tenants, that got no message for `idle_s`; return how many."""
    last_before_ms = millis(now - timedelta(seconds=idle_s))
    rows = await graph.read(
        statement("sessions/idle_sessions"), {"last_before_ms": last_before_ms, "rows_max": _IDLE_MAX}
    )
    closing = 0
    for tenant in sorted({row["tenant"] for row in rows}):
        sessions = [row["session"] for row in rows if row["tenant"] == tenant]
        ended = await _want_close(graph, tenant, sessions, why=CloseReason.IDLE, now=now, last_before_ms=last_before_ms)
        closing += len(ended)
    return closing


async def sessions_of(
    graph: Graph, tenant: TenantId, user_id: UserId, *, rows_max: int, after: str | None = None
) -> list[SessionView]:
    """Return sessions of a user, the latest first.

    Args:
        after: the cursor of one; only those behind it.
    """
    last_ms, behind = decode_cursor(ListName.SESSIONS, after)
    parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session_id": None, "rows_max": rows_max}
    parameters |= {"last_ms": last_ms, "after": behind}
    return [_view(row) for row in await graph.read(statement("sessions/list_sessions"), parameters)]


async def session_of(graph: Graph, tenant: TenantId, user_id: UserId, session_id: SessionId) -> SessionView:
    """Return one session.

    Raises:
        NotFoundError: this user has none of that name.
    """
    parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session_id": session_id, "rows_max": 1}
    parameters |= {"last_ms": None, "after": None}
    rows = await graph.read(statement("sessions/list_sessions"), parameters)
    if not rows:
        raise NotFoundError(f"user {user_id!r} has no session {session_id!r}; `sessions` lists those there are")
    return _view(rows[0])


def session_cursor(view: SessionView) -> str:
    """Return where a session stands among those of its user."""
    return encode_cursor(ListName.SESSIONS, millis(view.last_at), memory_id(view.uri))


def session_node_id(tenant: TenantId, user_id: UserId, session_id: SessionId) -> str:
    """Return the node id of a session."""
    return memory_id(session_uri(tenant, user_id, session_id))


async def _want_close(
    graph: Graph,
    tenant: TenantId,
    sessions: Sequence[str],
    *,
    why: CloseReason,
    now: datetime,
    last_before_ms: int | None,
) -> list[str]:
    parameters = {
        "tenant": tenant,
        "sessions": sorted(sessions),
        "last_before_ms": last_before_ms,
        "why": why.value,
        "now": now,
        "now_ms": millis(now),
    }

    async def steps(writing: Writing) -> list[str]:
        return [row["session"] for row in await writing.run(statement("sessions/enqueue_close"), parameters)]

    return await graph.write(steps)


def _view(row: dict[str, Any]) -> SessionView:
    life = row["life"]
    return SessionView(
        uri=life["uri"],
        user_id=life["user_id"],
        session_id=life["session_id"],
        state=SessionState(life["state"]),
        opened_at=life["opened_at"],
        last_at=life["last_at"],
        closing_at=life.get("closing_at"),
        closed_at=life.get("closed_at"),
        why=CloseReason(life["why"]) if life.get("why") else None,
        messages=row["messages"],
        scenes=row["scenes"],
        unread=row["unread"],
        unembedded=row["unembedded"],
        unextracted=row["unextracted"],
        problem=row["problem"],
    )


# Sessions remembered for the end of the process; of more, the oldest are left to the idle timeout.
_TAKEN_MAX = 10_000


class Sessions:
    """Sessions of all tenants.

    Args:
        clock: aware UTC now.
        notify: called with the tenant after each commit that caused work.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify
        self._taken: OrderedDict[tuple[TenantId, str], None] = OrderedDict()

    async def latest(self, tenant: TenantId, user_id: str, *, limit: int = 50) -> list[SessionView]:
        """Return sessions of a user, the latest first.

        Raises:
            InputError: the id or the limit cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        check_limit(limit)
        return await sessions_of(self._graph, tenant, UserId(user_id), rows_max=limit)

    async def page(self, tenant: TenantId, user_id: str, *, first: int, after: str | None) -> list[SessionView]:
        """Return sessions of a user behind a cursor, the latest first, and one more than was asked for if there is one.

        Raises:
            InputError: the id, the number or the cursor cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        check_limit(first)
        return await sessions_of(self._graph, tenant, UserId(user_id), rows_max=first + 1, after=after)

    async def one(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """Return one session and where it stands.

        Raises:
            InputError: an id cannot be used.
            NotFoundError: this user has none of that name.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, sessionId=session_id)
        return await session_of(self._graph, tenant, UserId(user_id), SessionId(session_id))

    async def close(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """Ask for the end of a session; the worker reads what waits in it. Asking twice changes nothing.

        Raises:
            InputError: an id cannot be used.
            NotFoundError: this user has none of that name.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, sessionId=session_id)
        node_id = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        await ask_to_close(self._graph, tenant, [node_id], why=CloseReason.REQUEST, now=self._clock())
        self._notify(tenant)
        return await self.one(tenant, user_id, session_id)

    def took(self, tenant: TenantId, session: str) -> None:
        """Say that messages of a session (its URI) came in through this process."""
        self._taken[(tenant, memory_id(session))] = None
        self._taken.move_to_end((tenant, memory_id(session)))
        while len(self._taken) > _TAKEN_MAX:
            self._taken.popitem(last=False)

    async def close_taken(self, why: CloseReason = CloseReason.SHUTDOWN) -> None:
        """Ask for the end of the sessions whose messages came in through this process, for example at its own end.

        Raises:
            UnavailableError: Neo4j does not answer; the idle timeout will close them.
        """
        for tenant in sorted({tenant for tenant, _ in self._taken}):
            nodes = [node for of, node in self._taken if of == tenant]
            await ask_to_close(self._graph, tenant, nodes, why=why, now=self._clock())
