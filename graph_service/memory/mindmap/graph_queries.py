"""Read nodes, facts, messages, scenes, jobs and counts for the GraphQL API, in batches of one round trip."""

import json
import time
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
from graph_service.memory.tags import normalized_tags, tag_problems
from schema.errors import InputError, NotFoundError
from schema.frames import NodeView
from schema.ids import TenantId, memory_id, session_uri, to_element_id, user_uri
from schema.scene import participants
from schema.timespan import moment_of

# A fact, message or job as returned by a statement.
Row = dict[str, Any]
_STATES: Final = ("open", "leased", "dead")
# Names of the counts in the answer, in order, and their `kind` in `mindmap/stats`.
STATS: Final = {
    "messages": "messages",
    "sessions": "sessions",
    "scenes": "Scene",
    "entities": "Entity",
    "users": "User",
    "agents": "Agent",
    "facts": "facts",
    "closed_facts": "closed facts",
    "items": "items",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPageRequest:
    """A request for a page of facts of a node.

    Attributes:
        closed: include ended facts.
        after: a `fact_cursor`; only facts after it are returned.
    """

    moments: AsOf
    first: int
    closed: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class NodeDetails:
    """URI of a node, its attributes by name, and the participants of a scene."""

    uri: str
    attributes: dict[str, str]
    participants: tuple[str, ...]


class GraphReads:
    """Read many elements of a tenant's graph at once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.explorer = Explorer(graph)

    async def nodes(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, NodeView]:
        """Return nodes of the mind map by id; unknown ones are left out.

        Raises:
            InputError: an id is malformed.
            UnavailableError: Neo4j does not answer.
        """
        for one in ids:
            check_ids(id=one)
        return await map_nodes(self._graph, tenant, sorted(set(ids)))

    async def node(self, tenant: TenantId, name: str, kind: str | None = None) -> NodeView:
        """Return one node of the mind map, by id or URI.

        Args:
            kind: required kind of the node; None accepts any.

        Raises:
            InputError: the id is malformed.
            NotFoundError: the tenant has no such node.
            UnavailableError: Neo4j does not answer.
        """
        node_id = to_element_id(name)
        found = (await self.nodes(tenant, [node_id])).get(node_id)
        if found is None or (kind is not None and found.kind != kind):
            what = (kind or "node").lower()
            raise NotFoundError(f"there is no {what} {name!r} in this tenant; use an id from recall or from the map")
        return found

    async def user(self, tenant: TenantId, user_id: str) -> NodeView:
        """Return the node of a user.

        Raises:
            InputError: an id is malformed.
            NotFoundError: the tenant has no such user.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        found = (await self.nodes(tenant, [memory_id(user_uri(tenant, user_id))])).values()
        for node in found:
            return node
        raise NotFoundError(f"there is no user {user_id!r} in this tenant")

    async def facts(self, tenant: TenantId, ids: Sequence[str], page: FactPageRequest) -> dict[str, list[Row]]:
        """Return the facts of each node, by node id: at most `first`, and one more if there are more.

        Raises:
            InputError: `first` or the cursor is invalid.
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

    async def node_details(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, NodeDetails]:
        """Return URI and attributes of nodes by id; unknown ones are left out.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        parameters = {"tenant": tenant, "ids": sorted(set(ids))}
        rows = await self._graph.read(statement("mindmap/node_details"), parameters)
        return {
            row["id"]: NodeDetails(row["uri"], json.loads(row["attributes"] or "{}"), participants(row["turns"]))
            for row in rows
        }

    async def messages(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, Row]:
        """Return messages by id; unknown ones are left out.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        parameters: dict[str, Any] = {"tenant": tenant, "ids": sorted(set(ids)), "rows_max": max(len(ids), 1)}
        rows = await self._graph.read(statement("lookup/messages_by_id"), parameters)
        return {row["message"]["id"]: row["message"] for row in rows}

    async def stats(self, tenant: TenantId, user_id: str | None) -> dict[str, int]:
        """Return the counts of a tenant's or user's data, with the names and in the order of `STATS`.

        Raises:
            InputError: the user id is malformed.
            UnavailableError: Neo4j does not answer.
        """
        if user_id is not None:
            check_ids(userId=user_id)
        rows = await self._graph.read(
            statement("mindmap/stats"), {"tenant": tenant, "user_id": user_id, "now_ms": round(time.time() * 1000)}
        )
        found = {row["kind"]: row["n"] for row in rows}
        return {name: found.get(kind, 0) for name, kind in STATS.items()}

    async def jobs(self, tenant: TenantId, state: str | None, *, first: int, after: str | None) -> list[Row]:
        """Return open, leased and dead jobs, the next due first: at most `first`, and one more if there are more.

        Raises:
            InputError: `first` or the cursor is invalid.
            UnavailableError: Neo4j does not answer.
        """
        check_limit(first)
        dead, due_ms, job_id = decode_cursor(ListName.JOBS, after)
        parameters: dict[str, Any] = {"tenant": tenant, "states": list(_STATES) if state is None else [state]}
        parameters |= {"dead": dead, "due_ms": due_ms, "after": job_id, "rows_max": first + 1}
        rows = await self._graph.read(statement("jobs/list_jobs"), parameters)
        return [{**row, "due": moment_of(row["due_ms"])} for row in rows]

    async def scenes(
        self,
        tenant: TenantId,
        user_id: str,
        session_id: str | None,
        *,
        first: int,
        after: str | None,
        tags: Sequence[str] = (),
    ) -> list[tuple[NodeView, str]]:
        """Return scenes of a user or session with their cursors, latest first: at most `first`, and one more if any.

        Args:
            tags: only scenes with a message that has one of these tags.

        Raises:
            InputError: an id, a tag, `first` or the cursor is invalid.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, **({} if session_id is None else {"sessionId": session_id}))
        check_limit(first)
        if problems := tag_problems(tags):
            raise InputError("; ".join(problem.removeprefix(".") for problem in problems), tuple(problems))
        start_ms, scene_id = decode_cursor(ListName.SCENES, after)
        session = None if session_id is None else memory_id(session_uri(tenant, user_id, session_id))
        parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session": session, "rows_max": first + 1}
        parameters |= {"start_ms": start_ms, "after": scene_id}
        parameters |= {"by_tag": bool(tags), "tags": list(normalized_tags(tags))}
        rows = await self._graph.read(statement("mindmap/scenes_of_user"), parameters)
        return [
            (map_node(row["node"]), encode_cursor(ListName.SCENES, row["start_ms"], row["node"][0])) for row in rows
        ]


def fact_cursor(fact: Row) -> str:
    """Return the cursor of a fact among the facts of its node, which stays valid when facts are written. Pure."""
    return encode_cursor(ListName.FACTS, fact["at"], fact["id"])


def job_cursor(job: Row) -> str:
    """Return the cursor of a job in the list of its tenant. Pure."""
    return encode_cursor(ListName.JOBS, int(job["state"] == "dead"), job["due_ms"], job["id"])
