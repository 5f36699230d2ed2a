"""Read nodes, facts, scenes, jobs and counts in batches of one round trip, and search nodes by words or by name."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from extraction.text.fulltext_words import words_in
from extraction.text.name_forms import all_forms
from graph_service.graph.lucene import forms_query, scoped_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit, raise_problems, text_problem
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.facts.categories import category_of
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.mindmap.reader import Explorer, map_node, map_nodes
from graph_service.memory.tags import check_tags, normalized_tags
from schema.entity import EntityType
from schema.errors import InputError, NotFoundError
from schema.fact import FactKind
from schema.filters import EVERYTHING as ALL
from schema.filters import matches, parse_filter
from schema.frames import NodeView
from schema.ids import MemoryId, TenantId, memory_id, name_key, scope_token, session_uri, to_element_id, user_uri
from schema.labels import Label
from schema.limits import LIMITS
from schema.profile import Category
from schema.scene import participants
from schema.timespan import moment_of

# A fact, message or job as returned by a statement.
Row = dict[str, Any]
# Facts that are read at once while those of one category, or with some metadata, are looked for.
_FILTERED_ROWS: Final = 500
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSelection:
    """Conditions on the facts in one user's memory; None and empty select all.

    Attributes:
        session_id, agent_id, tags: one message of the evidence fits all of them, and has one of the tags.
        category: only facts about the user or an agent, of this category of the profile.
        text: contained, ignoring case, in the statement or in the name of the subject or object.
        where: a filter that the metadata of a message of the evidence matches, see `schema/filters.py`.
    """

    session_id: str | None = None
    agent_id: str | None = None
    tags: Sequence[str] = ()
    category: Category | None = None
    text: str | None = None
    where: object = None


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
        """Return nodes of the mind map by id; unknown ones are left out."""
        for one in ids:
            check_ids(id=one)
        return await map_nodes(self._graph, tenant, sorted(set(ids)))

    async def node(self, tenant: TenantId, name: str, kind: str | None = None) -> NodeView:
        """Return one node of the mind map, by id or URI.

        Args:
            kind: required kind of the node; None accepts any.

        Raises:
            NotFoundError: the tenant has no such node.
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
            NotFoundError: the tenant has no such user.
        """
        check_ids(userId=user_id)
        found = (await self.nodes(tenant, [memory_id(user_uri(tenant, user_id))])).values()
        for node in found:
            return node
        raise NotFoundError(f"there is no user {user_id!r} in this tenant")

    async def facts(self, tenant: TenantId, ids: Sequence[str], page: FactPageRequest) -> dict[str, list[Row]]:
        """Return the facts of each node, by node id: at most `first`, and one more if there are more."""
        check_limit(page.first, name="first")
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

    async def facts_of_user(
        self, tenant: TenantId, user_id: str, selection: FactSelection, page: FactPageRequest
    ) -> list[Row]:
        """Return facts in one user's memory, the last to become true first: at most `first`, and one more if any.

        Raises:
            NotFoundError: the tenant has no such user.
        """
        check_ids(userId=user_id, sessionId=selection.session_id, agentId=selection.agent_id)
        check_limit(page.first, name="first")
        check_tags(selection.tags)
        if selection.text is not None and (problem := text_problem(selection.text, LIMITS.query_chars)):
            raise InputError(f"text {problem}")
        tree = parse_filter(selection.where)
        filtered = selection.category is not None or tree != ALL
        at, fact_id = decode_cursor(ListName.FACTS, page.after)
        session, agent, tags = selection.session_id, selection.agent_id, selection.tags
        parameters: dict[str, Any] = {
            "tenant": tenant,
            "user_id": user_id,
            "valid_at": page.moments.valid_at,
            "known_at": page.moments.known_at,
            "closed": page.closed,
            "text": (selection.text or "").lower(),
            "by_evidence": session is not None or agent is not None or bool(tags),
            "session": "" if session is None else memory_id(session_uri(tenant, user_id, session)),
            "agent": agent or "",
            "tags": list(normalized_tags(tags)),
            "with_metadata": tree != ALL,
            "rows_max": _FILTERED_ROWS if filtered else page.first + 1,
        }
        found: list[Row] = []
        while True:
            position = {"at": at, "id": fact_id}
            rows = await self._graph.read(statement("mindmap/facts_of_user"), {**parameters, **position})
            found += [
                row["fact"]
                for row in rows
                if selection.category in (None, _profile_category(row["fact"]))
                and (tree == ALL or any(matches(tree, json.loads(one or "{}")) for one in row["metadata"]))
            ]
            if len(found) > page.first or len(rows) < parameters["rows_max"]:
                break
            at, fact_id = rows[-1]["fact"]["at"], rows[-1]["fact"]["id"]
        if not found and page.after is None:
            await self.user(tenant, user_id)
        return found[: page.first + 1]

    async def changes_of_facts(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, tuple[int, datetime]]:
        """Return how often facts were changed, and when last, by id."""
        parameters = {"tenant": tenant, "ids": sorted(set(ids))}
        rows = await self._graph.read(statement("change_log/changes_per_element"), parameters)
        return {row["id"]: (row["changes"], row["last_at"]) for row in rows}

    async def users(self, tenant: TenantId, prefix: str, *, first: int, after: str | None) -> list[Row]:
        """Return users by id: at most `first`, and one more if there are more.

        Args:
            prefix: the beginning of their ids; empty for all.
        """
        check_limit(first, name="first")
        if prefix:
            check_ids(prefix=prefix)
        (last,) = decode_cursor(ListName.USERS, after)
        parameters = {"tenant": tenant, "prefix": prefix, "after": last or "", "rows_max": first + 1}
        return await self._graph.read(statement("lookup/users_page"), parameters)

    async def node_details(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, NodeDetails]:
        """Return URI and attributes of nodes by id; unknown ones are left out."""
        parameters = {"tenant": tenant, "ids": sorted(set(ids))}
        rows = await self._graph.read(statement("mindmap/node_details"), parameters)
        return {
            row["id"]: NodeDetails(row["uri"], json.loads(row["attributes"] or "{}"), participants(row["turns"]))
            for row in rows
        }

    async def messages(self, tenant: TenantId, ids: Sequence[str]) -> dict[str, Row]:
        """Return messages by id; unknown ones are left out."""
        parameters: dict[str, Any] = {"tenant": tenant, "ids": sorted(set(ids)), "rows_max": max(len(ids), 1)}
        rows = await self._graph.read(statement("lookup/messages_by_id"), parameters)
        return {row["message"]["id"]: row["message"] for row in rows}

    async def stats(self, tenant: TenantId, user_id: str | None) -> dict[str, int]:
        """Return the counts of a tenant's or user's data, with the names and in the order of `STATS`."""
        check_ids(userId=user_id)
        rows = await self._graph.read(
            statement("mindmap/stats"), {"tenant": tenant, "user_id": user_id, "now_ms": round(time.time() * 1000)}
        )
        found = {row["kind"]: row["n"] for row in rows}
        return {name: found.get(kind, 0) for name, kind in STATS.items()}

    async def jobs(self, tenant: TenantId, state: str | None, *, first: int, after: str | None) -> list[Row]:
        """Return open, leased and dead jobs, the next due first: at most `first`, and one more if there are more."""
        check_limit(first, name="first")
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
        """
        check_ids(userId=user_id, sessionId=session_id)
        check_limit(first, name="first")
        check_tags(tags)
        start_ms, scene_id = decode_cursor(ListName.SCENES, after)
        session = None if session_id is None else memory_id(session_uri(tenant, user_id, session_id))
        parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "session": session, "rows_max": first + 1}
        parameters |= {"start_ms": start_ms, "after": scene_id}
        parameters |= {"by_tag": bool(tags), "tags": list(normalized_tags(tags))}
        rows = await self._graph.read(statement("mindmap/scenes_of_user"), parameters)
        return [
            (map_node(row["node"]), encode_cursor(ListName.SCENES, row["start_ms"], row["node"][0])) for row in rows
        ]


