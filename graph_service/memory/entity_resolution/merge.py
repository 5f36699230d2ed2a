"""Merge two entities, split them again, or reject a suggested merge."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.entity_resolution.kinship_roles import KINSHIP_MERGE_REASON
from graph_service.memory.entity_resolution.merge_writer import MergeWriter
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import MemoryId, TenantId, memory_id, to_element_id, user_uri
from schema.labels import Label
from schema.limits import LIMITS

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeResult:
    """The result of a merge or split.

    Attributes:
        id: id of the merge, for splitEntity.
        kept: the entity that represents both while they are merged.
        merged: the entity that was merged into it.
    """

    id: MemoryId
    kept: MemoryId
    merged: MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMerge:
    """A merge that a person made, until it is undone.

    Attributes:
        reason: the reason, as free text.
        at: when it was made.
    """

    result: MergeResult
    kept_name: str
    merged_name: str
    reason: str
    at: datetime


class Merges:
    """Merge and split the entities of a user, and record which are different.

    All methods raise UnavailableError if Neo4j does not answer.

    Args:
        notify: called with the tenant after each change.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify

    async def of_user(self, tenant: TenantId, user_id: str, *, limit: int = 50) -> list[StoredMerge]:
        """Return the merges that people made in one user's memory and that were not undone, latest first."""
        check_ids(userId=user_id)
        check_limit(limit)
        parameters = {"tenant": tenant, "user_id": user_id, "automatic": KINSHIP_MERGE_REASON, "rows_max": limit}
        return [
            from_row(
                StoredMerge,
                row,
                result=MergeResult(id=row["merge_id"], kept=row["kept_id"], merged=row["merged_id"]),
            )
            for row in await self._graph.read(statement("curation/merges_of_user"), parameters)
        ]

    async def merge(self, tenant: TenantId, keep_id: str, merge_id: str, reason: str) -> MergeResult:
        """Merge one entity into another. Both keep their own facts, so that the merge can be undone.

        Raises:
            InputError: the reason is empty or too long, or both ids are the same.
            NotFoundError: the tenant has no such entity.
            ConflictError: an id is not an entity's, they belong to different users, or they are merged already.
        """
        _check_reason(reason)
        at = self._clock()

        async def steps(writing: Writing) -> MergeResult:
            entities = await _entities_of_one_user(writing, tenant, keep_id, merge_id)
            user_id = entities[keep_id]["user_id"]
            await _lock_memory(writing, tenant, user_id)
            # Read again under the lock.
            entities = await _entities(writing, tenant, keep_id, merge_id)
            kept_id, merged_id = (entities[name]["root_id"] or name for name in (keep_id, merge_id))
            if kept_id == merged_id:
                raise ConflictError(f"the entities {keep_id!r} and {merge_id!r} are already merged; split them first")
            merging = MergeWriter(writing=writing, tenant=tenant, at=at)
            new_merge_id, changes = await merging.merge(kept_id, merged_id, reason)
            # Two candidates for "my sister" may have become one, which makes the role unambiguous.
            changes += await merging.update_kinship(user_id)
            await append_changes(writing, tenant, user_id, changes, at=at)
            return MergeResult(id=new_merge_id, kept=MemoryId(kept_id), merged=MemoryId(merged_id))

        return await self._write(tenant, steps)

    async def split(self, tenant: TenantId, entity_id: str) -> MergeResult:
        """Undo the merge of an entity; facts stored since then stay with the member that they refer to.

        Args:
            entity_id: the merged entity, or the id of the merge.

        Raises:
            NotFoundError: the tenant has no such entity or merge.
            ConflictError: the entity is not merged.
        """
        at, entity_id = self._clock(), to_element_id(entity_id)

        async def steps(writing: Writing) -> MergeResult:
            merges = await writing.run(statement("entity_resolution/merge_by_id"), {"tenant": tenant, "id": entity_id})
            if not merges:
                await _entities(writing, tenant, entity_id)
                raise ConflictError(f"the entity {entity_id!r} is not merged into another; there is nothing to split")
            user_id = merges[0]["user_id"]
            await _lock_memory(writing, tenant, user_id)
            merges = await writing.run(statement("entity_resolution/merge_by_id"), {"tenant": tenant, "id": entity_id})
            if not merges:
                raise ConflictError(
                    f"the merge of {entity_id!r} was undone by another request; there is nothing to split"
                )
            split_id, root, merge_id = merges[0]["id"], merges[0]["root_id"], merges[0]["merge_id"]
            merging = MergeWriter(writing=writing, tenant=tenant, at=at)
            changes = await merging.split(split_id, root, "split: the merge was taken back")
            if merges[0]["reason"] == KINSHIP_MERGE_REASON:
                # An automatic merge: without a rejection the next digest would repeat it.
                await _store_rejection(writing, tenant, user_id, (split_id, root), "split by hand", at=at)
            changes += await merging.update_kinship(user_id)
            await append_changes(writing, tenant, user_id, changes, at=at)
            return MergeResult(id=MemoryId(merge_id), kept=MemoryId(root), merged=MemoryId(split_id))

        return await self._write(tenant, steps)

    async def reject(self, tenant: TenantId, a_id: str, b_id: str, reason: str) -> MemoryId:
        """Record that two entities are different: they are neither suggested nor merged automatically again.

        Raises:
            InputError: the reason is empty or too long, or both ids are the same.
            NotFoundError: the tenant has no such entity.
            ConflictError: an id is not an entity's, they belong to different users, or a person merged them.
        """
        _check_reason(reason)
        at = self._clock()

        async def steps(writing: Writing) -> MemoryId:
            entities = await _entities_of_one_user(writing, tenant, a_id, b_id)
            user_id = entities[a_id]["user_id"]
            await _lock_memory(writing, tenant, user_id)
            rejection_id = await _store_rejection(writing, tenant, user_id, (a_id, b_id), reason, at=at)
            changes = await MergeWriter(writing=writing, tenant=tenant, at=at).update_kinship(user_id)
            entities = await _entities(writing, tenant, a_id, b_id)
            if (entities[a_id]["root_id"] or a_id) == (entities[b_id]["root_id"] or b_id):
                raise ConflictError(f"the entities {a_id!r} and {b_id!r} were merged; split them first")
            await append_changes(writing, tenant, user_id, changes, at=at)
            return rejection_id

        return await self._write(tenant, steps)

    async def allow(self, tenant: TenantId, rejection_id: str) -> None:
        """Undo `reject`, by the id that it returned: the pair may be suggested again.

        Raises:
            NotFoundError: the tenant has no such rejection; perhaps it was undone before.
        """
        check_ids(rejectionId=rejection_id)
        at = self._clock()

        async def steps(writing: Writing) -> None:
            rows = await writing.run(statement("entity_resolution/allow_merge"), {"tenant": tenant, "id": rejection_id})
            if not rows:
                raise NotFoundError(f"there is no rejected merge {rejection_id!r}; perhaps it was undone before")
            user_id = rows[0]["user_id"]
            await _lock_memory(writing, tenant, user_id)
            changes = await MergeWriter(writing=writing, tenant=tenant, at=at).update_kinship(user_id)
            await append_changes(writing, tenant, user_id, changes, at=at)

        await self._write(tenant, steps)

    async def _write(self, tenant: TenantId, steps: Callable[[Writing], Awaitable[T]]) -> T:
        done = await self._graph.write(steps)
        self._notify(tenant)
        return done


