"""Memories of mem0, as its `get_all` and exports give them, and of the official MCP memory server, as its file does."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from graph_service.importers.import_batch import Conversation, ImportBatch, clean_text, moment, refuse, shaped
from schema.entity import EntityType
from schema.errors import InputError
from schema.ids import content_hash, name_key
from schema.json_text import read_json
from schema.message import ProvidedFact

_LIKES: Final = frozenset(
    ("like", "likes", "love", "loves", "prefer", "prefers", "enjoy", "enjoys", "喜欢", "爱", "偏爱")
)
_DISLIKES: Final = frozenset(("dislike", "dislikes", "hate", "hates", "avoid", "avoids", "讨厌", "不喜欢"))
_TYPES: Final = frozenset(one.value for one in EntityType)
# What the memory server's own documentation calls the person it remembers.
_THE_USER: Final = frozenset(("default_user", "user"))


class Mem0Memory(BaseModel):
    """A memory of mem0."""

    id: str
    memory: str = Field(min_length=1)
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    role: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    metadata: dict[str, Any] | None = None
    categories: list[Any] | None = None


class Mem0Relation(BaseModel):
    """A relation of mem0's graph."""

    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(min_length=1)
    relationship: str = Field(min_length=1)
    target: str = Field(min_length=1, alias="destination")


class ServerEntity(BaseModel):
    """An entity of the memory server."""

    name: str = Field(min_length=1)
    entity_type: str = Field(default="", alias="entityType")
    observations: list[str] = Field(default_factory=list)


class ServerRelation(BaseModel):
    """A relation of the memory server."""

    start: str = Field(alias="from", min_length=1)
    end: str = Field(alias="to", min_length=1)
    kind: str = Field(alias="relationType", min_length=1)


def mem0_rows(tree: Any) -> list[Any] | None:
    """Return the memories in a tree, whichever way it was exported; None when it is not of mem0."""
    rows = tree
    if isinstance(tree, Mapping):
        rows = next((tree[key] for key in ("results", "memories") if isinstance(tree.get(key), list)), None)
    if isinstance(rows, list) and rows and all(isinstance(row, Mapping) and "memory" in row for row in rows):
        return rows
    return None


def from_mem0(tree: Any, *, name: str, user_id: str | None) -> ImportBatch:
    """Return memories of mem0 as messages of one session for each run.

    Args:
        user_id: whose memory it is, whatever the file says.

    Raises:
        InputError: the file has another form, or does not say whose a memory is.
    """
    rows = mem0_rows(tree)
    if rows is None:
        raise InputError(
            f'{name}: holds no memories of mem0 ({{"results": [{{"id", "memory", …}}]}}); nothing was stored'
        )
    found, problems = ImportBatch(), list[str]()
    talks: dict[tuple[str, str], Conversation] = {}
    for number, row in enumerate(rows, start=1):
        place = f"{name} memory {number}"
        one = shaped(Mem0Memory, row, place, problems)
        if one is None:
            continue
        whose = user_id or one.user_id
        if whose is None:
            problems.append(f"{place}: names no user_id; add it, or give --user")
            continue
        try:
            at = moment(one.updated_at or one.created_at)
        except ValueError as error:
            problems.append(f"{place}: updated_at: {error}")
            continue
        talk = talks.setdefault(
            (whose, one.run_id or ""), Conversation(user_id=whose, session_id=f"mem0-{one.run_id or 'memories'}")
        )
        # mem0 changes memories in place: other words are another message.
        talk.say(found, one.memory, message_id=f"mem0-{one.id}-{content_hash(clean_text(one.memory))[:8]}", time=at)
        for what, there in (("metadata", one.metadata), ("categories", one.categories)):
            found.dropped[what] += bool(there)
    relations = tree.get("relations") if isinstance(tree, Mapping) else None
    if not isinstance(relations, list | None):
        problems.append(f"{name}: relations must be a list")
        relations = None
    _mem0_relations(relations or [], name, user_id, talks, found, problems)
    refuse(problems)
    found.dropped = +found.dropped
    found.calls = [call for talk in talks.values() for call in talk.calls()]
    return found