def _profile_category(fact: Row) -> Category | None:
    """Return the category of a fact about a user or agent; None for facts about others."""
    subject = next(end for end in fact["ends"] if end[0] == fact["subject_id"])
    if subject[1] not in (Label.USER, Label.AGENT):
        return None
    return category_of(fact["predicate"], fact["relation"], FactKind(fact["kind"] or FactKind.FACT))


def user_cursor(user: Row) -> str:
    """Return the cursor of a user in the list of its tenant. Pure."""
    return encode_cursor(ListName.USERS, user["user_id"])


def fact_cursor(fact: Row) -> str:
    """Return the cursor of a fact among the facts of its node, which stays valid when facts are written. Pure."""
    return encode_cursor(ListName.FACTS, fact["at"], fact["id"])


def job_cursor(job: Row) -> str:
    """Return the cursor of a job in the list of its tenant. Pure."""
    return encode_cursor(ListName.JOBS, int(job["state"] == "dead"), job["due_ms"], job["id"])


NAMED_MAX: Final = 1_000
# Candidates of each full-text index.
_INDEX_ROWS: Final = 50
_NAMES_MAX: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FactOfNode:
    """Summary of a valid fact; subject and object are names.

    Not a `Fact`: a search returns thousands of them within milliseconds, with only these columns.
    """

    id: MemoryId
    subject: str
    predicate: str
    relation: str | None
    object: str
    statement: str | None
    valid_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMatch:
    """A user, agent or entity with its strongest facts.

    Attributes:
        kind: User, Agent or Entity.
        attributes: details of an entity that are not facts, by name.
    """

    id: MemoryId
    uri: str
    kind: str
    name: str
    aliases: tuple[str, ...]
    entity_type: str | None
    last_seen: datetime
    attributes: dict[str, str]
    facts: tuple[FactOfNode, ...]


