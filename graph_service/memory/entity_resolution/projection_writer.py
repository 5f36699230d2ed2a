"""Bringing the map in step with merged entities, inside the commit that changes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.change_log.payloads import edge_body, edge_view, node_body, node_view
from graph_service.memory.entity_resolution.merged_projection import (
    MemberFact,
    edges_of,
    held_fact,
    root_properties,
    without_marks,
)
from graph_service.memory.facts.writer import sessions_of, want_vectors
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId
from schema.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The entities that each node of the map stands for, by the node's id."""

    of: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def ids(self) -> list[str]:
        """Every merged entity, ordered."""
        return sorted(one["id"] for members in self.of.values() for one in members)


async def members_of(writing: Writing, tenant: TenantId, roots: Iterable[str]) -> Members:
    """Return the entities that some nodes stand for; nodes that stand for themselves alone are not in it."""
    rows = await writing.run(statement("entity_resolution/member_entities"), {"tenant": tenant, "roots": sorted(roots)})
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["root_id"], []).append(row["properties"])
    return Members(of=found)


async def held_facts(writing: Writing, tenant: TenantId, ids: Iterable[str]) -> list[MemberFact]:
    """Return the facts of some merged entities as they were said."""
    rows = await writing.run(statement("entity_resolution/member_facts"), {"tenant": tenant, "ids": sorted(ids)})
    return [held_fact(row) for row in rows]


async def edges_at(writing: Writing, tenant: TenantId, ids: Iterable[str]) -> dict[str, Row]:
    """Return every edge of the map that touches one of some nodes, by id."""
    rows = await writing.run(statement("lookup/edges_of_nodes"), {"tenant": tenant, "ids": sorted(ids)})
    return {row["properties"]["id"]: {**row, "properties": without_marks(row["properties"])} for row in rows}


async def show(writing: Writing, tenant: TenantId, roots: Iterable[str], *, at: datetime) -> list[Mapping[str, Any]]:
    """Write the nodes that stand for merged entities and the edges that follow; return the nodes' properties."""
    members = await members_of(writing, tenant, roots)
    if not members.of:
        return []
    nodes: list[Mapping[str, Any]] = [root_properties(root, members.of[root]) for root in sorted(members.of)]
    node_rows = [{"id": node["id"], "properties": node} for node in nodes]
    await writing.run(statement("entity_resolution/put_projected_nodes"), {"tenant": tenant, "rows": node_rows})
    facts = await held_facts(writing, tenant, members.ids)
    others = {end for fact in facts for end in (fact.subject_root, fact.object_root)} - set(members.of)
    uris = {node["id"]: node["uri"] for node in nodes}
    uris |= {
        root: next(one["uri"] for one in those if one["id"] == root)
        for root, those in (await members_of(writing, tenant, others)).of.items()
    }
    rows = edges_of(facts, uris)
    now = await edges_at(writing, tenant, members.of)
    wanted = {row["id"]: row for row in rows}
    gone = [
        {"node_id": row["subject_id"], "id": name}
        for name, row in sorted(now.items())
        if row["properties"].get("merged") and name not in wanted
    ]
    if gone:
        await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": gone})
    changed = [row for row in rows if row["id"] not in now or now[row["id"]]["properties"] != row["properties"]]
    if changed:
        written = await writing.run(
            statement("entity_resolution/put_projected_facts"), {"tenant": tenant, "rows": changed}
        )
        await want_vectors(writing, tenant, sessions_of(written), at=at)
    return nodes


async def say_of_merged(
    writing: Writing,
    tenant: TenantId,
    entities: Sequence[dict[str, Any]],
    facts: Sequence[dict[str, Any]],
    *,
    at: datetime,
) -> list[Change]:
    """Keep what was said of merged entities, bring the map in step, and return what viewers must be told."""
    named = sorted({row["id"] for row in entities} | {end for row in facts for end in _ends(row)})
    if not named:
        return []
    ends = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": named})
    roots = sorted({row["root_id"] for row in ends if row["root_id"]})
    before = await edges_at(writing, tenant, roots)
    await writing.run(statement("entity_resolution/put_member_entities"), {"tenant": tenant, "rows": list(entities)})
    await writing.run(statement("entity_resolution/put_member_facts"), {"tenant": tenant, "rows": list(facts)})
    nodes = await show(writing, tenant, roots, at=at)
    why = "said of a merged entity"
    edges = changes_between(before, await edges_at(writing, tenant, roots), why)
    return [*(node_change(node, why) for node in nodes), *edges]


def _ends(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["subject_id"], row["object_id"]


def changes_between(before: Mapping[str, Row], after: Mapping[str, Row], reason: str) -> list[Change]:
    """Return what viewers must be told of edges: those that went first, then those that came or changed."""
    gone = [
        Change(op=Op.EDGE_DROP, element_id=MemoryId(n), body={}, reason=reason)
        for n in sorted(before)
        if n not in after
    ]
    put = [
        Change(op=Op.EDGE_PUT, element_id=MemoryId(name), body=_body(after[name]), reason=reason)
        for name in sorted(after)
        if name not in before or before[name] != after[name]
    ]
    return [*gone, *put]


def node_change(properties: Mapping[str, Any], reason: str) -> Change:
    """Return an entity as viewers see it from now on."""
    body = node_body(node_view(properties, Label.ENTITY.value))
    return Change(op=Op.NODE_PUT, element_id=MemoryId(properties["id"]), body=body, reason=reason)


def _body(row: Row) -> dict[str, Any]:
    return edge_body(edge_view(row["properties"], row["subject_id"], row["object_id"], row["predicate"]))
