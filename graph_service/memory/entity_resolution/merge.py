"""Merge entities, split them again, reject suggested merges, and store the node and edges that viewers see for them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from extraction.entities.kinship_terms import tie, tie_words
from graph_service.graph.rows import from_row
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.change_log.log import append_changes, edge_change, node_change
from graph_service.memory.entity_resolution.kinship_roles import KINSHIP_MERGE_REASON, Relative, plan_kinship_merges
from graph_service.memory.entity_resolution.merged_projection import (
    projected_edges,
    root_properties,
    without_bookkeeping,
)
from graph_service.memory.facts.stored import enqueue_embedding, sessions_to_embed
from schema.change import Change, Op
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import MemoryId, TenantId, memory_id, to_element_id, user_uri
from schema.labels import Label
from schema.limits import LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeWriter:
    """Changes the merged entities of a tenant in one transaction.

    Attributes:
        writing: the transaction; it holds the lock on the memory of the user that the entities belong to.
        at: when the changes are recorded.
    """

    writing: Writing
    tenant: TenantId
    at: datetime

    async def edges_of(self, ids: Iterable[str]) -> dict[str, Row]:
        """Return the edges with an end among the nodes, by edge id."""
        rows = await self._run(statement("lookup/edges_of_nodes"), ids=sorted(ids))
        return {row["properties"]["id"]: {**row, "properties": without_bookkeeping(row["properties"])} for row in rows}

    async def merge(self, kept_id: str, merged_id: str, reason: str) -> tuple[MemoryId, list[Change]]:
        """Merge one node into another; return the id of the merge and the changes for viewers.

        Args:
            kept_id, merged_id: two unmerged entities of one user.
        """
        pair = sorted((kept_id, merged_id))
        before = await self.edges_of(pair)
        await self._run(statement("entity_resolution/detach_entities"), ids=pair)
        await self._run(statement("entity_resolution/detach_facts"), ids=pair)
        members = (await load_members(self.writing, self.tenant, [merged_id]))[merged_id]
        merged_uri = next(member["uri"] for member in members if member["id"] == merged_id)
        merge_id = memory_id(f"{merged_uri}/merged-into/{kept_id}")
        merge = {"parent_id": kept_id, "merge_id": merge_id, "reason": reason, "at": self.at}
        rows = [
            {"id": member["id"], "root_id": kept_id, **(merge if member["id"] == merged_id else _merge_fields(member))}
            for member in members
        ]
        await self._run(statement("entity_resolution/set_merge_root"), rows=rows)
        await self._run(statement("forgetting/delete_nodes"), ids=[merged_id])
        nodes = await self.project([kept_id])
        after = await self.edges_of([kept_id])
        reason = f"merged: {reason}"
        changes = [*(node_change(node, Label.ENTITY, reason) for node in nodes), *edge_changes(before, after, reason)]
        return merge_id, [*changes, Change(op=Op.NODE_DROP, element_id=MemoryId(merged_id), body={}, reason=reason)]

    async def split(self, split_id: str, root_id: str, reason: str) -> list[Change]:
        """Undo one merge: split an entity, with those merged into it, off its root; return the changes for viewers.

        Args:
            split_id: the entity to split off.
            root_id: the node that represents it now.
            reason: for people.
        """
        members = (await load_members(self.writing, self.tenant, [root_id]))[root_id]
        split_ids = _merge_subtree(split_id, members)
        sides = {
            root_id: [member for member in members if member["id"] not in split_ids],
            split_id: [member for member in members if member["id"] in split_ids],
        }
        facts = await self._facts_of(member["id"] for member in members)
        others = {fact[end] for fact in facts for end in ("subject_root", "object_root")} - {root_id}
        other_roots = set(await load_members(self.writing, self.tenant, others))
        touched = sorted({root_id, split_id} | other_roots)
        before = await self.edges_of(touched)
        projected = sorted(name for name, row in before.items() if row["properties"].get("merged"))
        await self._run(statement("facts/delete_edges"), ids=projected)
        unmerged = sorted(side for side, side_members in sides.items() if len(side_members) == 1)
        still_merged = sorted(set(sides) - set(unmerged))
        split_node = {"id": split_id, "properties": {"tenant": self.tenant, "id": split_id}}
        await self._run(statement("entity_resolution/put_projected_nodes"), rows=[split_node])
        rows = [
            {"id": member["id"], "root_id": side, **(_NO_MERGE if member["id"] == split_id else _merge_fields(member))}
            for side in still_merged
            for member in sides[side]
        ]
        await self._run(statement("entity_resolution/set_merge_root"), rows=sorted(rows, key=_id))
        await self._run(statement("entity_resolution/restore_entities"), ids=unmerged)
        unmerged_facts = _unmerged_facts(facts, {*unmerged}, other_roots, members)
        restored = await self._run(statement("entity_resolution/restore_facts"), rows=unmerged_facts)
        await enqueue_embedding(self.writing, self.tenant, sessions_to_embed(restored), at=self.at)
        nodes = await self.project([*still_merged, *sorted(other_roots)])
        after = await self.edges_of(touched)
        shown = {node["id"]: node for node in nodes} | {
            member["id"]: member for side in unmerged for member in sides[side] if member["id"] == side
        }
        return [
            *(node_change(shown[name], Label.ENTITY, reason) for name in sorted(shown)),
            *edge_changes(before, after, reason),
        ]

    async def put_member_rows(
        self, entities: Sequence[dict[str, Any]], facts: Sequence[dict[str, Any]]
    ) -> list[Change]:
        """Store new properties and facts of merged entities, update their roots, and return the changes for viewers."""
        named_ids = sorted(
            {row["id"] for row in entities} | {end for row in facts for end in (row["subject_id"], row["object_id"])}
        )
        if not named_ids:
            return []
        ends = await self._run(statement("lookup/resolve_ids"), ids=named_ids)
        roots = sorted({row["root_id"] for row in ends if row["root_id"]})
        before = await self.edges_of(roots)
        await self._run(statement("entity_resolution/put_member_entities"), rows=list(entities))
        await self._run(statement("entity_resolution/put_member_facts"), rows=list(facts))
        nodes = await self.project(roots)
        reason = "said of a merged entity"
        edges = edge_changes(before, await self.edges_of(roots), reason)
        return [*(node_change(node, Label.ENTITY, reason) for node in nodes), *edges]

    async def project(self, roots: Iterable[str]) -> list[Mapping[str, Any]]:
        """Store one node for each root, and edges derived from the facts of the entities merged into it.

        Roots without other members are skipped.

        Returns:
            The properties of the stored nodes.
        """
        members = await load_members(self.writing, self.tenant, roots)
        if not members:
            return []
        nodes: list[Mapping[str, Any]] = [root_properties(root, members[root]) for root in sorted(members)]
        node_rows = [{"id": node["id"], "properties": node} for node in nodes]
        await self._run(statement("entity_resolution/put_projected_nodes"), rows=node_rows)
        facts = await self._facts_of(member["id"] for root_members in members.values() for member in root_members)
        other_roots = {fact[end] for fact in facts for end in ("subject_root", "object_root")} - set(members)
        uris = {node["id"]: node["uri"] for node in nodes}
        uris |= {
            root: next(member["uri"] for member in root_members if member["id"] == root)
            for root, root_members in (await load_members(self.writing, self.tenant, other_roots)).items()
        }
        rows = projected_edges(facts, uris)
        stored = await self.edges_of(members)
        new_ids = {row["id"] for row in rows}
        stale = sorted(name for name, row in stored.items() if row["properties"].get("merged") and name not in new_ids)
        if stale:
            await self._run(statement("facts/delete_edges"), ids=stale)
        changed = [
            row for row in rows if row["id"] not in stored or stored[row["id"]]["properties"] != row["properties"]
        ]
        if changed:
            written = await self._run(statement("entity_resolution/put_projected_facts"), rows=changed)
            await enqueue_embedding(self.writing, self.tenant, sessions_to_embed(written), at=self.at)
        return nodes

    async def update_kinship(self, user_id: str) -> list[Change]:
        """Merge and split kinship roles ("my sister") by the user's current facts; return the changes for viewers."""
        user_node_id = memory_id(user_uri(self.tenant, user_id))
        rows = await self._run(
            statement("entity_resolution/kinship_facts"), user_node_id=user_node_id, words=tie_words()
        )
        relatives = [from_row(Relative, row, root_id=row["root_id"] or row["id"]) for row in rows]
        if not any(one.kinship_name for one in relatives):
            return []
        # Pairs of entities that a person declared different.
        rejected = {
            frozenset((row["a_id"], row["b_id"]))
            for row in await self._run(statement("entity_resolution/rejected_merges"), users=[user_id])
        }
        changes: list[Change] = []
        for action in plan_kinship_merges(relatives, rejected):
            if action.merge:
                _, merge_changes = await self.merge(action.root_id, action.role_id, KINSHIP_MERGE_REASON)
                changes += merge_changes
            else:
                changes += await self.split(action.role_id, action.root_id, "somebody else may be meant")
        return changes

    async def _facts_of(self, ids: Iterable[str]) -> list[Row]:
        """Return the stored facts of merged entities, by entity ids."""
        return await self._run(statement("entity_resolution/member_facts"), ids=sorted(ids))

    async def _run(self, chosen: Statement, **parameters: object) -> list[Row]:
        return await self.writing.run(chosen, {"tenant": self.tenant, **parameters})


