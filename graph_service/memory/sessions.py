"""`Sessions`: what can be done with sessions, for every door; and which of them this process must close at its end."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

from graph_service.graph.store import Graph
from graph_service.memory.asked_ids import check_ids, check_limit
from graph_service.memory.session_life import ask_to_close, session_node_id, session_of, sessions_of
from schema.ids import SessionId, TenantId, UserId, memory_id
from schema.session import CloseReason, SessionView

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
        """Sessions of a user, the latest first.

        Raises:
            InputError: the id or the limit cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        check_limit(limit)
        return await sessions_of(self._graph, tenant, UserId(user_id), rows_max=limit)

    async def page(self, tenant: TenantId, user_id: str, *, first: int, after: str | None) -> list[SessionView]:
        """Sessions of a user behind a cursor, the latest first, and one more than was asked for if there is one.

        Raises:
            InputError: the id, the number or the cursor cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        check_limit(first)
        return await sessions_of(self._graph, tenant, UserId(user_id), rows_max=first + 1, after=after)

    async def one(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """One session and where it stands.

        Raises:
            InputError: an id cannot be used.
            NotFoundError: this user has none of that name.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, sessionId=session_id)
        return await session_of(self._graph, tenant, UserId(user_id), SessionId(session_id))

    async def close(self, tenant: TenantId, user_id: str, session_id: str) -> SessionView:
        """Asks for the end of a session; the worker reads what waits in it. Asking twice changes nothing.

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
        """Says that messages of a session (its URI) came in through this process."""
        self._taken[(tenant, memory_id(session))] = None
        self._taken.move_to_end((tenant, memory_id(session)))
        while len(self._taken) > _TAKEN_MAX:
            self._taken.popitem(last=False)

    async def close_taken(self, why: CloseReason = CloseReason.SHUTDOWN) -> None:
        """Asks for the end of the sessions whose messages came in through this process, for example at its own end.

        Raises:
            UnavailableError: Neo4j does not answer; the idle timeout will close them.
        """
        for tenant in sorted({tenant for tenant, _ in self._taken}):
            nodes = [node for of, node in self._taken if of == tenant]
            await ask_to_close(self._graph, tenant, nodes, why=why, now=self._clock())
