"""Forgetting what was learned: a fact that is wrong, or an entity; what was said stays, and does not teach it again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.entity_resolution.projection_writer import members_of
from graph_service.memory.forgetting.impact import facts_at
from graph_service.memory.forgetting.names_said import names_said
from graph_service.memory.tombstones import TombstoneKey, TombstoneKind, entity_tombstone_ids, fact_tombstone_ids
from schema.errors import NotFoundError
from schema.ids import TenantId, UserId, memory_id, user_uri
from schema.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Something that was learned and is to be forgotten.

    Attributes:
        facts: ids of the facts as they were said; entities: ids of the entities.
        scenes: ids of the scenes it was learned from.
        names: of the entity; or of both ends of the fact, in every spelling.
    """

    user_id: UserId
    scenes: frozenset[str]
    facts: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    names: Sequence[frozenset[str]] = ()
    predicate: str = ""
    relation: str | None = None

    def tombstones(self, tenant: TenantId, key: TombstoneKey, at_ms: int) -> list[dict[str, Any]]:
        """Return the marks that keep it from being learned again."""
        salt, user = key.salt, key.user_key(self.user_id)
        node_id = memory_id(user_uri(tenant, self.user_id))
        if self.facts:
            kind, marks = (
                TombstoneKind.FACT,
                fact_tombstone_ids(salt, user, self.names[0], self.predicate, self.relation, self.names[1]),
            )
        else:
            kind, marks = TombstoneKind.ENTITY, entity_tombstone_ids(salt, user, self.names[0])
        return [{"id": mark, "kind": kind.value, "user_node_id": node_id, "at_ms": at_ms} for mark in sorted(marks)]


async def find_fact(writing: Writing, tenant: TenantId, fact_id: str) -> Learned:
    """Return the fact that an edge of the map shows; of merged entities all that it follows from.

    Raises:
        NotFoundError: the tenant has no such fact.
    """
    rows = await writing.run(statement("lookup/fact_by_id"), {"tenant": tenant, "id": fact_id})
    if not rows or rows[0]["predicate"] == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r}; perhaps it was forgotten before")
    row = rows[0]
    members = await _members(writing, tenant, (row["source"]["id"], row["target"]["id"]))
    subjects, objects = members[row["source"]["id"]], members[row["target"]["id"]]
    side = objects if Label.ENTITY in row["target_labels"] else subjects
    told = [
        one
        for one in await facts_at(writing, tenant, side)
        if one["predicate"] == row["predicate"]
        and one["properties"].get("relation") == row["edge"]["relation"]
        and one["subject_id"] in subjects
        and one["object_id"] in objects
    ]
    return Learned(
        user_id=UserId(row["edge"]["user_id"]),
        facts=frozenset(one["properties"]["id"] for one in told),
        scenes=frozenset(scene for one in told for scene in one["properties"]["scenes"]),
        names=[
            await _side(writing, tenant, row["source"]["id"], row["source_labels"]),
            await _side(writing, tenant, row["target"]["id"], row["target_labels"]),
        ],
        predicate=row["predicate"],
        relation=row["edge"]["relation"],
    )


async def find_entity(writing: Writing, tenant: TenantId, entity_id: str) -> Learned:
    """Return an entity, with all that it stands for; or one that was merged into another, alone.

    Raises:
        NotFoundError: the tenant has no such entity.
    """
    ends = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": [entity_id]})
    labels = ends[0]["labels"] if ends else ()
    if not ends or (labels is not None and Label.ENTITY not in labels):
        raise NotFoundError(f"there is no entity {entity_id!r}; GraphQL's `entities` lists those there are")
    members = (await _members(writing, tenant, [entity_id]))[entity_id]
    parameters = {"tenant": tenant, "ids": sorted(members), "without": [], "evidence_max": 0}
    rows = await writing.run(statement("forgetting/remaining_support"), parameters)
    return Learned(
        user_id=UserId(ends[0]["user_id"]),
        entities=frozenset(members),
        scenes=frozenset(scene for row in rows for scene in row["scenes"]),
        names=[frozenset(name for row in rows for name in _names_of(row["properties"]))],
    )


async def _members(writing: Writing, tenant: TenantId, ids: Sequence[str]) -> dict[str, set[str]]:
    """Return what each node of the map stands for; itself, when it is not merged."""
    found = (await members_of(writing, tenant, ids)).of
    return {name: {one["id"] for one in found.get(name, ())} | {name} for name in ids}


async def _side(writing: Writing, tenant: TenantId, node_id: str, labels: Collection[str]) -> frozenset[str]:
    """Return one end of a fact in all its spellings."""
    if Label.ENTITY not in labels:
        return frozenset((THE_USER if Label.USER in labels else THE_AGENT,))
    rows = await writing.run(statement("lookup/node_by_id"), {"tenant": tenant, "id": node_id})
    return frozenset(form for name in _names_of(rows[0]["node"]) for form in all_forms(name))


def _names_of(properties: Mapping[str, Any]) -> list[str]:
    return [properties["name"], *(properties.get("aliases") or ())]


# Names that the user told go with the words that told them, and others who said them may have meant somebody else.


async def forget_own_names(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    messages: Sequence[Row],
    learned: Iterable[frozenset[str]],
) -> set[str]:
    """Take from the user what forgotten messages, or what must not be learned again, may have told of their names.

    What is left tells the names anew when it is read again.

    Args:
        learned: spellings of what must not be learned again.

    Returns:
        Ids of the scenes in which such a name is said; they must be read again without what was read from them.
    """
    user = {"tenant": tenant, "user_node_id": memory_id(user_uri(tenant, user_id))}
    rows = await writing.run(statement("forgetting/user_aliases"), user)
    if not rows:
        return set()
    aliases, called, since = rows[0]["aliases"], rows[0]["called"], rows[0]["called_since"]
    texts, spelled = [row["text"] for row in messages], frozenset[str]().union(*learned)
    gone = names_said(called, texts)
    gone |= {name for name in called if not spelled.isdisjoint({name, *all_forms(name)})}
    if not gone:
        return set()
    left = [(name, at) for name, at in zip(called, since, strict=True) if name not in gone]
    names = {
        "aliases": [name for name in aliases if name not in gone],
        "called": [name for name, _ in left] or None,
        "called_since": [at for _, at in left] or None,
    }
    await writing.run(statement("forgetting/set_user_aliases"), {**user, "names": names})
    saying = {"tenant": tenant, "user_id": user_id, "names": sorted(name.lower() for name in gone)}
    found = await writing.run(statement("forgetting/scenes_naming"), saying)
    return {row["id"] for row in found}