async def load_members(writing: Writing, tenant: TenantId, roots: Iterable[str]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the properties of the entities merged into each root, itself included; unmerged nodes are left out."""
    rows = await writing.run(statement("entity_resolution/member_entities"), {"tenant": tenant, "roots": sorted(roots)})
    members: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        members.setdefault(row["root_id"], []).append(row["properties"])
    return members


def affects_kinship(facts: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether any of the facts can change the referent of a kinship role.

    Args:
        facts: rows of `facts/put_facts`.
    """
    return any(row["predicate"] == "RELATES_TO" and tie(row["properties"].get("relation") or "") for row in facts)


def edge_changes(before: Mapping[str, Row], after: Mapping[str, Row], reason: str) -> list[Change]:
    """Return the changes between two states of edges by id: removed edges first, then new and changed ones."""
    dropped = [
        Change(op=Op.EDGE_DROP, element_id=MemoryId(name), body={}, reason=reason)
        for name in sorted(before)
        if name not in after
    ]
    put = [
        edge_change(after[name], reason) for name in sorted(after) if name not in before or before[name] != after[name]
    ]
    return [*dropped, *put]


_NO_MERGE: Mapping[str, Any] = {"parent_id": None, "merge_id": None, "reason": None, "at": None}


def _unmerged_facts(
    facts: Iterable[Row], unmerged: set[str], other_roots: set[str], members: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the facts with both ends no longer merged, as rows of `entity_resolution/restore_facts`."""
    still_merged = {member["id"] for member in members} - unmerged
    rows = [
        {"id": fact["properties"]["id"], "subject_id": fact["subject_id"], "object_id": fact["object_id"]}
        for fact in facts
        if not {fact["subject_id"], fact["object_id"]} & still_merged
        and not {fact["subject_root"], fact["object_root"]} & other_roots
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
