"""Store the nodes and edges derived from merged entities, inside the transaction that changes them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.change_log.payloads import edge_body, edge_view, node_change
from graph_service.memory.entity_resolution.merged_projection import (
    MemberFact,
    member_fact,
    projected_edges,
    root_properties,
    without_bookkeeping,
)
from graph_service.memory.facts.writer import enqueue_embedding, sessions_to_embed
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId
from schema.labels import Label


async def load_members(writing: Writing, tenant: TenantId, roots: Iterable[str]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the properties of the entities merged into each root, itself included; unmerged nodes are left out."""
    rows = await writing.run(statement("entity_resolution/member_entities"), {"tenant": tenant, "roots": sorted(roots)})
    members: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        members.setdefault(row["root_id"], []).append(row["properties"])
    return members


async def load_member_facts(writing: Writing, tenant: TenantId, ids: Iterable[str]) -> list[MemberFact]:
    """Return the stored facts of merged entities, by entity ids."""
    rows = await writing.run(statement("entity_resolution/member_facts"), {"tenant": tenant, "ids": sorted(ids)})
    return [member_fact(row) for row in rows]


async def edges_touching(writing: Writing, tenant: TenantId, ids: Iterable[str]) -> dict[str, Row]:
    """Return the edges with an end among the nodes, by edge id."""
    rows = await writing.run(statement("lookup/edges_of_nodes"), {"tenant": tenant, "ids": sorted(ids)})
    return {row["properties"]["id"]: {**row, "properties": without_bookkeeping(row["properties"])} for row in rows}


async def project_merged(
    writing: Writing, tenant: TenantId, roots: Iterable[str], *, at: datetime
) -> list[Mapping[str, Any]]:
    """Store the viewers' graph of merged entities: one node for each root, and edges derived from its members' facts.

    Roots without other members are skipped.

    Returns:
        The properties of the stored nodes.
    """
    members = await load_members(writing, tenant, roots)
    if not members:
        return []
    nodes: list[Mapping[str, Any]] = [root_properties(root, members[root]) for root in sorted(members)]
    node_rows = [{"id": node["id"], "properties": node} for node in nodes]
    await writing.run(statement("entity_resolution/put_projected_nodes"), {"tenant": tenant, "rows": node_rows})
    member_ids = [member["id"] for root_members in members.values() for member in root_members]
    facts = await load_member_facts(writing, tenant, member_ids)
    other_roots = {end for fact in facts for end in (fact.subject_root, fact.object_root)} - set(members)
    uris = {node["id"]: node["uri"] for node in nodes}
    uris |= {
        root: next(member["uri"] for member in root_members if member["id"] == root)
        for root, root_members in (await load_members(writing, tenant, other_roots)).items()
    }
    rows = projected_edges(facts, uris)
    stored = await edges_touching(writing, tenant, members)
    new_ids = {row["id"] for row in rows}
    stale = [
        {"node_id": row["subject_id"], "id": name}
        for name, row in sorted(stored.items())
        if row["properties"].get("merged") and name not in new_ids
    ]
    if stale:
        await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": stale})
    changed = [row for row in rows if row["id"] not in stored or stored[row["id"]]["properties"] != row["properties"]]
    if changed:
        written = await writing.run(
            statement("entity_resolution/put_projected_facts"), {"tenant": tenant, "rows": changed}
        )
        await enqueue_embedding(writing, tenant, sessions_to_embed(written), at=at)
    return nodes


async def write_member_rows(
    writing: Writing,
    tenant: TenantId,
    entities: Sequence[dict[str, Any]],
    facts: Sequence[dict[str, Any]],
    *,
    at: datetime,
) -> list[Change]:
    """Store new properties and facts of merged entities, update their roots, and return the changes for viewers."""
    named_ids = sorted({row["id"] for row in entities} | {end for row in facts for end in _ends(row)})
    if not named_ids:
        return []
    ends = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": named_ids})
    roots = sorted({row["root_id"] for row in ends if row["root_id"]})
    before = await edges_touching(writing, tenant, roots)
    await writing.run(statement("entity_resolution/put_member_entities"), {"tenant": tenant, "rows": list(entities)})
    await writing.run(statement("entity_resolution/put_member_facts"), {"tenant": tenant, "rows": list(facts)})
    nodes = await project_merged(writing, tenant, roots, at=at)
    reason = "said of a merged entity"
    edges = edge_changes(before, await edges_touching(writing, tenant, roots), reason)
    return [*(node_change(node, Label.ENTITY, reason) for node in nodes), *edges]


def _ends(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["subject_id"], row["object_id"]


def edge_changes(before: Mapping[str, Row], after: Mapping[str, Row], reason: str) -> list[Change]:
    """Return the changes between two states of edges by id: removed edges first, then new and changed ones."""
    dropped = [
        Change(op=Op.EDGE_DROP, element_id=MemoryId(n), body={}, reason=reason)
        for n in sorted(before)
        if n not in after
    ]
    put = [
        Change(op=Op.EDGE_PUT, element_id=MemoryId(name), body=_body(after[name]), reason=reason)
        for name in sorted(after)
        if name not in before or before[name] != after[name]
    ]
    return [*dropped, *put]


def _body(row: Row) -> dict[str, Any]:
    return edge_body(edge_view(row["properties"], row["subject_id"], row["object_id"], row["predicate"]))
