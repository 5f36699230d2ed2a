"""Merge and split nodes inside a transaction that holds the lock on the user's memory."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.change_log.payloads import node_change
from graph_service.memory.entity_resolution.merged_projection import MemberFact
from graph_service.memory.entity_resolution.projection_writer import (
    edge_changes,
    edges_touching,
    load_member_facts,
    load_members,
    project_merged,
)
from graph_service.memory.facts.writer import enqueue_embedding, sessions_to_embed
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId, memory_id
from schema.labels import Label


async def merge_nodes(
    writing: Writing, tenant: TenantId, kept_id: str, merged_id: str, reason: str, *, at: datetime
) -> tuple[MemoryId, list[Change]]:
    """Merge one node into another; return the id of the merge and the changes for viewers.

    Args:
        kept_id, merged_id: two unmerged entities of one user.
    """
    before = await edges_touching(writing, tenant, [kept_id, merged_id])
    await writing.run(
        statement("entity_resolution/detach_entities"), {"tenant": tenant, "ids": sorted((kept_id, merged_id))}
    )
    await writing.run(
        statement("entity_resolution/detach_facts"), {"tenant": tenant, "ids": sorted((kept_id, merged_id))}
    )
    members = (await load_members(writing, tenant, [merged_id]))[merged_id]
    merged_uri = next(member["uri"] for member in members if member["id"] == merged_id)
    merge_id = memory_id(f"{merged_uri}/merged-into/{kept_id}")
    merge = {"parent_id": kept_id, "merge_id": merge_id, "reason": reason, "at": at}
    rows = [
        {"id": member["id"], "root_id": kept_id, **(merge if member["id"] == merged_id else _merge_fields(member))}
        for member in members
    ]
    await writing.run(statement("entity_resolution/set_merge_root"), {"tenant": tenant, "rows": rows})
    await writing.run(statement("entity_resolution/delete_nodes"), {"tenant": tenant, "ids": [merged_id]})
    nodes = await project_merged(writing, tenant, [kept_id], at=at)
    after = await edges_touching(writing, tenant, [kept_id])
    reason = f"merged: {reason}"
    changes = [*(node_change(node, Label.ENTITY, reason) for node in nodes), *edge_changes(before, after, reason)]
    return merge_id, [*changes, Change(op=Op.NODE_DROP, element_id=MemoryId(merged_id), body={}, reason=reason)]


async def split_node(
    writing: Writing, tenant: TenantId, split_id: str, root_id: str, reason: str, *, at: datetime
) -> list[Change]:
    """Undo one merge: split an entity, with those merged into it, off its root; return the changes for viewers.

    Args:
        split_id: the entity to split off.
        root_id: the node that represents it now.
        reason: for people.
    """
    members = (await load_members(writing, tenant, [root_id]))[root_id]
    split_ids = _merge_subtree(split_id, members)
    sides = {
        root_id: [member for member in members if member["id"] not in split_ids],
        split_id: [m for m in members if m["id"] in split_ids],
    }
    facts = await load_member_facts(writing, tenant, [member["id"] for member in members])
    others = {end for fact in facts for end in (fact.subject_root, fact.object_root)} - {root_id}
    other_roots = set(await load_members(writing, tenant, others))
    touched = sorted({root_id, split_id} | other_roots)
    before = await edges_touching(writing, tenant, touched)
    projected = [
        {"node_id": row["subject_id"], "id": name} for name, row in before.items() if row["properties"].get("merged")
    ]
    await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": projected})
    unmerged = sorted(side for side, side_members in sides.items() if len(side_members) == 1)
    still_merged = sorted(set(sides) - set(unmerged))
    await writing.run(
        statement("entity_resolution/put_projected_nodes"),
        {"tenant": tenant, "rows": [{"id": split_id, "properties": {"tenant": tenant, "id": split_id}}]},
    )
    rows = [
        {"id": member["id"], "root_id": side, **(_NO_MERGE if member["id"] == split_id else _merge_fields(member))}
        for side in still_merged
        for member in sides[side]
    ]
    await writing.run(statement("entity_resolution/set_merge_root"), {"tenant": tenant, "rows": sorted(rows, key=_id)})
    await writing.run(statement("entity_resolution/restore_entities"), {"tenant": tenant, "ids": unmerged})
    restored = _unmerged_facts(facts, {*unmerged}, other_roots, members)
    restored_rows = await writing.run(
        statement("entity_resolution/restore_facts"), {"tenant": tenant, "rows": restored}
    )
    await enqueue_embedding(writing, tenant, sessions_to_embed(restored_rows), at=at)
    nodes = await project_merged(writing, tenant, [*still_merged, *sorted(other_roots)], at=at)
    after = await edges_touching(writing, tenant, touched)
    shown = {node["id"]: node for node in nodes} | {
        member["id"]: member for side in unmerged for member in sides[side] if member["id"] == side
    }
    return [
        *(node_change(shown[name], Label.ENTITY, reason) for name in sorted(shown)),
        *edge_changes(before, after, reason),
    ]


_NO_MERGE: Mapping[str, Any] = {"parent_id": None, "merge_id": None, "reason": None, "at": None}


def _unmerged_facts(
    facts: Iterable[MemberFact], unmerged: set[str], other_roots: set[str], members: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the facts with both ends no longer merged, as rows of `entity_resolution/restore_facts`."""
    still_merged = {member["id"] for member in members} - unmerged
    rows = [
        fact.row
        for fact in facts
        if not {fact.subject_id, fact.object_id} & still_merged
        and not {fact.subject_root, fact.object_root} & other_roots
    ]
    return sorted(rows, key=_id)


def _merge_subtree(root_id: str, members: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return an entity and all entities merged into it, directly or indirectly."""
    parents = {member["id"]: member.get("parent_id") for member in members}
    subtree = {root_id}
    while children := {name for name, parent in parents.items() if parent in subtree} - subtree:
        subtree |= children
    return subtree


def _merge_fields(member: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "parent_id": member.get("parent_id"),
        "merge_id": member.get("merge_id"),
        "reason": member.get("merge_reason"),
        "at": member.get("merged_at"),
    }


def _id(row: Mapping[str, Any]) -> str:
    return str(row["id"])