def _mem0_relations(
    rows: list[Any],
    name: str,
    user_id: str | None,
    talks: dict[tuple[str, str], Conversation],
    found: ImportBatch,
    problems: list[str],
) -> None:
    users = {user_id} if user_id else {talk.user_id for talk in talks.values()}
    if rows and len(users) != 1:
        found.dropped["relations, since they do not say whose they are (give --user)"] += len(rows)
        return
    for number, row in enumerate(rows, start=1):
        one = shaped(Mem0Relation, row, f"{name} relation {number}", problems)
        if one is not None:
            (whose,) = users
            talk = talks.setdefault((whose, "\x00"), Conversation(user_id=whose, session_id="mem0-relations"))
            _relate(talk, found, one.source, one.relationship, one.target, users)


def from_memory_server(text: str, *, name: str, user_id: str) -> ImportBatch:
    """Return entities, observations and relations of the memory server's file as messages and facts.

    Raises:
        InputError: the file has another form; lists the lines.
    """
    found, problems = ImportBatch(), list[str]()
    talk = Conversation(user_id=user_id, session_id="memory-server")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{name} line {number}"
        try:
            row = read_json(line)
        except json.JSONDecodeError as error:
            problems.append(f"{place}: not JSON ({error.msg})")
            continue
        kind = row.get("type") if isinstance(row, dict) else None
        if kind == "entity":
            entity = shaped(ServerEntity, row, place, problems)
            if entity is not None:
                _entity(talk, found, entity)
        elif kind == "relation":
            relation = shaped(ServerRelation, row, place, problems)
            if relation is not None:
                _relate(talk, found, relation.start, relation.kind, relation.end, _THE_USER)
        else:
            problems.append(f"{place}: type is {kind!r}; it must be entity or relation")
    refuse(problems)
    found.calls = list(talk.calls())
    return found


def _entity(talk: Conversation, found: ImportBatch, entity: ServerEntity) -> None:
    kind = entity.entity_type.strip()
    subject = _name_of(entity.name, _THE_USER)
    text = f"{entity.name}: {kind}" if kind else entity.name
    place = talk.say(found, text, message_id=_id("entity", entity.name, kind), role="assistant")
    if place is not None and kind and subject != "user":
        known = name_key(kind) if name_key(kind) in _TYPES else None
        said = f"{entity.name} is a {kind}"
        talk.facts.append(_fact(subject, "RELATES_TO", kind, "is a", said, place, subject_type=known))
    found.kept["entities"] += 1
    for observation in entity.observations:
        # Words of an agent about somebody, not of the user: "I" in them is not the user.
        told = talk.say(
            found,
            f"{entity.name}: {observation}",
            message_id=_id("observation", entity.name, observation),
            role="assistant",
        )
        found.kept["observations"] += told is not None


def _relate(
    talk: Conversation, found: ImportBatch, start: str, kind: str, end: str, users: frozenset[str] | set[str]
) -> None:
    relation = kind.replace("_", " ").strip()
    text = f"{start} {relation} {end}"
    place = talk.say(found, text, message_id=_id("relation", start, kind, end), role="assistant")
    if place is None:
        return
    word = name_key(relation)
    predicate = "PREFERS" if word in _LIKES else "DISLIKES" if word in _DISLIKES else "RELATES_TO"
    said = None if predicate != "RELATES_TO" else relation
    talk.facts.append(_fact(_name_of(start, users), predicate, _name_of(end, users), said, text, place))
    found.kept["relations"] += 1


def _fact(
    subject: str, predicate: str, obj: str, relation: str | None, statement: str, place: int, **more: Any
) -> ProvidedFact:
    return ProvidedFact(
        subject=subject,
        predicate=predicate,
        object=obj,
        relation=relation,
        statement=statement,
        message_indexes=(place,),
        **more,
    )


def _name_of(name: str, users: frozenset[str] | set[str]) -> str:
    return "user" if name in users else name


def _id(*parts: str) -> str:
    return f"{parts[0]}-{content_hash(*map(clean_text, parts))}"
