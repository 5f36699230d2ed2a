"""Merging two entities into one, and taking a merge back exactly."""

from dataclasses import dataclass
from datetime import datetime

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.entity_resolution.kinship_merges import settle_roles
from graph_service.memory.entity_resolution.kinship_roles import REASON
from graph_service.memory.entity_resolution.merge_writer import join, part
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
    """Let one node of the map stand for two entities; each keeps itself and its facts as they were said.

    Raises:
        InputError: the reason is empty or too long, or the two are one.
        NotFoundError: the tenant has no such entity.
        ConflictError: they are no entities, belong to two users, or are merged already.
    """
    _check_reason(reason)

    async def steps(writing: Writing) -> Merged:
        ends = await _ends_of_one_user(writing, tenant, keep_id, merge_id)
        user_id = ends[keep_id]["user_id"]
        await _take(writing, tenant, user_id)
        # Read again: only now nobody else can change them.
        ends = await _ends(writing, tenant, keep_id, merge_id)
        keep, gone = (ends[name]["root_id"] or name for name in (keep_id, merge_id))
        if keep == gone:
            raise ConflictError(f"the entities {keep_id!r} and {merge_id!r} are one already; split them first")
        made, changes = await join(writing, tenant, keep, gone, reason, at=at)
        # Two who were called "my sister" may be one now, and so it is clear who is meant.
        changes += await settle_roles(writing, tenant, user_id, at=at)
        await append_changes(writing, tenant, user_id, changes, at=at)
        return Merged(id=made, kept=MemoryId(keep), merged=MemoryId(gone))

    return await graph.write(steps)


async def split_entity(graph: Graph, tenant: TenantId, entity_id: str, *, at: datetime) -> Merged:
    """Take back the merge of an entity: the graph is as if it had never been, with all that was learned since.

    Args:
        entity_id: the entity that was merged, or the id of the merge.

    Raises:
        NotFoundError: the tenant has no such entity or merge.
        ConflictError: the entity is not merged into another.
    """

    async def steps(writing: Writing) -> Merged:
        where = await writing.run(statement("entity_resolution/merge_by_id"), {"tenant": tenant, "id": entity_id})
        if not where:
            await _ends(writing, tenant, entity_id)
            raise ConflictError(f"the entity {entity_id!r} is not merged into another; there is nothing to split")
        user_id = where[0]["user_id"]
        await _take(writing, tenant, user_id)
        where = await writing.run(statement("entity_resolution/merge_by_id"), {"tenant": tenant, "id": entity_id})
        if not where:
            raise ConflictError(f"the merge of {entity_id!r} was taken back meanwhile; there is nothing to split")
        out, root, made = where[0]["id"], where[0]["root_id"], where[0]["merge_id"]
        changes = await part(writing, tenant, out, root, "split: the merge was taken back", at=at)
        if where[0]["reason"] == REASON:
            # Nobody merged them by hand; without this the next digest would again.
            await _keep_apart(writing, tenant, user_id, (out, root), "split by hand", at=at)
        changes += await settle_roles(writing, tenant, user_id, at=at)
        await append_changes(writing, tenant, user_id, changes, at=at)
        return Merged(id=MemoryId(made), kept=MemoryId(root), merged=MemoryId(out))

    return await graph.write(steps)


async def reject_merge(graph: Graph, tenant: TenantId, a_id: str, b_id: str, reason: str, *, at: datetime) -> MemoryId:
    """Remember that two entities are two: they are never suggested again, nor joined by what they are called.

    Raises:
        InputError: the reason is empty or too long, or the two are one.
        NotFoundError: the tenant has no such entity.
        ConflictError: they are no entities, belong to two users, or somebody merged them.
    """
    _check_reason(reason)

    async def steps(writing: Writing) -> MemoryId:
        ends = await _ends_of_one_user(writing, tenant, a_id, b_id)
        user_id = ends[a_id]["user_id"]
        await _take(writing, tenant, user_id)
        made = await _keep_apart(writing, tenant, user_id, (a_id, b_id), reason, at=at)
        changes = await settle_roles(writing, tenant, user_id, at=at)
        ends = await _ends(writing, tenant, a_id, b_id)
        if (ends[a_id]["root_id"] or a_id) == (ends[b_id]["root_id"] or b_id):
            raise ConflictError(f"the entities {a_id!r} and {b_id!r} were merged; split them first")
        await append_changes(writing, tenant, user_id, changes, at=at)
        return made

    return await graph.write(steps)


def _check_reason(reason: str) -> None:
    if not reason.strip() or len(reason) > LIMITS.name_chars:
        raise InputError(f"the reason {reason!r} must have 1 to {LIMITS.name_chars} characters; say why")


async def _keep_apart(
    writing: Writing, tenant: TenantId, user_id: str, pair: tuple[str, str], reason: str, *, at: datetime
) -> MemoryId:
    a_id, b_id = sorted(pair)
    made = memory_id(f"{user_uri(tenant, user_id)}/apart/{a_id}/{b_id}")
    properties = {"user_id": user_id, "a_id": a_id, "b_id": b_id, "reason": reason, "at": at}
    await writing.run(
        statement("entity_resolution/reject_merge"), {"tenant": tenant, "id": made, "properties": properties}
    )
    return made


async def _take(writing: Writing, tenant: TenantId, user_id: str) -> None:
    user = memory_id(user_uri(tenant, user_id))
    await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})


async def _ends_of_one_user(writing: Writing, tenant: TenantId, one: str, other: str) -> dict[str, Row]:
    ends = await _ends(writing, tenant, one, other)
    if ends[one]["user_id"] != ends[other]["user_id"]:
        raise ConflictError("the two entities belong to the memories of two users; name two of one user")
    return ends


async def _ends(writing: Writing, tenant: TenantId, *ids: str) -> dict[str, Row]:
    """Return what the ids stand for; all of them are entities."""
    if len(set(ids)) < len(ids):
        raise InputError("an entity is one with itself; name two")
    rows = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": list(ids)})
    found = {row["id"]: row for row in rows}
    for name in ids:
        if name not in found:
            raise NotFoundError(f"there is no entity {name!r}; GraphQL's `entities` lists those there are")
        labels = found[name]["labels"]
        if labels is not None and Label.ENTITY not in labels:
            raise ConflictError(f"{name!r} is a {labels[-1]}; only entities can be merged, never who speaks or a scene")
    return found
