"""Joining nodes of the map and parting them again, inside a commit that has locked the user's memory."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.entity_resolution.merged_projection import MemberFact
from graph_service.memory.entity_resolution.projection_writer import (
    Members,
    changes_between,
    edges_at,
    held_facts,
    members_of,
    node_change,
    show,
)
from graph_service.memory.facts.writer import sessions_of, want_vectors
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId, memory_id


async def join(
    writing: Writing, tenant: TenantId, keep: str, gone: str, reason: str, *, at: datetime
) -> tuple[MemoryId, list[Change]]:
    """Let one node of the map stand for two; return the id of the merge and what viewers must be told.

    Args:
        keep, gone: nodes of the map, two entities of one user.
    """
    before = await edges_at(writing, tenant, [keep, gone])
    await writing.run(statement("entity_resolution/detach_entities"), {"tenant": tenant, "ids": sorted((keep, gone))})
    await writing.run(statement("entity_resolution/detach_facts"), {"tenant": tenant, "ids": sorted((keep, gone))})
    members = await members_of(writing, tenant, [gone])
    made = memory_id(f"{_uri_of(members, gone)}/merged-into/{keep}")
    act = {"parent_id": keep, "merge_id": made, "reason": reason, "at": at}
    rows = [
        {"id": one["id"], "root_id": keep, **(act if one["id"] == gone else _act_of(one))} for one in members.of[gone]
    ]
    await writing.run(statement("entity_resolution/set_merge_root"), {"tenant": tenant, "rows": rows})
    await writing.run(statement("entity_resolution/delete_nodes"), {"tenant": tenant, "ids": [gone]})
    nodes = await show(writing, tenant, [keep], at=at)
    after = await edges_at(writing, tenant, [keep])
    why = f"merged: {reason}"
    changes = [*(node_change(node, why) for node in nodes), *changes_between(before, after, why)]
    return made, [*changes, Change(op=Op.NODE_DROP, element_id=MemoryId(gone), body={}, reason=why)]


async def part(writing: Writing, tenant: TenantId, out: str, root: str, why: str, *, at: datetime) -> list[Change]:
    """Let a merged entity, and what was merged into it, stand for themselves again; return what viewers must be told.

    Args:
        out: the entity whose merge is taken back.
        root: the node that stands for it now.
        why: for people.
    """
    members = (await members_of(writing, tenant, [root])).of[root]
    apart = _below(out, members)
    sides = {root: [one for one in members if one["id"] not in apart], out: [m for m in members if m["id"] in apart]}
    facts = await held_facts(writing, tenant, [one["id"] for one in members])
    others = {end for fact in facts for end in (fact.subject_root, fact.object_root)} - {root}
    standing = set((await members_of(writing, tenant, others)).of)
    touched = sorted({root, out} | standing)
    before = await edges_at(writing, tenant, touched)
    derived = [
        {"node_id": row["subject_id"], "id": name} for name, row in before.items() if row["properties"].get("merged")
    ]
    await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": derived})
    alone = sorted(side for side, those in sides.items() if len(those) == 1)
    stay = sorted(set(sides) - set(alone))
    bare = next(one for one in members if one["id"] == out)
    await writing.run(
        statement("entity_resolution/put_projected_nodes"),
        {"tenant": tenant, "rows": [{"id": out, "properties": {"tenant": tenant, "id": bare["id"]}}]},
    )
    rows = [
        {"id": one["id"], "root_id": side, **(_NO_ACT if one["id"] == out else _act_of(one))}
        for side in stay
        for one in sides[side]
    ]
    await writing.run(statement("entity_resolution/set_merge_root"), {"tenant": tenant, "rows": sorted(rows, key=_id)})
    await writing.run(statement("entity_resolution/restore_entities"), {"tenant": tenant, "ids": alone})
    free = _free(facts, {*alone}, standing, members)
    released = await writing.run(statement("entity_resolution/restore_facts"), {"tenant": tenant, "rows": free})
    await want_vectors(writing, tenant, sessions_of(released), at=at)
    nodes = await show(writing, tenant, [*stay, *sorted(standing)], at=at)
    after = await edges_at(writing, tenant, touched)
    shown = {node["id"]: node for node in nodes} | {
        one["id"]: one for side in alone for one in sides[side] if one["id"] == side
    }
    return [*(node_change(shown[name], why) for name in sorted(shown)), *changes_between(before, after, why)]


_NO_ACT: Mapping[str, Any] = {"parent_id": None, "merge_id": None, "reason": None, "at": None}


def _free(
    facts: Iterable[MemberFact], alone: set[str], standing: set[str], members: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return facts of which no end is merged any more."""
    inside = {one["id"] for one in members} - alone
    rows = [
        fact.row
        for fact in facts
        if not {fact.subject_id, fact.object_id} & inside and not {fact.subject_root, fact.object_root} & standing
    ]
    return sorted(rows, key=_id)


def _below(top: str, members: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return an entity and all that were merged into it, directly or not."""
    parents = {one["id"]: one.get("parent_id") for one in members}
    found = {top}
    while more := {name for name, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _act_of(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "parent_id": one.get("parent_id"),
        "merge_id": one.get("merge_id"),
        "reason": one.get("merge_reason"),
        "at": one.get("merged_at"),
    }


def _uri_of(members: Members, root: str) -> str:
    return str(next(one["uri"] for one in members.of[root] if one["id"] == root))


def _id(row: Mapping[str, Any]) -> str:
    return str(row["id"])
