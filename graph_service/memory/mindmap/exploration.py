"""Read the parts of the mind map that viewers request: neighbours, paths, search, causes, past states and changes."""

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

from extraction.text.passages import sentence_with
from graph_service.graph.lucene import prefix_query, prefix_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.change_log.log import ChangeLog, Head, moment_text, numbered_change
from graph_service.memory.facts.bitemporal import UNFILTERED, AsOf, TimeFilter
from graph_service.memory.facts.categories import category_of
from graph_service.memory.facts.stored import fact_by_id
from graph_service.memory.mindmap.reader import map_edges, map_node, map_nodes, users_in_view
from schema.change import NumberedChange, Op
from schema.errors import InputError, NotFoundError, TooCostlyError
from schema.fact import FactKind
from schema.frames import EdgeView, NodeView
from schema.ids import CORRECTION_SESSION, TenantId, scope_token, to_element_id
from schema.labels import Label
from schema.parts import ChangeLine, FactCount, GraphPart, MapTotals, RecentChanges, SaidHit
from schema.predicates import fact_groups, whitelist

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
    maximal = [path for path in complete if not any(path != other and _is_suffix(other, path) for other in complete)]
    return sorted(maximal, key=len, reverse=True)[:CHAINS_MAX]


def _is_suffix(whole: Sequence[str], end: Sequence[str]) -> bool:
    return len(whole) > len(end) and list(whole[-len(end) :]) == list(end)


async def _starts(graph: Graph, tenant: TenantId, element_id: str) -> list[str]:
    found = await fact_by_id(graph.read, tenant, element_id)
    if found is not None:
        if found.fact.predicate == "CAUSED_BY":
            return [found.fact.subject_id]
        ends = ((found.fact.object_id, found.object), (found.fact.subject_id, found.subject))
        return [name for name, end in ends if not _PEOPLE_LABELS & end.labels]
    if not await graph.read(statement("lookup/node_by_id"), {"tenant": tenant, "id": to_element_id(element_id)}):
        raise NotFoundError(
            f"there is nothing with id {element_id!r} in this memory; use an id from a snapshot or a search"
        )
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
