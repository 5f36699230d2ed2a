"""Find the elements to delete and the tombstones to store to forget a fact, an entity or names of the user.

Messages stay; tombstones prevent the same fact or entity from being extracted from them again.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.entity_resolution.merge_writer import load_members
from graph_service.memory.facts.stored import fact_by_id
from graph_service.memory.forgetting.commit import load_facts_of
from graph_service.memory.forgetting.plan import names_mentioned
from graph_service.memory.tombstones import TombstoneKey, TombstoneKind, entity_tombstone_ids, fact_tombstone_ids
from schema.entity import stored_names
from schema.errors import NotFoundError
from schema.ids import TenantId, UserId, memory_id, to_element_id, user_uri
from schema.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTarget:
    """The facts or entities to forget.

    Attributes:
        scenes: ids of the scenes they were extracted from.
        names: sets of spellings: one for an entity; two, of subject and object, for a fact.
    """

    user_id: UserId
    scenes: frozenset[str]
    facts: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
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
        scenes=frozenset(scene for row in rows for scene in row["scenes"]),
        names=[frozenset(name for row in rows for name in stored_names(row["properties"]))],
    )


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


async def forget_own_names(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    messages: Sequence[Row],
    forbidden_names: Iterable[frozenset[str]],
) -> set[str]:
    """Remove self-declared names of the user that a forgotten message contains or that are forbidden.

    Names that remaining messages declare are stored again when these are extracted again.

    Args:
        forbidden_names: spellings that must not be stored again.

    Returns:
        Ids of the scenes that contain a removed name; they must be cleared and extracted again, since the name may
        refer to somebody else there.
    """
    user = {"tenant": tenant, "user_node_id": memory_id(user_uri(tenant, user_id))}
    rows = await writing.run(statement("forgetting/user_aliases"), user)
    if not rows:
        return set()
    aliases, self_names, since = rows[0]["aliases"], rows[0]["declared_names"], rows[0]["declared_since"]
    texts, forbidden = [row["text"] for row in messages], frozenset[str]().union(*forbidden_names)
    removed = names_mentioned(self_names, texts)
    removed |= {name for name in self_names if not forbidden.isdisjoint({name, *all_forms(name)})}
    if not removed:
        return set()
    remaining = [(name, at) for name, at in zip(self_names, since, strict=True) if name not in removed]
    names = {
        "aliases": [name for name in aliases if name not in removed],
        "declared_names": [name for name, _ in remaining] or None,
        "declared_since": [at for _, at in remaining] or None,
    }
    await writing.run(statement("forgetting/set_user_aliases"), {**user, "names": names})
    parameters = {"tenant": tenant, "user_id": user_id, "names": sorted(name.lower() for name in removed)}
    found = await writing.run(statement("forgetting/scenes_naming"), parameters)
    return {row["id"] for row in found}
