"""Merging two entities into one, and taking a merge back exactly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.log_rows import append_changes
from graph_service.memory.merged import HeldFact
from graph_service.memory.stand import Members, changes_between, edges_at, held_facts, members_of, node_change, show
from schema.change import Change, Op
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import MemoryId, TenantId, memory_id, user_uri
from schema.labels import Label
from schema.limits import LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a merge did.

    Attributes:
        id: of the merge; `split` takes it, or the id of the merged entity.
        kept: the node that stands for both from now on.
    """

    id: MemoryId
    kept: MemoryId
    merged: MemoryId


async def merge_entities(
    graph: Graph, tenant: TenantId, keep_id: str, merge_id: str, reason: str, *, at: datetime
) -> Merged:
    """Lets one node of the map stand for two entities; each keeps itself and its facts as they were said.

    Raises:
        InputError: the reason is empty or too long, or the two are one.
        NotFoundError: the tenant has no such entity.
        ConflictError: they are no entities, belong to two users, or are merged already.
    """
    if not reason.strip() or len(reason) > LIMITS.name_chars:
        raise InputError(f"the reason {reason!r} must have 1 to {LIMITS.name_chars} characters; say why they are one")

    async def steps(writing: Writing) -> Merged:
        ends = await _ends(writing, tenant, keep_id, merge_id)
        user_id = ends[keep_id]["user_id"]
        if ends[merge_id]["user_id"] != user_id:
            raise ConflictError("the two entities belong to the memories of two users; only those of one can be merged")
        await _take(writing, tenant, user_id)
        # Read again: only now nobody else can change them.
        ends = await _ends(writing, tenant, keep_id, merge_id)
        keep, gone = (ends[name]["root_id"] or name for name in (keep_id, merge_id))
        if keep == gone:
            raise ConflictError(f"the entities {keep_id!r} and {merge_id!r} are one already; split them first")
        before = await edges_at(writing, tenant, [keep, gone])
        await writing.run(statement("write/hold_entities"), {"tenant": tenant, "ids": sorted((keep, gone))})
        await writing.run(statement("write/hold_facts"), {"tenant": tenant, "ids": sorted((keep, gone))})
        members = await members_of(writing, tenant, [gone])
        made = memory_id(f"{_uri_of(members, gone)}/merged-into/{keep}")
        act = {"parent_id": keep, "merge_id": made, "reason": reason, "at": at}
        rows = [
            {"id": one["id"], "root_id": keep, **(act if one["id"] == gone else _act_of(one))}
            for one in members.of[gone]
        ]
        await writing.run(statement("write/set_stand"), {"tenant": tenant, "rows": rows})
        await writing.run(statement("write/take_nodes_away"), {"tenant": tenant, "ids": [gone]})
        nodes = await show(writing, tenant, [keep])
        after = await edges_at(writing, tenant, [keep])
        why = f"merged: {reason}"
        changes = [*(node_change(node, why) for node in nodes), *changes_between(before, after, why)]
        changes.append(Change(op=Op.NODE_DROP, element_id=MemoryId(gone), body={}, reason=why))
        await append_changes(writing, tenant, user_id, changes, at=at)
        return Merged(id=made, kept=MemoryId(keep), merged=MemoryId(gone))

    return await graph.write(steps)


