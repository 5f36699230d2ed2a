"""Read the mind map for viewers, and the parts of it that they request.

Snapshots within a budget, the users of a tenant and the evidence of an element; neighbours, paths, search, causes, past
states and changes. Store the positions that viewers give to nodes, and read them.
"""

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from extraction.text.passages import sentence_with
from graph_service.graph.lucene import prefix_query, prefix_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.change_log.log import (
    ChangeLog,
    Head,
    edge_view,
    kind_of,
    moment_text,
    node_view,
    numbered_change,
)
from graph_service.memory.facts.bitemporal import UNFILTERED, AsOf, TimeFilter
from graph_service.memory.facts.categories import category_of
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
from graph_service.memory.sessions.lifecycle import users_in_view, users_of_tenant
from schema.change import NumberedChange, Op
from schema.errors import InputError, NotFoundError, TooCostlyError
from schema.fact import FactKind
from schema.frames import BUDGET_MAX, VIEWS, Count, EdgeView, GraphSnapshot, NodeView, PlacesByView, UserView, View
from schema.ids import CORRECTION_SESSION, TenantId, scope_token, to_element_id
from schema.labels import Label
from schema.parts import ChangeLine, FactCount, GraphPart, MapTotals, RecentChanges, SaidHit
from schema.predicates import fact_groups, whitelist

PLACES_READ_MAX: Final = 5_000
# Snapshots of memories with more nodes contain only facts of users and agents and the newest scenes, because ranking
# all facts would take seconds.
_LARGE_NODES: Final = 6_000
FACTS_MAX: Final = 50
EVIDENCE_MAX: Final = 50
# Evidence ids of a node that are looked up; of their messages the oldest `EVIDENCE_MAX` are returned.
_MESSAGE_IDS_MAX: Final = 1_000

_NODES, _LEADING = statement("mindmap/map_nodes"), statement("mindmap/map_leading_nodes")
_FACTS, _OF_PEOPLE = statement("mindmap/map_facts"), statement("mindmap/map_facts_of_people")

# Order of the values in the fragments `map_edge` and `map_node`.
_EDGE_FIELDS: Final = (
    *("id", "source", "target", "predicate", "user_id", "relation", "strength", "confidence", "evidence_n"),
    *("first_seen", "last_seen", "valid_at", "invalid_at", "known_at", "closing_known_at", "kind", "statement"),
)
_NODE_FIELDS: Final = (
    *("id", "kind", "user_id", "name", "entity_type", "aliases", "abstract", "importance", "evidence_n"),
    *("first_seen", "last_seen"),
)


class MindMap:
    """Read the mind map of a tenant."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._changes = ChangeLog(graph)

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
        bounded = {**scope, "rows_max": _LARGE_NODES + 1}
        large = (await self._graph.read(statement("mindmap/map_size"), bounded))[0]["nodes"] > _LARGE_NODES
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
        rows = await users_of_tenant(self._graph, tenant)
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


def _place_property(view: View, user_id: str | None) -> str:
    """Return the property that holds positions in a view of a user, or of everybody."""
    return f"{view}_place" if user_id is not None else f"{view}_place_all"


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


# Limits of chains of CAUSED_BY facts.
STEPS_MAX: Final = 6
CAUSES_MAX: Final = 5
CHAINS_MAX: Final = 6
_PEOPLE_LABELS: Final = frozenset({Label.USER.value, Label.AGENT.value})


def chains(starts: Sequence[str], causes: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the maximal chains from the starts along causes without cycles, longest first. Pure."""
    complete: list[list[str]] = []
    stack = [[start] for start in reversed(starts)]
    while stack and len(complete) < CHAINS_MAX * CAUSES_MAX:
        path = stack.pop()
        further = [cause for cause in causes.get(path[-1], ()) if cause not in path] if len(path) <= STEPS_MAX else []
        stack.extend([*path, cause] for cause in reversed(further))
        if not further and len(path) > 1:
            complete.append(path)
    maximal = [path for path in complete if not any(path == other[-len(path) :] != other for other in complete)]
    return sorted(maximal, key=len, reverse=True)[:CHAINS_MAX]


