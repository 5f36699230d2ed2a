"""Import memories from mem0 (`get_all` or an export) and from the file of the official MCP memory server."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from graph_service.importers.import_batch import Conversation, ImportBatch, clean_text, moment
from graph_service.importers.source import Source
from schema.entity import EntityType
from schema.errors import InputError
from schema.ids import content_hash, name_key
from schema.message import ProvidedFact

_LIKES: Final = frozenset(
    ("like", "likes", "love", "loves", "prefer", "prefers", "enjoy", "enjoys", "喜欢", "爱", "偏爱")
)
_DISLIKES: Final = frozenset(("dislike", "dislikes", "hate", "hates", "avoid", "avoids", "讨厌", "不喜欢"))
_TYPES: Final = frozenset(one.value for one in EntityType)
# The user's name in the memory server's documentation.
_THE_USER: Final = frozenset(("default_user", "user"))


class Mem0Memory(BaseModel):
    id: str
    memory: str = Field(min_length=1)
    user_id: str | None = None
    run_id: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    metadata: dict[str, Any] | None = None
    categories: list[Any] | None = None


class Mem0Relation(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(min_length=1)
    relationship: str = Field(min_length=1)
    target: str = Field(min_length=1, alias="destination")


class ServerEntity(BaseModel):
    name: str = Field(min_length=1)
    entity_type: str = Field(default="", alias="entityType")
    observations: list[str] = Field(default_factory=list)


class ServerRelation(BaseModel):
    start: str = Field(alias="from", min_length=1)
    end: str = Field(alias="to", min_length=1)
    kind: str = Field(alias="relationType", min_length=1)


def mem0_rows(tree: Any) -> list[Any] | None:
    """Return the memories in a parsed mem0 file; None if it is another file."""
    rows = tree
    if isinstance(tree, Mapping):
        rows = next((tree[key] for key in ("results", "memories") if isinstance(tree.get(key), list)), None)
    if isinstance(rows, list) and rows and all(isinstance(row, Mapping) and "memory" in row for row in rows):
        return rows
    return None


def from_mem0(source: Source, batch: ImportBatch) -> None:
    """Add memories of mem0 as messages, one session per run; each says whose it is unless the owner is given.

    Raises:
        InputError: it is not a mem0 file.
    """
    rows = mem0_rows(source.tree)
    if rows is None:
        raise InputError(f'{source.name}: contains no memories of mem0 ({{"results": [{{"id", "memory", …}}]}})')
    conversations: dict[tuple[str, str], Conversation] = {}
    for place, row in source.rows("memory", rows):
        with batch.part(place):
            one = Mem0Memory.model_validate(row)
            owner_id = source.owner.user_id or one.user_id
            if owner_id is None:
                raise ValueError("has no user_id; add it, or give --user")
            at, run = moment(one.updated_at or one.created_at, "updated_at"), one.run_id or ""
            conversation = conversations.setdefault(
                (owner_id, run), Conversation(user_id=owner_id, session_id=f"mem0-{run or 'memories'}")
            )
            # mem0 edits memories in place; a changed text is a new message.
            name = f"mem0-{one.id}-{content_hash(clean_text(one.memory))[:8]}"
            conversation.add_message(batch, one.memory, message_id=name, time=at)
            batch.drop("metadata", bool(one.metadata))
            batch.drop("categories", bool(one.categories))
    relations = source.tree.get("relations") if isinstance(source.tree, Mapping) else None
    if not isinstance(relations, list | None):
        batch.problems.append(f"{source.name}: relations must be a list")
        relations = None
    _mem0_relations(relations or [], source, conversations, batch)
    batch.calls = [call for conversation in conversations.values() for call in conversation.calls()]


def _mem0_relations(
    rows: list[Any], source: Source, conversations: dict[tuple[str, str], Conversation], batch: ImportBatch
) -> None:
    user_id = source.owner.user_id
    users = {user_id} if user_id else {conversation.user_id for conversation in conversations.values()}
    if rows and len(users) != 1:
        batch.drop("relations, since they do not say whose they are (give --user)", len(rows))
        return
    for place, row in source.rows("relation", rows):
        with batch.part(place):
            one = Mem0Relation.model_validate(row)
            (owner_id,) = users
            conversation = conversations.setdefault(
                (owner_id, "\x00"), Conversation(user_id=owner_id, session_id="mem0-relations")
            )
            _add_relation(conversation, batch, one.source, one.relationship, one.target, users)


def from_memory_server(source: Source, batch: ImportBatch) -> None:
    """Add entities, observations and relations of the memory server's file as messages and facts."""
    conversation = Conversation(user_id=source.user_id, session_id="memory-server")
    for place, row in source.parsed[0]:
        with batch.part(place):
            match row.get("type") if isinstance(row, dict) else None:
                case "entity":
                    _add_entity(conversation, batch, ServerEntity.model_validate(row))
                case "relation":
                    one = ServerRelation.model_validate(row)
                    _add_relation(conversation, batch, one.start, one.kind, one.end, _THE_USER)
                case kind:
                    raise ValueError(f"type is {kind!r:.60}; it must be entity or relation")
    batch.calls = list(conversation.calls())


def _add_entity(conversation: Conversation, batch: ImportBatch, entity: ServerEntity) -> None:
    kind = entity.entity_type.strip()
    subject = "user" if entity.name in _THE_USER else entity.name
    text = f"{entity.name}: {kind}" if kind else entity.name
    place = conversation.add_message(batch, text, message_id=_id("entity", entity.name, kind), role="assistant")
    if place is not None and kind and subject != "user":
        conversation.facts.append(
            ProvidedFact(
                subject=subject,
                predicate="RELATES_TO",
                object=kind,
                relation="is a",
                statement=f"{entity.name} is a {kind}",
                subject_type=name_key(kind) if name_key(kind) in _TYPES else None,
                message_indexes=(place,),
            )
        )
    batch.kept["entities"] += 1
    for observation in entity.observations:
        # Role assistant: "I" in an observation is not the user.
        index = conversation.add_message(
            batch,
            f"{entity.name}: {observation}",
            message_id=_id("observation", entity.name, observation),
            role="assistant",
        )
        batch.kept["observations"] += index is not None


def _add_relation(
    conversation: Conversation, batch: ImportBatch, start: str, kind: str, end: str, users: frozenset[str] | set[str]
) -> None:
    relation = kind.replace("_", " ").strip()
    text = f"{start} {relation} {end}"
    place = conversation.add_message(batch, text, message_id=_id("relation", start, kind, end), role="assistant")
    if place is None:
        return
    key = name_key(relation)
    predicate = "PREFERS" if key in _LIKES else "DISLIKES" if key in _DISLIKES else "RELATES_TO"
    subject, obj = ("user" if name in users else name for name in (start, end))
    conversation.facts.append(
        ProvidedFact(
            subject=subject,
            predicate=predicate,
            object=obj,
            relation=relation if predicate == "RELATES_TO" else None,
            statement=text,
            message_indexes=(place,),
        )
    )
    batch.kept["relations"] += 1


def _id(*parts: str) -> str:
    return f"{parts[0]}-{content_hash(*map(clean_text, parts))}"
