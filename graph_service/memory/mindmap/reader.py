"""Read the mind map for viewers: snapshots within a budget, the users of a tenant, and the evidence of an element.

Store the positions that viewers give to nodes, and read them.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.change_log.log import ChangeLog, edge_view, kind_of, moment_text, node_view
from graph_service.memory.facts.stored import closing_of, fact_by_id
from graph_service.memory.mindmap.element_details import (
    ElementView,
    correction_views,
    evidence_views,
    fact_element,
    fact_lines,
    node_element,
)
from graph_service.memory.mindmap.snapshot import SnapshotSelection, snapshot_of
from schema.errors import NotFoundError
from schema.frames import BUDGET_MAX, VIEWS, Count, EdgeView, GraphSnapshot, NodeView, PlacesByView, UserView, View
from schema.ids import to_element_id

USERS_MAX: Final = 1_000
PLACES_READ_MAX: Final = 5_000
LARGE_FROM: Final = 6_000
FACTS_MAX: Final = 50
EVIDENCE_MAX: Final = 50
# Evidence ids of a node that are looked up; of their messages the oldest `EVIDENCE_MAX` are returned.
_MESSAGE_IDS_MAX: Final = 1_000

_NODES, _LEADING = statement("mindmap/map_nodes"), statement("mindmap/map_leading_nodes")
_FACTS, _OF_PEOPLE = statement("mindmap/map_facts"), statement("mindmap/map_facts_of_people")

# Order of the values in `mindmap/map_facts`, `map_facts_at`, `map_mentions` and `subgraph`, and in `map_nodes_by_id`.
_EDGE_FIELDS: Final = (
    *("id", "source", "target", "predicate", "user_id", "relation", "strength", "confidence", "evidence_n"),
    *("first_seen", "last_seen", "valid_at", "invalid_at", "known_at", "closing_known_at", "kind", "statement"),
)
_NODE_FIELDS: Final = (
    *("id", "kind", "user_id", "name", "entity_type", "aliases", "abstract", "importance", "evidence_n"),
    *("first_seen", "last_seen"),
)


class MindMap:
    """Read the mind map of a tenant.

    Args:
        large_from: snapshots of memories with more nodes contain only facts of users and agents and the newest scenes,
            because ranking all facts would take seconds.
    """

    def __init__(self, graph: Graph, *, large_from: int = LARGE_FROM) -> None:
        self._graph = graph
        self._changes = ChangeLog(graph)
        self._large_from = large_from

    async def snapshot(self, tenant: str, *, user_id: str | None, budget: int) -> GraphSnapshot:
        """Return the top nodes and edges of one user, or of all users of the tenant.

        Order: users, then facts with both ends (open ones first, then by strength, recency and evidence), then the
        newest scenes with their mentions, then the rest. The sequence number is read first, so a later commit may be in
        the snapshot and be sent again as a change, which is harmless because changes are idempotent.

        Args:
            budget: maximum number of nodes and edges together, clamped to 1 to `BUDGET_MAX`.
        """
        budget = min(max(budget, 1), BUDGET_MAX)
        head = await self._changes.head(tenant)
        as_of = moment_text(datetime.now(UTC)) or ""
        scope = {"tenant": tenant, "users": await users_in_view(self._graph, tenant, user_id)}
        bounded = {**scope, "rows_max": self._large_from + 1}
        large = (await self._graph.read(statement("mindmap/map_size"), bounded))[0]["nodes"] > self._large_from
        nodes, facts, totals = await asyncio.gather(
            self._graph.read(_LEADING if large else _NODES, {**scope, "rows_max": budget}),
            self._graph.read(_OF_PEOPLE if large else _FACTS, {**scope, "rows_max": budget}),
            self._graph.read(statement("mindmap/map_total"), scope),
        )
        found = nodes[0]
        selection = SnapshotSelection(budget=budget)
        selection.add_nodes(found["users"])
        selection.add_edges(map_edges(facts))
        scenes = found["scenes"][: max(selection.room, 0)]
        selection.add_edges(await self._mentions(tenant, scenes, rows_max=selection.room))
        selection.add_nodes([*found["scenes"], *found.get("others", ())])
        shown = await map_nodes(self._graph, tenant, list(selection.nodes))
        total = Count(nodes=totals[0]["nodes"], edges=totals[0]["edges"])
        edges = [edge for edge in selection.edges if edge.source in shown and edge.target in shown]
        return snapshot_of(head.epoch, head.seq, as_of, total, list(shown.values()), edges)

    async def users(self, tenant: str) -> list[UserView]:
        """Return the users of a tenant by name, at most `USERS_MAX`."""
        rows = await _users(self._graph, tenant)
        return [UserView(user_id=row["user_id"], label=row["name"] or row["user_id"]) for row in rows]

    async def put_places(
        self,
        tenant: str,
        user_id: str | None,
        places: Mapping[str, Sequence[float]],
        *,
        view: View = "map",
        keep: bool = False,
    ) -> int:
        """Store positions of nodes in a view of a user, or of everybody; return how many were stored.

        Unknown nodes, and nodes of other users, are left out. This is no change of the memory: the change log stays as
        it is.

        Args:
            keep: leave nodes that have a position where they are.
        """
        name = _place_property(view, user_id)
        rows = [{"id": each, "place": {name: [float(one) for one in place]}} for each, place in sorted(places.items())]
        parameters = {"tenant": tenant, "user": user_id or "", "property": name, "keep": keep, "rows": rows}
        if not rows:
            return 0
        done = await self._graph.run(statement("mindmap/put_places"), parameters)
        return int(done[0]["written"])

    async def places(self, tenant: str, user_id: str | None, *, after: int = 0) -> PlacesByView:
        """Return stored positions in the views of a user, or of everybody, at most the last `PLACES_READ_MAX`.

        Args:
            after: only those that were stored after this value of `Head.places`.
        """
        views = {_place_property(view, user_id): view for view in VIEWS}
        parameters = {"tenant": tenant, "user": user_id or "", "seq": after, "rows_max": PLACES_READ_MAX}
        rows = await self._graph.read(statement("mindmap/places_since"), {**parameters, "properties": list(views)})
        found: PlacesByView = {}
        for name, node_id, place in rows[0]["places"]:
            found.setdefault(views[name], {})[node_id] = place
        return found

    async def evidence(self, tenant: str, element_id: str) -> ElementView:
        """Return the details of a node or fact, and the messages that support it.

        Raises:
            NotFoundError: the tenant has no such element, whether or not another tenant has it.
        """
        known = {"tenant": tenant, "id": to_element_id(element_id)}
        found, found_nodes = await asyncio.gather(
            fact_by_id(self._graph.read, tenant, element_id),
            self._graph.read(statement("lookup/node_by_id"), known),
        )
        if found is not None:
            # A rejection is no evidence of the fact, so it is only in the assertions.
            acts = (one.message_id for one in found.fact.assertions if one.correction is not None)
            rows, closing = await asyncio.gather(
                self._messages(tenant, list(dict.fromkeys([*found.fact.evidence, *acts]))),
                closing_of(self._graph, tenant, found.fact),
            )
            return fact_element(found, evidence_views(rows, found.fact.quotes), correction_views(rows), closing)
        if not found_nodes:
            raise NotFoundError(
                f"there is no element with id {element_id!r} in this tenant; use an id from a snapshot or from recall"
            )
        return await self._node_evidence(found_nodes[0], known)

    async def _node_evidence(self, found: Row, known: Mapping[str, str]) -> ElementView:
        kind = kind_of(found["labels"])
        if kind == "Scene":
            facts, said = await asyncio.gather(
                self._graph.read(statement("mindmap/facts_of_scene"), {**known, "rows_max": FACTS_MAX}),
                self._graph.read(statement("mindmap/messages_of_scene"), {**known, "rows_max": EVIDENCE_MAX}),
            )
            quotes = [quote for row in facts for quote in row["quotes"]]
            return node_element(found, kind, fact_lines(facts), evidence_views(said, quotes))
        facts = await self._graph.read(statement("mindmap/facts_of_node"), {**known, "rows_max": FACTS_MAX})
        # Without facts, what mentions it is its evidence.
        proofs = facts or await self._graph.read(
            statement("mindmap/mentions_of_node"), {**known, "rows_max": EVIDENCE_MAX}
        )
        ids = list(dict.fromkeys(message_id for row in proofs for message_id in row["evidence"]))
        quotes = [quote for row in facts for quote in row["quotes"]]
        rows = await self._messages(known["tenant"], ids[:_MESSAGE_IDS_MAX])
        return node_element(found, kind, fact_lines(facts), evidence_views(rows, quotes))

    async def _messages(self, tenant: str, ids: Sequence[str]) -> list[Row]:
        if not ids:
            return []
        parameters = {"tenant": tenant, "ids": list(ids), "rows_max": EVIDENCE_MAX}
        return await self._graph.read(statement("lookup/messages_by_id"), parameters)

    async def _mentions(self, tenant: str, scenes: Sequence[str], *, rows_max: int) -> list[EdgeView]:
        if not scenes or rows_max <= 0:
            return []
        return map_edges(
            await self._graph.read(
                statement("mindmap/map_mentions"), {"tenant": tenant, "scenes": list(scenes), "rows_max": rows_max}
            )
        )


async def users_in_view(graph: Graph, tenant: str, user_id: str | None) -> list[str]:
    """Return the ids of the users that a view contains: the given one, or those of the tenant, at most `USERS_MAX`."""
    return [user_id] if user_id is not None else [row["user_id"] for row in await _users(graph, tenant)]


def _place_property(view: View, user_id: str | None) -> str:
    """Return the property that holds positions in a view of a user, or of everybody."""
    return f"{view}_place" if user_id is not None else f"{view}_place_all"


async def _users(graph: Graph, tenant: str) -> list[Row]:
    return await graph.read(statement("lookup/users_of_tenant"), {"tenant": tenant, "rows_max": USERS_MAX})


async def map_nodes(graph: Graph, tenant: str, ids: Sequence[str]) -> dict[str, NodeView]:
    """Return nodes of the map by id, in the order of `ids`; unknown ones are left out."""
    rows = await graph.read(statement("mindmap/map_nodes_by_id"), {"tenant": tenant, "ids": list(ids)})
    known = {values[0]: map_node(values) for values in rows[0]["nodes"]}
    return {node_id: known[node_id] for node_id in ids if node_id in known}


def map_edges(rows: Sequence[Row]) -> list[EdgeView]:
    """Return the edges in the single row of a statement that returns `edges`."""
    found = [dict(zip(_EDGE_FIELDS, values, strict=True)) for values in rows[0]["edges"]]
    return [edge_view(edge, edge["source"], edge["target"], edge["predicate"]) for edge in found]


def map_node(values: Sequence[Any]) -> NodeView:
    """Convert the values of one node from `mindmap/map_nodes_by_id`."""
    node = dict(zip(_NODE_FIELDS, values, strict=True))
    return node_view(node, node["kind"])