class Nodes:
    """Search the users, agents and entities of one tenant and user."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def search(
        self, tenant: TenantId, user_id: str, query: str, *, types: Sequence[str] = (), limit: int = 10, facts: int = 5
    ) -> list[NodeMatch]:
        """Return the nodes of one memory that match a query, best first, each with its strongest valid facts.

        Args:
            types: only entities of these types; empty means all nodes.
            facts: maximum number of facts of each, 0 to 100.
        """
        _check(user_id, limit, facts)
        problems = [f"query {problem}"] if (problem := text_problem(query, LIMITS.query_chars)) else []
        unknown = [one for one in types if one not in tuple(EntityType)]
        problems += [f"entity type {one!r} is unknown; use one of {', '.join(EntityType)}" for one in unknown]
        raise_problems(problems)
        scope, words = scope_token(tenant, user_id), words_in(query)
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "names": scoped_query(words, fields=["name", "aliases"], scope_user=scope, days=False),
            "forms": forms_query(sorted({scope_token(tenant, user_id, form) for form in _forms(query, words)})),
            "facts": scoped_query(words, fields=["statement", "relation"], scope_user=scope, days=False),
            "types": list(types),
            "index_rows": _INDEX_ROWS,
            "rows_max": limit,
            "facts_max": facts,
        }
        return [_found(row) for row in await self._graph.read(statement("mindmap/search_nodes"), parameters)]

    async def named(
        self, tenant: TenantId, user_id: str, names: Sequence[str] | None, *, limit: int = 100, facts: int = 20
    ) -> list[NodeMatch]:
        """Return the nodes of one memory with these names, the most recently mentioned first; one round trip.

        Args:
            names: names in any case and width; None means all nodes.
            limit: maximum number of nodes, 1 to 1,000.
            facts: maximum number of facts of each, 0 to 100.
        """
        _check(user_id, 1, facts)
        check_limit(limit, NAMED_MAX)
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "every": names is None,
            "keys": [name_key(name) for name in names or ()],
            "rows_max": limit,
            "facts_max": facts,
        }
        return [_found(row) for row in await self._graph.read(statement("mindmap/nodes_by_name"), parameters)]


def _check(user_id: str, limit: int, facts: int) -> None:
    check_ids(userId=user_id)
    check_limit(limit)
    check_limit(facts, least=0, name="facts")


def _forms(query: str, words: Sequence[str]) -> set[str]:
    """Return the spellings of the query as one name, if it is short enough, and of each of its words."""
    names = [query, *words] if len(query) <= LIMITS.name_chars else words
    return {form for name in names[:_NAMES_MAX] for form in all_forms(name)}


def _found(row: Row) -> NodeMatch:
    facts = tuple(_fact(values) for values in row["facts"])
    return from_row(NodeMatch, row, attributes=json.loads(row["attributes"] or "{}"), facts=facts)


def _fact(values: Sequence[object]) -> FactOfNode:
    names = ("id", "subject", "predicate", "relation", "object", "statement", "valid_at")
    return FactOfNode(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]  # columns of a driver's record