def _check_reason(reason: str) -> None:
    if not reason.strip() or len(reason) > LIMITS.name_chars:
        raise InputError(f"the reason {reason!r} must have 1 to {LIMITS.name_chars} characters; give a reason")


async def _store_rejection(
    writing: Writing, tenant: TenantId, user_id: str, pair: tuple[str, str], reason: str, *, at: datetime
) -> MemoryId:
    a_id, b_id = sorted(pair)
    rejection_id = memory_id(f"{user_uri(tenant, user_id)}/apart/{a_id}/{b_id}")
    properties = {"user_id": user_id, "a_id": a_id, "b_id": b_id, "reason": reason, "at": at}
    await writing.run(
        statement("entity_resolution/reject_merge"), {"tenant": tenant, "id": rejection_id, "properties": properties}
    )
    return rejection_id


async def _lock_memory(writing: Writing, tenant: TenantId, user_id: str) -> None:
    user = memory_id(user_uri(tenant, user_id))
    await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})


async def _entities_of_one_user(writing: Writing, tenant: TenantId, one: str, other: str) -> dict[str, Row]:
    entities = await _entities(writing, tenant, one, other)
    if entities[one]["user_id"] != entities[other]["user_id"]:
        raise ConflictError("the two entities belong to different users; choose two of the same user")
    return entities


async def _entities(writing: Writing, tenant: TenantId, *ids: str) -> dict[str, Row]:
    """Return rows of `lookup/resolve_ids` by id; raise unless every id is a different entity."""
    if len(set(ids)) < len(ids):
        raise InputError("an entity cannot be merged with itself; choose two entities")
    rows = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": list(ids)})
    found = {row["id"]: row for row in rows}
    for name in ids:
        if name not in found:
            raise NotFoundError(f"there is no entity {name!r}; GraphQL's `entities` lists them")
        labels = found[name]["labels"]
        if labels is not None and Label.ENTITY not in labels:
            raise ConflictError(f"{name!r} is a {labels[-1]}; only entities can be merged, not speakers or scenes")
    return found
