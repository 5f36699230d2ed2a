"""How entities, observations and relations of the official memory server are facts here, and facts are those. Pure."""

from collections.abc import Sequence
from typing import Final

from pydantic import ConfigDict, Field

from graph_service.mcp.shapes import Shape
from graph_service.mcp.their_shapes import TheirAnswer
from graph_service.memory.nodes import FactOfNode, NodeFound
from schema.entity import EntityType
from schema.ids import content_hash
from schema.limits import LIMITS
from schema.message import BroughtFact

# The conversation that the notes of this server make up.
NOTES: Final = "memory-server"
OBSERVATION: Final = "observation"
IS_A: Final = "is a"
_TYPES: Final = frozenset(EntityType)


class Entity(Shape):
    """An entity as they write it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    entityType: str  # noqa: N815  their word
    observations: list[str] = Field([])


class Relation(Shape):
    """A relation as they write it."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    source: str = Field(alias="from")
    to: str
    relationType: str  # noqa: N815  their word


class Graph(TheirAnswer):
    """A graph as they write it."""

    entities: list[Entity] = Field([])
    relations: list[Relation] = Field([])


def told(entity: Entity) -> list[tuple[str, BroughtFact]]:
    """The notes that make an entity: one for each observation, and what it is where we have no such type."""
    known = entity.entityType.casefold() in _TYPES
    notes = [note(entity.name, text, entity.entityType.casefold() if known else None) for text in entity.observations]
    if not known or not entity.observations:
        statement = f"{entity.name} is a {entity.entityType}."
        notes.append(_noted(entity.name, IS_A, entity.entityType, statement, subject_type=None))
    return notes


def note(name: str, text: str, entity_type: str | None = None) -> tuple[str, BroughtFact]:
    """An observation, and the id of the message that carries it."""
    return _noted(name, OBSERVATION, text[: LIMITS.name_chars], text, subject_type=entity_type)


def said_of(relation: Relation) -> tuple[str, BroughtFact]:
    """A relation, and the id of the message that carries it."""
    words = relation.relationType.replace("_", " ")
    statement = f"{relation.source} {words} {relation.to}"
    return _noted(relation.source, relation.relationType, relation.to, statement, subject_type=None)


def graph_of(nodes: Sequence[NodeFound]) -> Graph:
    """Nodes and their facts as a graph of theirs; what only says what another thing is, is no entity of its own."""
    facts = {fact.id: fact for node in nodes for fact in node.facts}
    special = {fact.object for fact in facts.values() if fact.relation in (OBSERVATION, IS_A)}
    plain = {name for fact in facts.values() for name in _ends(fact)}
    shown = [node for node in nodes if node.name in plain or node.name not in special]
    return Graph(
        entities=[_entity(node) for node in shown],
        relations=[
            Relation(source=fact.subject, to=fact.object, relationType=fact.relation or fact.predicate)
            for fact in facts.values()
            if fact.relation not in (OBSERVATION, IS_A)
        ],
    )


def _ends(fact: FactOfNode) -> tuple[str, ...]:
    return (fact.subject,) if fact.relation in (OBSERVATION, IS_A) else (fact.subject, fact.object)


def _entity(node: NodeFound) -> Entity:
    mine = [fact for fact in node.facts if fact.subject == node.name]
    what = next((fact.object for fact in mine if fact.relation == IS_A), None)
    seen = [fact.statement or fact.object for fact in mine if fact.relation == OBSERVATION]
    return Entity(name=node.name, entityType=what or node.entity_type or node.kind.casefold(), observations=seen)


def _noted(name: str, relation: str, obj: str, statement: str, *, subject_type: str | None) -> tuple[str, BroughtFact]:
    fact = BroughtFact(
        subject=name,
        predicate="RELATES_TO",
        object=obj,
        statement=statement,
        relation=relation,
        subject_type=subject_type,
    )
    # Relations are stored in our spelling, so their words are told apart by the statement alone.
    kind = relation if relation in (OBSERVATION, IS_A) else ""
    return content_hash(name, kind, statement)[:24], fact
