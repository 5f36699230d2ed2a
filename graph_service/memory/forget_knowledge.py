"""Forgetting what was learned: a fact that is wrong, or an entity; what was said stays, and does not teach it again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.name_forms import all_forms
from extraction.reading import THE_AGENT, THE_USER
from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.forget_reach import facts_at
from graph_service.memory.stand import members_of
from graph_service.memory.tombstones import Kind, Marking, fact_marks, name_marks
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

    def tombstones(self, tenant: TenantId, marking: Marking, at_ms: int) -> list[dict[str, Any]]:
        """The marks that keep it from being learned again."""
        salt, who = marking.salt, marking.who(self.user_id)
        node_id = memory_id(user_uri(tenant, self.user_id))
        if self.facts:
            kind, marks = (
                Kind.FACT,
                fact_marks(salt, who, self.names[0], self.predicate, self.relation, self.names[1]),
            )
        else:
            kind, marks = Kind.ENTITY, name_marks(salt, who, self.names[0])
        return [{"id": mark, "kind": kind.value, "user_node_id": node_id, "at_ms": at_ms} for mark in sorted(marks)]


async def find_fact(writing: Writing, tenant: TenantId, fact_id: str) -> Learned:
    """The fact that an edge of the map shows; of merged entities all that it follows from.

    Raises:
        NotFoundError: the tenant has no such fact.
    """
    rows = await writing.run(statement("read/fact_by_id"), {"tenant": tenant, "id": fact_id})
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
    """An entity, with all that it stands for; or one that was merged into another, alone.

    Raises:
        NotFoundError: the tenant has no such entity.
    """
    ends = await writing.run(statement("read/identity_ends"), {"tenant": tenant, "ids": [entity_id]})
    labels = ends[0]["labels"] if ends else ()
    if not ends or (labels is not None and Label.ENTITY not in labels):
        raise NotFoundError(f"there is no entity {entity_id!r}; GraphQL's `entities` lists those there are")
    members = (await _members(writing, tenant, [entity_id]))[entity_id]
    parameters = {"tenant": tenant, "ids": sorted(members), "without": [], "evidence_max": 0}
    rows = await writing.run(statement("read/standing"), parameters)
    return Learned(
        user_id=UserId(ends[0]["user_id"]),
        entities=frozenset(members),
        scenes=frozenset(scene for row in rows for scene in row["scenes"]),
        names=[frozenset(name for row in rows for name in _names_of(row["properties"]))],
    )


async def _members(writing: Writing, tenant: TenantId, ids: Sequence[str]) -> dict[str, set[str]]:
    """What each node of the map stands for; itself, when it is not merged."""
    found = (await members_of(writing, tenant, ids)).of
    return {name: {one["id"] for one in found.get(name, ())} | {name} for name in ids}


async def _side(writing: Writing, tenant: TenantId, node_id: str, labels: Collection[str]) -> frozenset[str]:
    """One end of a fact in all its spellings."""
    if Label.ENTITY not in labels:
        return frozenset((THE_USER if Label.USER in labels else THE_AGENT,))
    rows = await writing.run(statement("read/node_by_id"), {"tenant": tenant, "id": node_id})
    return frozenset(form for name in _names_of(rows[0]["node"]) for form in all_forms(name))


def _names_of(properties: Mapping[str, Any]) -> list[str]:
    return [properties["name"], *(properties.get("aliases") or ())]
