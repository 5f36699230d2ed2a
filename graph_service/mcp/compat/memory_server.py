"""Tools of the official MCP memory server, on the graph of the caller's user."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Final

from pydantic import ConfigDict, Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import CompatResult, Effect, Result, ToolContext, about, compat_tool
from graph_service.mcp.tools.remember import Forgettable, delete_element
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.mindmap.graph_queries import NAMED_MAX, FactOfNode, NodeMatch
from schema.entity import EntityType
from schema.errors import NotFoundError
from schema.ids import content_hash, message_uri, session_uri
from schema.labels import Role
from schema.limits import LIMITS
from schema.message import ProvidedFact

# Conversion between their entities, observations and relations and our facts.

# Session id of all notes of this server.
NOTES: Final = "memory-server"
OBSERVATION: Final = "observation"
IS_A: Final = "is a"
_TYPES: Final = frozenset(EntityType)


class Sent(Result):
    """Something that a client sends; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class Entity(Sent):
    """An entity in the format of the memory server."""

    name: str
    entityType: str  # noqa: N815  their spelling
    observations: list[str] = Field([])


class Relation(Sent):
    """A relation in the format of the memory server."""

    source: str = Field(alias="from")
    to: str
    relationType: str  # noqa: N815  their spelling


class Graph(CompatResult):
    """Entities with the relations between them, the result of the reading tools."""

    entities: list[Entity] = Field([])
    relations: list[Relation] = Field([])


def entity_notes(entity: Entity) -> list[tuple[str, ProvidedFact]]:
    """Return notes for an entity: one per observation, and one for its type if it is not one of ours.

    An entity without observations also gets a note for its type.
    """
    known = entity.entityType.casefold() in _TYPES
    notes = [note(entity.name, text, entity.entityType.casefold() if known else None) for text in entity.observations]
    if not known or not entity.observations:
        statement = f"{entity.name} is a {entity.entityType}."
        notes.append(_note(entity.name, IS_A, entity.entityType, statement, subject_type=None))
    return notes


def note(name: str, text: str, entity_type: str | None = None) -> tuple[str, ProvidedFact]:
    """Return an observation as a fact, with its message id."""
    return _note(name, OBSERVATION, text[: LIMITS.name_chars], text, subject_type=entity_type)


def relation_note(relation: Relation) -> tuple[str, ProvidedFact]:
    """Return a relation as a fact, with its message id."""
    words = relation.relationType.replace("_", " ")
    statement = f"{relation.source} {words} {relation.to}"
    return _note(relation.source, relation.relationType, relation.to, statement, subject_type=None)


def graph_of(nodes: Sequence[NodeMatch]) -> Graph:
    """Convert nodes and their facts to the memory server's graph of entities and relations.

    Nodes that are only the objects of type or observation facts are left out.
    """
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


def _entity(node: NodeMatch) -> Entity:
    mine = [fact for fact in node.facts if fact.subject == node.name]
    what = next((fact.object for fact in mine if fact.relation == IS_A), None)
    seen = [fact.statement or fact.object for fact in mine if fact.relation == OBSERVATION]
    return Entity(name=node.name, entityType=what or node.entity_type or node.kind.casefold(), observations=seen)


def _note(name: str, relation: str, obj: str, statement: str, *, subject_type: str | None) -> tuple[str, ProvidedFact]:
    fact = ProvidedFact(
        subject=name,
        predicate="RELATES_TO",
        object=obj,
        statement=statement,
        relation=relation,
        subject_type=subject_type,
    )
    # Relations are normalized when stored, so the id uses only the statement.
    kind = relation if relation in (OBSERVATION, IS_A) else ""
    return content_hash(name, kind, statement)[:24], fact


_FACTS_EACH: Final = 100


class Observed(Sent):
    """Observations about an entity."""

    entityName: str  # noqa: N815  their spelling
    contents: list[str] = Field([])
    observations: list[str] = Field([])


@compat_tool(Effect.ADDS)
async def create_entities(context: ToolContext, caller: Caller, entities: list[Entity]) -> CompatResult:
    """Store entities with observations about them."""
    return await _store(context, caller, [one for entity in entities for one in entity_notes(entity)])


@compat_tool(Effect.ADDS)
async def create_relations(context: ToolContext, caller: Caller, relations: list[Relation]) -> CompatResult:
    """Store relations between entities, in active voice."""
    return await _store(context, caller, [relation_note(relation) for relation in relations])


