"""Tools with the names, arguments and answers of the official memory server; the graph is that of the caller's user."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import ConfigDict, Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.compat.compat_schemas import CompatArguments, CompatResult, compat_tool
from graph_service.mcp.tool import Effect, ToolContext
from graph_service.mcp.tool_schemas import Result
from graph_service.mcp.tools.forget import Forgettable, forgotten
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.mindmap.node_search import NAMED_MAX, FactOfNode, NodeFound
from schema.entity import EntityType
from schema.errors import NotFoundError
from schema.ids import content_hash, message_uri, session_uri
from schema.labels import Role
from schema.limits import LIMITS
from schema.message import ProvidedFact

# How entities, observations and relations of the official memory server are facts here, and facts are those. Pure.

# The conversation that the notes of this server make up.
NOTES: Final = "memory-server"
OBSERVATION: Final = "observation"
IS_A: Final = "is a"
_TYPES: Final = frozenset(EntityType)


class Entity(Result):
    """An entity as they write it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    entityType: str  # noqa: N815  their word
    observations: list[str] = Field([])


class Relation(Result):
    """A relation as they write it."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    source: str = Field(alias="from")
    to: str
    relationType: str  # noqa: N815  their word


class Graph(CompatResult):
    """A graph as they write it."""

    entities: list[Entity] = Field([])
    relations: list[Relation] = Field([])


def told(entity: Entity) -> list[tuple[str, ProvidedFact]]:
    """Return the notes that make an entity: one for each observation, and what it is where we have no such type."""
    known = entity.entityType.casefold() in _TYPES
    notes = [note(entity.name, text, entity.entityType.casefold() if known else None) for text in entity.observations]
    if not known or not entity.observations:
        statement = f"{entity.name} is a {entity.entityType}."
        notes.append(_noted(entity.name, IS_A, entity.entityType, statement, subject_type=None))
    return notes


def note(name: str, text: str, entity_type: str | None = None) -> tuple[str, ProvidedFact]:
    """Return an observation, and the id of the message that carries it."""
    return _noted(name, OBSERVATION, text[: LIMITS.name_chars], text, subject_type=entity_type)


def said_of(relation: Relation) -> tuple[str, ProvidedFact]:
    """Return a relation, and the id of the message that carries it."""
    words = relation.relationType.replace("_", " ")
    statement = f"{relation.source} {words} {relation.to}"
    return _noted(relation.source, relation.relationType, relation.to, statement, subject_type=None)


def graph_of(nodes: Sequence[NodeFound]) -> Graph:
    """Return nodes and their facts as a graph of theirs; what only says what another thing is, is no entity of
    its own.
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


def _entity(node: NodeFound) -> Entity:
    mine = [fact for fact in node.facts if fact.subject == node.name]
    what = next((fact.object for fact in mine if fact.relation == IS_A), None)
    seen = [fact.statement or fact.object for fact in mine if fact.relation == OBSERVATION]
    return Entity(name=node.name, entityType=what or node.entity_type or node.kind.casefold(), observations=seen)


