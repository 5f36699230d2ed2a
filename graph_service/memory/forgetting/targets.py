"""Find the fact or entity that is to be forgotten, with the corrections by people that state nothing else."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.entity_resolution.merge import load_members
from graph_service.memory.facts.stored import fact_by_id
from graph_service.memory.forgetting.plan import scenes_of
from graph_service.memory.tombstones import TombstoneKey, TombstoneKind, entity_tombstone_ids, fact_tombstone_ids
from schema.assertion import CorrectionKind, parse_assertion
from schema.entity import stored_names
from schema.errors import NotFoundError
from schema.ids import TenantId, UserId, memory_id, to_element_id, user_uri
from schema.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTarget:
    """The facts or entities to forget.

    Attributes:
        scenes: ids of the scenes they were extracted from.
        lost: rows of the facts that are deleted, themselves or with their entity.
        names: sets of spellings: one for an entity; two, of subject and object, for a fact.
    """

    user_id: UserId
    scenes: frozenset[str]
    facts: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    lost: Sequence[Row] = ()
    names: Sequence[frozenset[str]] = ()
    predicate: str = ""
    relation: str | None = None

    def tombstones(self, tenant: TenantId, key: TombstoneKey, at_ms: int) -> list[dict[str, Any]]:
        """Return the tombstones that prevent extracting them again, as rows of `tombstones/put_tombstones`."""
        salt, user_key = key.salt, key.user_key(self.user_id)
        node_id = memory_id(user_uri(tenant, self.user_id))
        if self.facts:
            kind, ids = (
                TombstoneKind.FACT,
                fact_tombstone_ids(salt, user_key, self.names[0], self.predicate, self.relation, self.names[1]),
            )
        else:
            kind, ids = TombstoneKind.ENTITY, entity_tombstone_ids(salt, user_key, self.names[0])
        return [{"id": one, "kind": kind.value, "user_node_id": node_id, "at_ms": at_ms} for one in sorted(ids)]


async def find_fact(writing: Writing, tenant: TenantId, fact_id: str) -> ForgetTarget:
    """Return the fact to forget; if an end is merged, all member facts that its edge is derived from.

    Raises:
        NotFoundError: the tenant has no such fact.
    """
    found = await fact_by_id(writing.run, tenant, fact_id)
    if found is None or found.fact.predicate == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r}; perhaps it was forgotten before")
    claim = found.fact.claim
    members = await _members(writing, tenant, (claim.subject_id, claim.object_id))
    subjects, objects = members[claim.subject_id], members[claim.object_id]
    entity_ids = objects if Label.ENTITY in found.object.labels else subjects
    stored = [
        fact
        for fact in await load_facts_of(writing, tenant, entity_ids)
        if fact["predicate"] == claim.predicate
        and fact["properties"].get("relation") == claim.relation
        and fact["subject_id"] in subjects
        and fact["object_id"] in objects
    ]
    return ForgetTarget(
        user_id=found.user_id,
        facts=frozenset(fact["properties"]["id"] for fact in stored),
        scenes=frozenset(scene for fact in stored for scene in fact["properties"]["scenes"]),
        lost=stored,
        names=[
            await _names_of_end(writing, tenant, claim.subject_id, found.subject.labels),
            await _names_of_end(writing, tenant, claim.object_id, found.object.labels),
        ],
        predicate=claim.predicate,
        relation=claim.relation,
    )


async def find_entity(writing: Writing, tenant: TenantId, entity_id: str) -> ForgetTarget:
    """Return the entity to forget, with those merged into it; a member of a merged entity is returned alone.

    Raises:
        NotFoundError: the tenant has no such entity.
    """
    entity_id = to_element_id(entity_id)
    resolved = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": [entity_id]})
    labels = resolved[0]["labels"] if resolved else ()
    if not resolved or (labels is not None and Label.ENTITY not in labels):
        raise NotFoundError(f"there is no entity {entity_id!r}; GraphQL's `entities` lists them")
    members = (await _members(writing, tenant, [entity_id]))[entity_id]
    parameters = {"tenant": tenant, "ids": sorted(members), "without": [], "evidence_max": 0}
    rows = await writing.run(statement("forgetting/remaining_support"), parameters)
    return ForgetTarget(
        user_id=UserId(resolved[0]["user_id"]),
        entities=frozenset(members),
        lost=[one for one in await load_facts_of(writing, tenant, members) if one["predicate"] != "MENTIONED"],
        scenes=frozenset(scene for row in rows for scene in row["scenes"]),
        names=[frozenset(name for row in rows for name in stored_names(row["properties"]))],
    )


async def with_corrections(
    writing: Writing, tenant: TenantId, target: ForgetTarget
) -> tuple[list[ForgetTarget], list[str]]:
    """Return what is forgotten with a target, itself first, and the ids of the corrections to delete.

    A correction repeats in words what it states, so it is deleted if it states nothing but what is forgotten. What it
    had rejected is forgotten as well: it must not hold again because the correction is gone.
    """
    targets, facts, lost = [target], {row["properties"]["id"] for row in target.lost}, list(target.lost)
    while True:
        parameters = {"tenant": tenant, "user_id": target.user_id, "ids": sorted(scenes_of(lost))}
        acts: dict[str, tuple[set[str], set[str]]] = {}
        merged = set[str]()
        for row in await writing.run(statement("facts/facts_of_scenes"), parameters):
            name = row["properties"]["id"]
            merged |= {name} if "subject_id" in row["properties"] else set()
            for one in map(parse_assertion, row["properties"].get("assertions") or ()):
                if one.correction is not None:
                    acts.setdefault(one.message_id, (set(), set()))[one.correction is CorrectionKind.REJECTS].add(name)
        gone = {
            message: rejected - facts
            for message, (said, rejected) in acts.items()
            if said <= facts and not facts.isdisjoint(said | rejected) and not (rejected - facts) & merged
        }
        more = sorted(set().union(*gone.values()))
        if not more:
            return targets, sorted(gone)
        found = [await find_fact(writing, tenant, name) for name in more]
        targets += found
        lost += [row for one in found for row in one.lost]
        facts |= {row["properties"]["id"] for row in lost}


def joined(targets: Sequence[ForgetTarget]) -> ForgetTarget:
    """Return several targets of one user as one, whose tombstones are those of each."""
    return replace(
        targets[0],
        facts=frozenset().union(*(one.facts for one in targets)),
        scenes=frozenset().union(*(one.scenes for one in targets)),
        names=[names for one in targets for names in one.names],
    )


async def load_facts_of(writing: Writing, tenant: TenantId, ids: Collection[str]) -> list[Row]:
    """Return the stored facts and mentions of entities; for merged entities those of the members, not derived ones."""
    parameters = {"tenant": tenant, "ids": sorted(ids)}
    edges = await writing.run(statement("lookup/edges_of_nodes"), parameters)
    member_facts = await writing.run(statement("entity_resolution/member_facts"), parameters)
    return [*(row for row in edges if not row["properties"].get("merged")), *member_facts]


async def _members(writing: Writing, tenant: TenantId, ids: Sequence[str]) -> dict[str, set[str]]:
    """Return the ids of the entities merged into each node, its own included."""
    found = await load_members(writing, tenant, ids)
    return {name: {member["id"] for member in found.get(name, ())} | {name} for name in ids}


async def _names_of_end(writing: Writing, tenant: TenantId, node_id: str, labels: Collection[str]) -> frozenset[str]:
    """Return every spelling of one end of a fact."""
    if Label.ENTITY not in labels:
        return frozenset((THE_USER if Label.USER in labels else THE_AGENT,))
    rows = await writing.run(statement("lookup/node_by_id"), {"tenant": tenant, "id": node_id})
    return frozenset(form for name in stored_names(rows[0]["node"]) for form in all_forms(name))