@compat_tool(Effect.ADDS)
async def add_observations(
    context: ToolContext,
    caller: Caller,
    observations: Annotated[list[Observed], about("For each entity: entityName and contents.")],
) -> CompatResult:
    """Store observations about entities."""
    notes = [note(one.entityName, text) for one in observations for text in one.contents]
    return await _store(context, caller, notes)


async def _store(context: ToolContext, caller: Caller, notes: Sequence[tuple[str, ProvidedFact]]) -> CompatResult:
    """Store each note as a message; its id derives from its content, so that the same note is stored only once."""
    user_id, stored, repeated = caller.user_of(None), 0, 0
    unique = list(dict(notes).items())
    for first in range(0, len(unique), LIMITS.facts):
        some = unique[first : first + LIMITS.facts]
        incoming = RememberRequest(
            user_id=user_id,
            session_id=NOTES,
            messages=tuple(IncomingMessage(role=Role.ASSISTANT, text=fact.statement, id=name) for name, fact in some),
            facts=tuple(replace(fact, message_indexes=(index,)) for index, (_, fact) in enumerate(some)),
        )
        receipt = await context.memory.remember(caller.tenant, incoming)
        stored, repeated = stored + receipt.stored, repeated + receipt.repeated
    return CompatResult(stored=stored, repeated=repeated)


@compat_tool(Effect.READS)
async def read_graph(context: ToolContext, caller: Caller) -> Graph:
    """Return the user's whole graph. This is long; search_nodes returns a part."""
    return await _graph(context, caller, None)


@compat_tool(Effect.READS)
async def open_nodes(context: ToolContext, caller: Caller, names: list[str]) -> Graph:
    """Return entities by name."""
    return await _graph(context, caller, names)


async def _graph(context: ToolContext, caller: Caller, names: Sequence[str] | None) -> Graph:
    user_id = caller.user_of(None)
    found = await context.memory.nodes.named(caller.tenant, user_id, names, limit=NAMED_MAX, facts=_FACTS_EACH)
    return graph_of(found)


@compat_tool(Effect.READS)
async def search_nodes(context: ToolContext, caller: Caller, query: str) -> Graph:
    """Search entities by name, alias, or words from facts about them."""
    found = await context.memory.nodes.search(
        caller.tenant, caller.user_of(None), query, limit=LIMITS.results, facts=_FACTS_EACH
    )
    return graph_of(found)


@compat_tool(Effect.DELETES)
async def delete_observations(
    context: ToolContext,
    caller: Caller,
    deletions: Annotated[list[Observed], about("For each entity: entityName and observations.")],
) -> CompatResult:
    """Delete observations about entities."""
    notes = [note(one.entityName, text) for one in deletions for text in one.observations]
    return await _delete(context, caller, notes)


@compat_tool(Effect.DELETES)
async def delete_relations(context: ToolContext, caller: Caller, relations: list[Relation]) -> CompatResult:
    """Delete relations between entities."""
    return await _delete(context, caller, [relation_note(relation) for relation in relations])


@compat_tool(Effect.DELETES)
async def delete_entities(
    context: ToolContext,
    caller: Caller,
    entityNames: list[str],  # noqa: N803  their spelling
) -> CompatResult:
    """Delete entities with their observations and relations."""
    deleted, missing = 0, []
    for name in entityNames:
        found = await context.memory.nodes.named(
            caller.tenant, caller.user_of(None), [name], limit=1, facts=_FACTS_EACH
        )
        if not found:
            missing.append(name)
            continue
        # Delete the notes, too, so that they can be stored again later.
        graph = graph_of(found)
        notes = [one for entity in graph.entities for one in entity_notes(entity)]
        await _delete(context, caller, [*notes, *map(relation_note, graph.relations)])
        if await context.memory.nodes.named(caller.tenant, caller.user_of(None), [name], limit=1, facts=0):
            await delete_element(context, caller, Forgettable.ENTITY, found[0].id, None)
        deleted += 1
    return CompatResult(deleted=deleted, missing=missing)


async def _delete(context: ToolContext, caller: Caller, notes: Iterable[tuple[str, ProvidedFact]]) -> CompatResult:
    session, unique, missing = session_uri(caller.tenant, caller.user_of(None), NOTES), dict(notes), []
    for name, fact in unique.items():
        try:
            await delete_element(context, caller, Forgettable.MESSAGE, message_uri(session, name), None)
        except NotFoundError:
            missing.append(fact.statement)
    return CompatResult(deleted=len(unique) - len(missing), missing=missing)


MEMORY: Final = (
    *(create_entities, create_relations, add_observations, read_graph, open_nodes, search_nodes),
    *(delete_entities, delete_observations, delete_relations),
)