def _noted(name: str, relation: str, obj: str, statement: str, *, subject_type: str | None) -> tuple[str, ProvidedFact]:
    fact = ProvidedFact(
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


_FACTS_EACH: Final = 100


class EntitiesArguments(CompatArguments):
    """What `create_entities` takes."""

    entities: list[Entity]


class RelationsArguments(CompatArguments):
    """What `create_relations` and `delete_relations` take."""

    relations: list[Relation]


class Observed(Result):
    """Observations about an entity."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    entityName: str  # noqa: N815  their word
    contents: list[str] = Field([])
    observations: list[str] = Field([])


class AddObservationsArguments(CompatArguments):
    """What `add_observations` takes."""

    observations: list[Observed] = Field(description="For each entity: entityName and contents.")


class DeleteObservationsArguments(CompatArguments):
    """What `delete_observations` takes."""

    deletions: list[Observed] = Field(description="For each entity: entityName and observations.")


class NamesArguments(CompatArguments):
    """What `open_nodes` takes."""

    names: list[str]


class EntityNamesArguments(CompatArguments):
    """What `delete_entities` takes."""

    entityNames: list[str]  # noqa: N815  their word


class QueryArguments(CompatArguments):
    """What `search_nodes` takes."""

    query: str


class NothingArguments(CompatArguments):
    """What `read_graph` takes: nothing."""


class StoredResult(CompatResult):
    """What became of what was handed in; it is on the graph as soon as it was read, mostly within a second."""

    stored: int = Field(description="How many notes were new.")
    repeated: int = Field(description="How many were there before.")


class DeletedResult(CompatResult):
    """What was taken away."""

    deleted: int
    missing: list[str] = Field([])


async def _create_entities(context: ToolContext, caller: Caller, given: EntitiesArguments) -> StoredResult:
    return await _store(context, caller, [one for entity in given.entities for one in told(entity)])


async def _create_relations(context: ToolContext, caller: Caller, given: RelationsArguments) -> StoredResult:
    return await _store(context, caller, [said_of(relation) for relation in given.relations])


async def _add_observations(context: ToolContext, caller: Caller, given: AddObservationsArguments) -> StoredResult:
    notes = [note(one.entityName, text) for one in given.observations for text in one.contents]
    return await _store(context, caller, notes)


async def _store(context: ToolContext, caller: Caller, notes: Sequence[tuple[str, ProvidedFact]]) -> StoredResult:
    """Return each note is a message with an id of its own, so that it can be repeated and deleted by what it says."""
    user_id, stored, repeated = caller.user_of(None), 0, 0
    unique = list(dict(notes).items())
    for first in range(0, len(unique), LIMITS.facts):
        some = unique[first : first + LIMITS.facts]
        incoming = RememberRequest(
            user_id=user_id,
            session_id=NOTES,
            messages=tuple(IncomingMessage(role=Role.ASSISTANT, text=fact.statement, id=name) for name, fact in some),
            facts=tuple(
                ProvidedFact(**{**{k: getattr(fact, k) for k in fact.__dataclass_fields__}, "message_indexes": (i,)})
                for i, (_, fact) in enumerate(some)
            ),
        )
        receipt = await context.memory.remember(caller.tenant, incoming)
        stored, repeated = stored + receipt.stored, repeated + receipt.repeated
    return StoredResult(stored=stored, repeated=repeated)


async def _read_graph(context: ToolContext, caller: Caller, given: NothingArguments) -> Graph:
    return await _graph(context, caller, None)


async def _open_nodes(context: ToolContext, caller: Caller, given: NamesArguments) -> Graph:
    return await _graph(context, caller, given.names)


async def _graph(context: ToolContext, caller: Caller, names: Sequence[str] | None) -> Graph:
    user_id = caller.user_of(None)
    found = await context.memory.nodes.named(caller.tenant, user_id, names, limit=NAMED_MAX, facts=_FACTS_EACH)
    return graph_of(found)


async def _search_nodes(context: ToolContext, caller: Caller, given: QueryArguments) -> Graph:
    found = await context.memory.nodes.search(
        caller.tenant, caller.user_of(None), given.query, limit=LIMITS.results, facts=_FACTS_EACH
    )
    return graph_of(found)


async def _delete_observations(
    context: ToolContext, caller: Caller, given: DeleteObservationsArguments
) -> DeletedResult:
    return await _delete(
        context, caller, {note(one.entityName, text)[0]: text for one in given.deletions for text in one.observations}
    )


async def _delete_relations(context: ToolContext, caller: Caller, given: RelationsArguments) -> DeletedResult:
    notes = [said_of(relation) for relation in given.relations]
    return await _delete(context, caller, {name: fact.statement for name, fact in notes})


async def _delete_entities(context: ToolContext, caller: Caller, given: EntityNamesArguments) -> DeletedResult:
    deleted, missing = 0, []
    for name in given.entityNames:
        found = await context.memory.nodes.named(
            caller.tenant, caller.user_of(None), [name], limit=1, facts=_FACTS_EACH
        )
        if not found:
            missing.append(name)
            continue
        # The notes go too, so that the same may be told again later.
        await _delete(context, caller, _notes_of(graph_of(found)))
        if await context.memory.nodes.named(caller.tenant, caller.user_of(None), [name], limit=1, facts=0):
            await forgotten(context, caller, Forgettable.ENTITY, found[0].id, None)
        deleted += 1
    return DeletedResult(deleted=deleted, missing=missing)


def _notes_of(graph: Graph) -> dict[str, str]:
    notes: Iterable[tuple[str, ProvidedFact]] = [
        *(one for entity in graph.entities for one in told(entity)),
        *(said_of(relation) for relation in graph.relations),
    ]
    return {name: fact.statement for name, fact in notes}


async def _delete(context: ToolContext, caller: Caller, notes: Mapping[str, str]) -> DeletedResult:
    session, missing = session_uri(caller.tenant, caller.user_of(None), NOTES), []
    for name, text in notes.items():
        try:
            await forgotten(context, caller, Forgettable.MESSAGE, message_uri(session, name), None)
        except NotFoundError:
            missing.append(text)
    return DeletedResult(deleted=len(notes) - len(missing), missing=missing)


MEMORY: Final = (
    compat_tool(
        "create_entities",
        "Store entities with observations about them. For what was said in a conversation use remember.",
        EntitiesArguments,
        StoredResult,
        Effect.ADDS,
        _create_entities,
    ),
    compat_tool(
        "create_relations",
        "Store relations between entities, in active voice.",
        RelationsArguments,
        StoredResult,
        Effect.ADDS,
        _create_relations,
    ),
    compat_tool(
        "add_observations",
        "Store observations about entities.",
        AddObservationsArguments,
        StoredResult,
        Effect.ADDS,
        _add_observations,
    ),
    compat_tool(
        "read_graph",
        "The whole graph of the user. Long: get_context tells what matters in a fraction of the tokens.",
        NothingArguments,
        Graph,
        Effect.READS,
        _read_graph,
    ),
    compat_tool(
        "open_nodes",
        "Entities by their names.",
        NamesArguments,
        Graph,
        Effect.READS,
        _open_nodes,
    ),
    compat_tool(
        "search_nodes",
        "Entities by name, alias, or words of what is said about them.",
        QueryArguments,
        Graph,
        Effect.READS,
        _search_nodes,
    ),
    compat_tool(
        "delete_entities",
        "Forget entities with their observations and relations.",
        EntityNamesArguments,
        DeletedResult,
        Effect.DELETES,
        _delete_entities,
    ),
    compat_tool(
        "delete_observations",
        "Forget observations about entities.",
        DeleteObservationsArguments,
        DeletedResult,
        Effect.DELETES,
        _delete_observations,
    ),
    compat_tool(
        "delete_relations",
        "Forget relations between entities.",
        RelationsArguments,
        DeletedResult,
        Effect.DELETES,
        _delete_relations,
    ),
)
