"""Requests behind the methods of mem0: memories found by id, by question and by filter, and their history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from mnemoscene.documents import Model, Operation
from mnemoscene.errors import BadInput, NotFound
from mnemoscene.items import GET, PUT, item_input
from mnemoscene.mem0.conversions import (
    CREATED,
    DEFAULT_SESSION,
    ID,
    KIND,
    UPDATED,
    MemoryMessage,
    history_row,
    ids_of_owner,
    memories_of,
    memory_answer,
    memory_id_of,
    parsed_memory_id,
    payload_of,
    verbatim_message,
)
from mnemoscene.mem0.filters import SCOPES
from mnemoscene.models import Connection
from mnemoscene.operations import FORGET, FORGET_FACT, USERS, MemoryOperations, gather, listing
from mnemoscene.transport import Steps, ask, ask_each

HITS_MAX: Final = 100
LEAST_SHARE: Final = 0.3
PAGE_MAX: Final = 200
DELETED: Final = ["mem0", "deleted"]
DELETED_KEPT: Final = timedelta(days=90)


class MessageId(Model):
    """A message that matches a filter."""

    id: str


class Proof(Model):
    """Address of a message that is evidence for a fact."""

    uri: str


class ProvenFact(Model):
    """A fact and the addresses of its evidence."""

    id: str
    evidence: list[Proof]


class DatedFact(Model):
    """A fact, and when it was stored and changed."""

    id: str
    uri: str
    statement: str
    created_at: datetime | None
    updated_at: datetime | None


class Wording(Model):
    """A version of a fact in its history."""

    id: str
    statement: str
    known_at: datetime
    closing_known_at: datetime | None


MESSAGES: Final = Operation[Connection[MemoryMessage]](
    "query",
    "messages",
    Connection[MemoryMessage],
    {
        "userId": "String",
        "sessionId": "String",
        "where": "JSON",
        "newestFirst": "Boolean",
        "first": "Int",
        "after": "String",
    },
)
MATCHES: Final = Operation[Connection[MessageId]](
    "query",
    "messages",
    Connection[MessageId],
    {"userId": "String", "where": "JSON", "first": "Int"},
)
MESSAGE: Final = Operation[MemoryMessage | None](
    "query", "message", MemoryMessage | None, {"userId": "String!", "sessionId": "String!", "id": "String!"}
)
PROVEN: Final = Operation[Connection[ProvenFact]](
    "query",
    "facts",
    Connection[ProvenFact],
    {"userId": "String!", "text": "String", "includeClosed": "Boolean", "first": "Int"},
)
DATED: Final = Operation[DatedFact]("query", "fact", DatedFact, {"id": "String!"})
WORDINGS: Final = Operation[list[Wording]]("query", "factHistory", list[Wording], {"id": "String!"})


def _address(uri: str) -> dict[str, str]:
    """Return the arguments that name the message with this URI."""
    _, _, user_id, session_id, *_ = urlsplit(uri).path.split("/")
    return {"userId": unquote(user_id), "sessionId": unquote(session_id), "id": uri}


def _owner(fact: DatedFact) -> str:
    return unquote(urlsplit(fact.uri).path.split("/")[2])


def _operations_of(owner: str) -> MemoryOperations:
    kind, _, name = owner.partition(":")
    is_agent = kind == "agent" and name
    return MemoryOperations(user_id=None, agent_id=name) if is_agent else MemoryOperations(user_id=owner)


def target_of(payload: Mapping[str, Any]) -> tuple[MemoryOperations, str]:
    """Return the memory and the session in which memories with these ids are kept."""
    user_id, agent_id, run_id = (payload.get(name) for name in SCOPES)
    if not user_id and not agent_id:
        user_id = f"run:{run_id}"
    return MemoryOperations(user_id=user_id, agent_id=agent_id), run_id or DEFAULT_SESSION


def read_verbatim(memory_id: str) -> Steps[MemoryMessage | None]:
    """Return the verbatim message that is this memory; None if there is none."""
    place = parsed_memory_id(memory_id)
    if place is None:
        return None
    element_id, owner, session_id = place
    try:
        message = yield from ask(MESSAGE, {"userId": owner, "sessionId": session_id, "id": element_id})
    except (NotFound, BadInput):
        return None
    return message if message is not None and message.metadata.get(ID) == memory_id else None


def _fact(memory_id: str) -> Steps[DatedFact | None]:
    """Return the fact that is this memory; None if there is none."""
    place = parsed_memory_id(memory_id)
    try:
        return None if place is None else (yield from ask(DATED, {"id": place[0]}))
    except (NotFound, BadInput):
        return None


def _proof(fact: DatedFact) -> Steps[MemoryMessage | None]:
    """Return a message that is evidence for a fact, preferably one that `add` stored."""
    asked = {"userId": _owner(fact), "text": fact.statement, "includeClosed": True, "first": 20}
    found = yield from ask(PROVEN, asked)
    uris = [proof.uri for one in found.nodes if one.id == fact.id for proof in one.evidence]
    messages = yield from ask_each(MESSAGE, [_address(uri) for uri in uris])
    proofs = [message for message in messages if message is not None]
    return min(proofs, key=lambda message: KIND not in message.metadata, default=None)


def read_fact_memory(memory_id: str) -> Steps[dict[str, Any] | None]:
    """Return a fact as a memory, with the metadata of its evidence; None if there is none."""
    fact = yield from _fact(memory_id)
    if fact is None:
        return None
    proof = yield from _proof(fact)
    payload = {} if proof is None else payload_of(proof.metadata)
    return memory_answer(memory_id, fact.statement, _owner(fact), payload, fact.created_at, fact.updated_at)


def read_fact_history(memory_id: str) -> Steps[list[dict[str, Any]]]:
    """Return the history of a fact by its wordings; empty if there is none."""
    place = parsed_memory_id(memory_id)
    try:
        versions = [] if place is None else (yield from ask(WORDINGS, {"id": place[0]}))
    except (NotFound, BadInput):
        return []
    rows: list[dict[str, Any]] = []
    old: Wording | None = None
    for new in (version for version in versions if place and version.id == place[0]):
        at = new.known_at if old is None else old.closing_known_at or new.known_at
        row = history_row(
            memory_id,
            None if old is None else old.statement,
            new.statement,
            "UPDATE" if old else "ADD",
            {CREATED: versions[0].known_at.isoformat()},
        )
        rows.append(row | {UPDATED: at.isoformat()})
        old = new
    return rows


def replace_fact(memory_id: str, text: str | None, changes: Mapping[str, Any]) -> Steps[None]:
    """Replace a fact by a verbatim message with its id, which is then read like others.

    Raises:
        ValueError: there is no such fact.
    """
    fact = yield from _fact(memory_id)
    if fact is None:
        raise ValueError(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
    proof = yield from _proof(fact)
    ids = ids_of_owner(_owner(fact)) | ({} if proof is None else payload_of(proof.metadata))
    created = fact.created_at or datetime.now(UTC)
    payload = {CREATED: created.isoformat(), **ids, **changes}
    rows = yield from read_fact_history(memory_id)
    said = fact.statement if text is None else text
    rows.append(history_row(memory_id, fact.statement, said, "UPDATE", payload))
    message = verbatim_message(memory_id, said, payload, datetime.now(UTC), rows)
    yield from _operations_of(_owner(fact)).remember(message, session_id=DEFAULT_SESSION)
    try:
        yield from ask(FORGET_FACT, {"id": fact.id})
    except NotFound:
        return


def ranked_memories(owner: str, query: str, where: Mapping[str, Any], limit: int) -> Steps[list[dict[str, Any]]]:
    """Return the memories of an owner that answer a question, best first.

    Facts have the score of the message from which they were read; if there are several, in proportion to their own.
    """
    recall = _operations_of(owner).recall
    kept = min(2 * limit, HITS_MAX)
    hits = yield from recall(query, limit=kept, kinds=["message"], where=where or None, evidence=0)
    facts = yield from recall(query, limit=HITS_MAX, kinds=["fact"], where=where or None, evidence=0)
    scores = {memory_id_of(fact.id, owner): fact.score for fact in facts}
    messages = yield from ask_each(MESSAGE, [_address(hit.uri) for hit in hits])
    memories: dict[str, dict[str, Any]] = {}
    for hit, message in zip(hits, messages, strict=True):
        of_message = [] if message is None else memories_of(message)
        best = max((scores.get(memory["id"], 0.0) for memory in of_message), default=0.0)
        for memory in of_message:
            share = max(scores.get(memory["id"], 0.0) / best, LEAST_SHARE) if best else 1.0
            memory["score"] = round(hit.score * share, 6)
            if memory["id"] not in memories or memory["score"] > memories[memory["id"]]["score"]:
                memories[memory["id"]] = memory
    return list(memories.values())


def newest_memories(owner: str, where: Mapping[str, Any], limit: int) -> Steps[list[dict[str, Any]]]:
    """Return the memories of an owner that pass a filter, the latest first."""
    pages = listing(
        MESSAGES, {"userId": owner, "where": where, "newestFirst": True}, page_size=min(max(limit, 1), PAGE_MAX)
    )
    memories: dict[str, dict[str, Any]] = {}
    cursor: str | None = None
    while len(memories) < limit:
        page = yield from pages(cursor)
        for memory in (memory for message in page.nodes for memory in memories_of(message)):
            memories.setdefault(memory["id"], {name: value for name, value in memory.items() if name != "score"})
        cursor = page.next
        if cursor is None:
            break
    return list(memories.values())[:limit]


def find_owners(user_id: str | None, where: Mapping[str, Any]) -> Steps[list[str]]:
    """Return the user, if one is given, or all users and agents of the tenant with messages that pass a filter."""
    if user_id is not None:
        return [user_id]
    users = [user.user_id for user in (yield from gather(listing(USERS, {})))]
    pages = yield from ask_each(MATCHES, [{"userId": user, "where": where, "first": 1} for user in users])
    # A page that is empty and not the last one says that the service is still searching.
    return [user for user, page in zip(users, pages, strict=True) if page.nodes or page.page_info.has_next_page]


def forget_memories(user_id: str | None, where: Mapping[str, Any], what: Mapping[str, Any]) -> Steps[None]:
    """Delete what is named of the user, if one is given, or of all owners of messages that pass a filter."""
    for owner in (yield from find_owners(user_id, where)):
        try:
            yield from ask(FORGET, {"userId": owner, **what})
        except NotFound:
            continue


def keep_deleted_history(memory_id: str, rows: Sequence[Mapping[str, Any]]) -> Steps[None]:
    """Keep when a deleted memory changed, among the items of its owner: they are deleted with the user."""
    place = parsed_memory_id(memory_id)
    if place is not None:
        hidden = {"old_memory": None, "new_memory": None, "actor_id": None, "memory_id": None}
        told = [{**row, **hidden} for row in rows]
        write = item_input(place[1], DELETED, _digest(memory_id), {"history": told}, index=[], ttl=DELETED_KEPT)
        yield from ask(PUT, {"items": [write]})


def read_deleted_history(memory_id: str) -> Steps[list[dict[str, Any]]]:
    """Return what is kept of the history of a deleted memory; empty if there is none."""
    place = parsed_memory_id(memory_id)
    if place is None:
        return []
    item = yield from ask(GET, {"userId": place[1], "namespace": DELETED, "key": _digest(memory_id)})
    return [] if item is None else [{**row, "memory_id": memory_id} for row in item.value["history"]]


def _digest(memory_id: str) -> str:
    return sha256(memory_id.encode()).hexdigest()