async def _starts(graph: Graph, tenant: TenantId, element_id: str) -> list[str]:
    found = await fact_by_id(graph.read, tenant, element_id)
    if found is not None:
        if found.fact.predicate == "CAUSED_BY":
            return [found.fact.subject_id]
        ends = ((found.fact.object_id, found.object), (found.fact.subject_id, found.subject))
        return [name for name, end in ends if not _PEOPLE_LABELS & end.labels]
    if not await graph.read(statement("lookup/node_by_id"), {"tenant": tenant, "id": to_element_id(element_id)}):
        raise _unknown(element_id)
    return [element_id]


PATHS_MAX: Final = 3
LINKS_MAX: Final = 800
COUNTED_MAX: Final = 100_000
# Facts of a lower confidence are doubtful; equal to `UNSURE_BELOW` in web_viewer/src/view/filters.ts.
UNSURE_BELOW: Final = 0.5
SOUGHT_CHARS_MAX: Final = 200
SAID_MAX: Final = 24
_SAID_CHARS: Final = 200
_INDEX_ROWS: Final = 100
# Greater than any sequence number.
_NEWEST: Final = 2**62


class Explorer:
    """Read parts of a tenant's mind map, limited to one user unless `user_id` is None."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._log = ChangeLog(graph)

    async def around(
        self, tenant: TenantId, user_id: str | None, node_id: str, *, limit: int, time_filter: TimeFilter = UNFILTERED
    ) -> GraphPart:
        """Return a node, up to `limit` neighbours (valid and strong facts first), and all edges between them.

        Raises:
            NotFoundError: this memory has no such node.
        """
        check_ids(user=user_id, id=node_id)
        parameters = {"tenant": tenant, "user_id": user_id, "id": node_id, "rows_max": limit, **asdict(time_filter)}
        rows = await self._graph.read(statement("mindmap/neighbours"), parameters)
        if not rows:
            raise _unknown(node_id)
        found = rows[0]
        return await self.part_of(
            tenant, _head(found), [node_id, *found["ids"]], total=found["total"], time_filter=time_filter
        )

    async def between(
        self, tenant: TenantId, user_id: str | None, source: str, target: str, *, time_filter: TimeFilter = UNFILTERED
    ) -> GraphPart:
        """Return the shortest paths between two nodes, those through users or agents last."""
        check_ids(user=user_id, source=source, target=target)
        parameters = {"tenant": tenant, "user_id": user_id, "source": source, "target": target, "rows_max": PATHS_MAX}
        found = (await self._graph.read(statement("mindmap/paths_between"), {**parameters, **asdict(time_filter)}))[0]
        paths = list({tuple(ids): ids for ids in (*found["direct"], *found["all_paths"])}.values())[:PATHS_MAX]
        ids = list(dict.fromkeys(node_id for path in paths for node_id in path))
        part = await self.part_of(tenant, _head(found), ids, total=len(ids), time_filter=time_filter)
        return part.model_copy(update={"paths": paths})

    async def causes(self, tenant: TenantId, user_id: str | None, element_id: str) -> GraphPart:
        """Return the chains of causes of a node or fact as `paths`, from the effect to its last known cause.

        The chains of a fact start at its object and subject, except users and agents, whose causes do not explain each
        of their facts; those of a CAUSED_BY fact at its subject. At most `CHAINS_MAX` chains of `STEPS_MAX` steps, with
        `CAUSES_MAX` causes of each node.

        Raises:
            NotFoundError: this memory has no such element.
        """
        check_ids(user=user_id, id=element_id)
        head = await self._log.head(tenant)
        starts = await _starts(self._graph, tenant, element_id)
        causes: dict[str, list[str]] = {}
        frontier = starts
        for _ in range(STEPS_MAX):
            if not frontier:
                break
            parameters = {"tenant": tenant, "user_id": user_id, "ids": frontier, "rows_max": CAUSES_MAX}
            causes |= {one: [] for one in frontier}
            for row in await self._graph.read(statement("mindmap/causes_of"), parameters):
                causes[row["source"]].append(row["target"])
            frontier = sorted({target for one in frontier for target in causes[one]} - causes.keys())
        paths = chains(starts, causes)
        ids = list(dict.fromkeys(node_id for path in paths for node_id in path))
        return (await self.part_of(tenant, head, ids, total=len(ids))).model_copy(update={"paths": paths})

    async def named(self, tenant: TenantId, user_id: str | None, text: str, *, limit: int) -> GraphPart:
        """Return nodes, without edges, whose name, alias or title contains all words of the text as prefixes.

        And at most `SAID_MAX` messages that contain them, each with the sentence in which the first of them was said.

        Raises:
            InputError: the text is too long.
        """
        check_ids(user=user_id)
        if len(text) > SOUGHT_CHARS_MAX:
            raise InputError(f"a search of {len(text)} characters is too long; use {SOUGHT_CHARS_MAX} at most")
        head = await self._log.head(tenant)
        folded = unicodedata.normalize("NFKC", text).casefold().strip()
        if not folded:
            return GraphPart(epoch=head.epoch, seq=head.seq, total=0, nodes=[], edges=[])
        scopes = [scope_token(tenant, user) for user in await users_in_view(self._graph, tenant, user_id)]
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "entity_query": prefix_query(folded, fields=("name", "aliases"), scopes=scopes),
            "scene_query": prefix_query(folded, fields=("name",), scopes=scopes),
            "part": folded,
            "rows_max": limit,
        }
        spoken = {
            "tenant": tenant,
            "user_id": user_id,
            "message_query": prefix_query(folded, fields=("text",), scopes=scopes),
            "prefix": CORRECTION_SESSION,
            "index_rows": _INDEX_ROWS,
            "rows_max": SAID_MAX,
        }
        rows, messages = await asyncio.gather(
            self._graph.read(statement("mindmap/search_labels"), parameters),
            self._graph.read(statement("mindmap/search_messages"), spoken),
        )
        nodes = await self._nodes(tenant, [row["id"] for row in rows])
        words = prefix_words(folded)
        said = [
            SaidHit(
                **row
                | {
                    "said_at": moment_text(row["said_at"]),
                    "text": sentence_with(row["text"], words, chars_max=_SAID_CHARS),
                }
            )
            for row in messages
        ]
        return GraphPart(epoch=head.epoch, seq=head.seq, total=len(nodes), nodes=nodes, edges=[], said=said)

    async def at(
        self, tenant: TenantId, user_id: str | None, moments: AsOf, *, limit: int, closed: bool = True
    ) -> GraphPart:
        """Return the top facts at a point in time, with their subjects and objects.

        Args:
            closed: include facts that had ended, after the valid ones.
        """
        check_ids(user=user_id)
        parameters = {
            "tenant": tenant,
            "closed": closed,
            "users": await users_in_view(self._graph, tenant, user_id),
            "valid_at": moments.valid_at,
            "known_at": moments.known_at,
            "rows_max": limit,
        }
        rows = await self._graph.read(statement("mindmap/map_facts_at"), parameters)
        head, edges = _head(rows[0]), map_edges(rows)
        ends = list(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target)))
        nodes = await self._nodes(tenant, ends)
        known = {node.id for node in nodes}
        both = [edge for edge in edges if edge.source in known and edge.target in known]
        return GraphPart(epoch=head.epoch, seq=head.seq, total=len(nodes), nodes=nodes, edges=both)

    async def recent(
        self, tenant: TenantId, user_id: str | None, *, since: datetime | None, before: int | None, limit: int
    ) -> RecentChanges:
        """Return recent entries of the change log, newest first, without mentions and forgotten elements.

        Args:
            since: only changes from this time (aware) on.
            before: only changes with a lower sequence number.
        """
        check_ids(user=user_id)
        head = await self._log.head(tenant)
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "before": _NEWEST if before is None else before,
            "since": since,
            "rows_max": limit + 1,
        }
        rows = await self._graph.read(statement("change_log/recent"), parameters)
        lines = [_change_line(numbered_change(row)) for row in rows[:limit]]
        ends = list(dict.fromkeys(end for line in lines if line.edge for end in (line.edge.source, line.edge.target)))
        sources = {
            "tenant": tenant,
            "facts": list({line.element_id for line in lines if line.edge}),
            "entities": list({line.element_id for line in lines if line.node and line.node.kind == "Entity"}),
        }
        nodes, scenes = await asyncio.gather(
            self._nodes(tenant, ends), self._graph.read(statement("change_log/scenes_of_elements"), sources)
        )
        scene_of = {row["id"]: row["scene"] for row in scenes}
        labels = {node.id: node.label for node in nodes} | {row["scene"]: row["label"] for row in scenes}
        placed = [line.model_copy(update={"scene": scene_of.get(line.element_id)}) for line in lines]
        return RecentChanges(epoch=head.epoch, changes=placed, labels=labels, more=len(rows) > limit)

    async def totals(self, tenant: TenantId, user_id: str | None) -> MapTotals:
        """Count the nodes, valid facts and past facts of one user, or of all users of the tenant.

        Raises:
            TooCostlyError: there are more than `COUNTED_MAX` facts.
        """
        check_ids(user=user_id)
        head = await self._log.head(tenant)
        parameters = {
            "tenant": tenant,
            "users": await users_in_view(self._graph, tenant, user_id),
            "rows_max": COUNTED_MAX + 1,
            "disliked": sorted(name for name, one in whitelist().items() if one.sector == "dislikes"),
            "avoided": f"(?is).*({'|'.join(fact_groups()['avoids'].said)}).*",
            "unsure_below": UNSURE_BELOW,
        }
        rows = await self._graph.read(statement("mindmap/map_totals"), parameters)
        if sum(row["read"] for row in rows) > COUNTED_MAX:
            raise TooCostlyError(f"more than {COUNTED_MAX} facts are not counted; ask for one user")
        nodes: dict[str, dict[str, int]] = {}
        facts: Counter[FactCount] = Counter()
        for row in rows:
            if row["predicate"] is None:
                nodes.setdefault(row["user_id"], {})[row["label"]] = row["n"]
            elif row["n"]:
                facts[_alike(row)] += row["n"]
        counts = [alike.model_copy(update={"n": n}) for alike, n in facts.items()]
        past, unsure = (sum(row[name] for row in rows) for name in ("past", "unsure"))
        return MapTotals(epoch=head.epoch, seq=head.seq, nodes=nodes, facts=counts, past=past, unsure=unsure)

    async def part_of(
        self, tenant: TenantId, head: Head, ids: Sequence[str], *, total: int, time_filter: TimeFilter = UNFILTERED
    ) -> GraphPart:
        """Return nodes and all edges between them; unknown ids are left out.

        Args:
            head: head of the change log, read no later than the ids.
            total: number of nodes available, including these.
        """
        if not ids:
            return GraphPart(epoch=head.epoch, seq=head.seq, total=total, nodes=[], edges=[])
        parameters = {"tenant": tenant, "ids": list(ids), "rows_max": LINKS_MAX, **asdict(time_filter)}
        rows = await self._graph.read(statement("mindmap/subgraph"), parameters)
        nodes, edges = [map_node(values) for values in rows[0]["nodes"]], map_edges(rows)
        return GraphPart(epoch=head.epoch, seq=head.seq, total=total, nodes=nodes, edges=edges)

    async def _nodes(self, tenant: str, ids: Sequence[str]) -> list[NodeView]:
        return list((await map_nodes(self._graph, tenant, ids)).values()) if ids else []


def _head(row: Row) -> Head:
    return Head(epoch=row["epoch"], seq=row["seq"])


def _unknown(node_id: str) -> NotFoundError:
    return NotFoundError(f"there is nothing with id {node_id!r} in this memory; use an id from a snapshot or a search")


def _alike(row: Row) -> FactCount:
    """Return what the facts of a row of `mindmap/map_totals` have in common, without their number."""
    given = {name: row[name] for name in ("predicate", "relation", "entity_type", "avoided")}
    if row["subject"] is None:
        return FactCount(subject="", n=0, **given)
    category = category_of(row["predicate"], row["relation"], FactKind(row["kind"] or FactKind.FACT))
    return FactCount(subject=row["subject"], category=category.value, kind=row["label"], n=0, **given)


def _change_line(numbered: NumberedChange) -> ChangeLine:
    change = numbered.change
    return ChangeLine(
        seq=numbered.seq,
        at=numbered.at,
        op=change.op.value,
        element_id=change.element_id,
        reason=change.reason,
        node=NodeView.model_validate(change.body) if change.op is Op.NODE_PUT and change.body else None,
        edge=EdgeView.model_validate(change.body) if change.op is Op.EDGE_PUT and change.body else None,
    )
