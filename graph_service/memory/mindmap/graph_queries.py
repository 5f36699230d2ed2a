"""Nodes, pages of their facts, and the messages behind these, many at a time: each in one round trip."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.mindmap.exploration import Explorer
from graph_service.memory.mindmap.reader import map_node, map_nodes
from schema.errors import NotFoundError
from schema.frames import NodeView
from schema.ids import TenantId, memory_id, session_uri, user_uri
from schema.timespan import moment_of

# A fact or message as a statement lists it.
Row = dict[str, Any]
_STATES: Final = ("open", "leased", "dead")
# What is counted, in the order in which it is told, by the names of `mindmap/stats`.
STATS: Final = {
    "messages": "messages",
    "sessions": "sessions",
    "scenes": "Scene",
    "entities": "Entity",
    "users": "User",
    "agents": "Agent",
    "facts": "facts",
    "closed_facts": "closed facts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPageRequest:
    """Which facts of a node are parameters for.

    Attributes:
        closed: also those that held no more.
        after: the cursor of a fact; only those behind it.
    """

    moments: AsOf
    first: int
    closed: bool = False
    after: str | None = None


class GraphReads:
    """Reads many elements of a tenant's graph at once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.explorer = Explorer(graph)

    async def nodes(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, NodeView]:
        """Return nodes of the mind map by id; unknown ones are left out.

        Raises:
            InputError: there cannot be such an id.
            UnavailableError: Neo4j does not answer.
        """
        for one in ids:
            check_ids(id=one)
        return await map_nodes(self._graph, tenant, sorted(set(ids)))

    async def node(self, tenant: TenantId, name: str, kind: str | None = None) -> NodeView:
        """Return one node of the mind map, by id or URI.

        Args:
            kind: what it must be.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has none.
            UnavailableError: Neo4j does not answer.
        """
        wanted = to_element_id(name)
        found = (await self.nodes(tenant, [wanted])).get(wanted)
        if found is None or (kind is not None and found.kind != kind):
            what = (kind or "node").lower()
            raise NotFoundError(f"there is no {what} {name!r} in this tenant; take an id from recall or from the map")
        return found

    async def user(self, tenant: TenantId, user_id: str) -> NodeView:
        """Return the node of a user.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such user.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        found = (await self.nodes(tenant, [memory_id(user_uri(tenant, user_id))])).values()
        for node in found:
            return node
        raise NotFoundError(f"there is no user {user_id!r} in this tenant")

    async def facts(self, tenant: TenantId, ids: Sequence[str], page: FactPageRequest) -> dict[str, list[Row]]:
        """Return a page of the facts of each node, and one more where there are more, by the node's id.

        Raises:
            InputError: the number or the cursor cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_limit(page.first)
        at, fact_id = decode_cursor(ListName.FACTS, page.after)
        parameters = {
            "tenant": tenant,
            "ids": sorted(set(ids)),
            "valid_at": page.moments.valid_at,
            "known_at": page.moments.known_at,
            "closed": page.closed,
            "at": at,
            "id": fact_id,
            "rows_max": page.first + 1,
        }
        rows = await self._graph.read(statement("mindmap/facts_page"), parameters)
        return {row["node_id"]: row["facts"] for row in rows}

    async def messages(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, Row]:
        """Return messages by id; unknown ones are left out.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        wanted: dict[str, Any] = {"tenant": tenant, "ids": sorted(set(ids)), "rows_max": max(len(ids), 1)}
        rows = await self._graph.read(statement("lookup/messages_by_id"), wanted)
        return {row["message"]["id"]: row["message"] for row in rows}

    async def stats(self, tenant: TenantId, user_id: str | None) -> dict[str, int]:
        """Return how much there is of each sort, by the names and in the order of `STATS`.

        Raises:
            InputError: there can be no such user.
            UnavailableError: Neo4j does not answer.
        """
        if user_id is not None:
            check_ids(userId=user_id)
        rows = await self._graph.read(statement("mindmap/stats"), {"tenant": tenant, "user_id": user_id})
        found = {row["sort"]: row["n"] for row in rows}
        return {name: found.get(sort, 0) for name, sort in STATS.items()}

    async def jobs(self, tenant: TenantId, state: str | None, *, first: int, after: str | None) -> list[Row]:
        """Work that is not done, or was given up, the next first, and one more than was parameters for if there is one.

        Raises:
            InputError: the number or the cursor cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_limit(first)
        dead, due_ms, behind = decode_cursor(ListName.JOBS, after)
        parameters: dict[str, Any] = {"tenant": tenant, "states": list(_STATES) if state is None else [state]}
        parameters |= {"dead": dead, "due_ms": due_ms, "after": behind, "rows_max": first + 1}
        rows = await self._graph.read(statement("jobs/list_jobs"), parameters)
        return [{**row, "due": moment_of(row["due_ms"])} for row in rows]

    async def scenes(
        self, tenant: TenantId, user_id: str, session_id: str | None, *, first: int, after: str | None
    ) -> list[tuple[NodeView, str]]:
        """Return scenes of a user or of one session with their cursors, the latest first, and one more if there is one.

        Raises:
            InputError: an id, the number or the cursor cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, **({} if session_id is None else {"sessionId": session_id}))
        check_limit(first)
        begun_ms, behind = decode_cursor(ListName.SCENES, after)
        session = None if session_id is None else memory_id(session_uri(tenant, user_id, session_id))
        parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session": session, "rows_max": first + 1}
        parameters |= {"start_ms": begun_ms, "after": behind}
        rows = await self._graph.read(statement("mindmap/scenes_of_user"), parameters)
        return [
            (map_node(row["node"]), encode_cursor(ListName.SCENES, row["start_ms"], row["node"][0])) for row in rows
        ]


def to_element_id(name: str) -> str:
    """Return the id of what is named by its id or URI. Pure."""
    return memory_id(name) if name.startswith("memory://") else name


def fact_cursor(fact: Row) -> str:
    """Return where a fact stands among those of its node; stays good while others are written. Pure."""
    return encode_cursor(ListName.FACTS, fact["at"], fact["id"])


def job_cursor(job: Row) -> str:
    """Return where work stands among what its tenant has to do. Pure."""
    return encode_cursor(ListName.JOBS, int(job["state"] == "dead"), job["due_ms"], job["id"])