async def split_entity(graph: Graph, tenant: TenantId, entity_id: str, *, at: datetime) -> Merged:
    """Takes back the merge of an entity: the graph is as if it had never been, with all that was learned since.

    Args:
        entity_id: the entity that was merged, or the id of the merge.

    Raises:
        NotFoundError: the tenant has no such entity or merge.
        ConflictError: the entity is not merged into another.
    """

    async def steps(writing: Writing) -> Merged:
        where = await writing.run(statement("read/merge_of"), {"tenant": tenant, "id": entity_id})
        if not where:
            await _ends(writing, tenant, entity_id)
            raise ConflictError(f"the entity {entity_id!r} is not merged into another; there is nothing to split")
        user_id = where[0]["user_id"]
        await _take(writing, tenant, user_id)
        where = await writing.run(statement("read/merge_of"), {"tenant": tenant, "id": entity_id})
        if not where:
            raise ConflictError(f"the merge of {entity_id!r} was taken back meanwhile; there is nothing to split")
        out, root, made = where[0]["id"], where[0]["root_id"], where[0]["merge_id"]
        await _split(writing, tenant, user_id, out, root, at=at)
        return Merged(id=MemoryId(made), kept=MemoryId(root), merged=MemoryId(out))

    return await graph.write(steps)


async def _split(writing: Writing, tenant: TenantId, user_id: str, out: str, root: str, *, at: datetime) -> None:
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
    await writing.run(statement("write/take_edges_away"), {"tenant": tenant, "rows": derived})
    alone = sorted(side for side, those in sides.items() if len(those) == 1)
    stay = sorted(set(sides) - set(alone))
    bare = next(one for one in members if one["id"] == out)
    await writing.run(
        statement("write/put_roots"),
        {"tenant": tenant, "rows": [{"id": out, "properties": {"tenant": tenant, "id": bare["id"]}}]},
    )
    rows = [
        {"id": one["id"], "root_id": side, **(_NO_ACT if one["id"] == out else _act_of(one))}
        for side in stay
        for one in sides[side]
    ]
    await writing.run(statement("write/set_stand"), {"tenant": tenant, "rows": sorted(rows, key=_id)})
    await writing.run(statement("write/release_entities"), {"tenant": tenant, "ids": alone})
    await writing.run(
        statement("write/release_facts"), {"tenant": tenant, "rows": _free(facts, {*alone}, standing, members)}
    )
    nodes = await show(writing, tenant, [*stay, *sorted(standing)])
    after = await edges_at(writing, tenant, touched)
    shown = {node["id"]: node for node in nodes} | {
        one["id"]: one for side in alone for one in sides[side] if one["id"] == side
    }
    why = "split: the merge was taken back"
    changes = [*(node_change(shown[name], why) for name in sorted(shown)), *changes_between(before, after, why)]
    await append_changes(writing, tenant, user_id, changes, at=at)


_NO_ACT: Mapping[str, Any] = {"parent_id": None, "merge_id": None, "reason": None, "at": None}


def _free(
    facts: Iterable[HeldFact], alone: set[str], standing: set[str], members: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Facts of which no end is merged any more."""
    inside = {one["id"] for one in members} - alone
    rows = [
        fact.row
        for fact in facts
        if not {fact.subject_id, fact.object_id} & inside and not {fact.subject_root, fact.object_root} & standing
    ]
    return sorted(rows, key=_id)


def _below(top: str, members: Iterable[Mapping[str, Any]]) -> set[str]:
    """An entity and all that were merged into it, directly or not."""
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


async def _take(writing: Writing, tenant: TenantId, user_id: str) -> None:
    user = memory_id(user_uri(tenant, user_id))
    await writing.run(statement("write/take_memory"), {"tenant": tenant, "user_node_id": user})


async def _ends(writing: Writing, tenant: TenantId, *ids: str) -> dict[str, Row]:
    """What the ids stand for; all of them are entities."""
    if len(set(ids)) < len(ids):
        raise InputError("an entity cannot be merged with itself; name two")
    rows = await writing.run(statement("read/identity_ends"), {"tenant": tenant, "ids": list(ids)})
    found = {row["id"]: row for row in rows}
    for name in ids:
        if name not in found:
            raise NotFoundError(f"there is no entity {name!r}; GraphQL's `entities` lists those there are")
        labels = found[name]["labels"]
        if labels is not None and Label.ENTITY not in labels:
            raise ConflictError(f"{name!r} is a {labels[-1]}; only entities can be merged, never who speaks or a scene")
    return found
