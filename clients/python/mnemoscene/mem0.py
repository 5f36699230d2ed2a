"""mem0: a replacement for `mem0.Memory` of mem0ai 2.2; the service keeps the memories. Needs no other library.

A memory is a fact that was read from the messages of `add`, or a message that is kept verbatim: with `infer=False`,
after `update`, or if nothing was read from what a user said. Verbatim messages have `mem0_id`, the memory's id, in
their metadata; their payload is the memory's history.
"""

from __future__ import annotations

import json
import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any, Final, Literal, get_args
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from mnemoscene.documents import Model, Operation
from mnemoscene.errors import BadInput, Conflict, NotFound
from mnemoscene.faces import AwaitingFace, BlockingFace, awaiting, blocking
from mnemoscene.items import GET, PUT, item_input
from mnemoscene.models import Connection, Message, RoleName, StoredMessage
from mnemoscene.operations import (
    FORGET,
    FORGET_FACT,
    FORGET_MESSAGE,
    SET_MESSAGE,
    MemoryOperations,
    gather,
    listing,
)
from mnemoscene.transport import Address, AwaitingTransport, BlockingTransport, Steps, ask, ask_each

logger = logging.getLogger(__name__)

SCOPES: Final = ("user_id", "agent_id", "run_id")
# Fields of a memory beside `metadata`; mem0 keeps them in its metadata as well.
PROMOTED: Final = (*SCOPES, "actor_id", "role", "expiration_date")
# Keys of our own in the metadata of messages.
KIND, ID, NESTED = "mem0_kind", "mem0_id", "mem0_json"
CREATED, UPDATED = "created_at", "updated_at"
VERBATIM: Final = "verbatim"
READ: Final = "read"
OPERATORS: Final = {"eq", "gt", "gte", "lt", "lte", "in", "contains"}
SECTIONS: Final = ("vector_store", "llm", "embedder", "reranker", "history_db_path", "custom_instructions")

DEFAULT_SESSION: Final = "mem0"
DELETED: Final = ["mem0", "deleted"]
DELETED_KEPT: Final = timedelta(days=90)
HISTORY_ROWS: Final = 100
TRIES: Final = 5
HITS_MAX: Final = 100
LEAST_SHARE: Final = 0.3
# Messages read to learn whose memories an agent or run has.
OWNERS_READ: Final = 10_000
PAGE: Final = 200
WAIT_S: Final = 60.0
UNSET: Final[Any] = object()


class ValidationError(ValueError):
    """An argument of `add` is invalid; as `mem0.exceptions.ValidationError`.

    Attributes:
        error_code: mem0's code.
        suggestion: what to do.
    """

    def __init__(self, message: str, error_code: str, details: dict[str, Any], suggestion: str) -> None:
        super().__init__(message)
        self.message, self.error_code, self.details, self.suggestion = message, error_code, details, suggestion


class ReadFact(Model):
    """A fact for which a message is evidence."""

    id: str
    statement: str
    invalid_at: datetime | None


class MemoryMessage(StoredMessage):
    """A message with its owner and what was read from it."""

    user_id: str
    facts: list[ReadFact]


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


@dataclass(frozen=True)
class Mem0Operations:
    """The methods of `Memory` and `AsyncMemory`.

    Attributes:
        wait_s: how long `add` waits until the service has read the messages.
    """

    wait_s: float = WAIT_S

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Steps[dict[str, Any]]:
        """Store messages and return the memories that they make, as `{"results": [{"id", "memory", "event"}]}`.

        Args:
            messages: a text, a message, or a list of messages as dicts with `role` and `content`.
            user_id, agent_id, run_id: whose memory it is; at least one of them.
            metadata: your properties, by which `search` and `get_all` filter.
            expiration_date: last day, as YYYY-MM-DD, on which it is returned.
            infer: False keeps the messages verbatim; True reads facts from them.
            timestamp, memory_type, prompt: not supported.

        Raises:
            ValidationError: no id, or the messages have another form.

        Example:
            memory.add("I love hiking in the Alps.", user_id="ana", metadata={"topic": "sport"})
        """
        if timestamp is not None:
            raise ValueError("timestamp is not supported; a metadata field created_at sets when it was said")
        expires = _day(expiration_date)
        scope = _scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not scope:
            raise ValidationError(
                "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.",
                "VALIDATION_001",
                {"provided_ids": {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}},
                "Please provide at least one identifier to scope the memory operation.",
            )
        if memory_type is not None:
            raise ValidationError(
                "Invalid 'memory_type': procedural memories are not supported.",
                "VALIDATION_002",
                {"provided_type": memory_type},
                "Leave memory_type out; procedures that a user tells are read as facts.",
            )
        if prompt is not None:
            logger.warning("add(): prompt is ignored; the service reads facts with its own instructions")
        payload = {**_without_ids(metadata or {}), **scope} | ({} if expires is None else {"expiration_date": expires})
        said = _said(messages, is_read=infer)
        if not said:
            return {"results": []}
        return {"results": (yield from self._read(said, payload) if infer else self._keep(said, payload))}

    def get(self, memory_id: str) -> Steps[dict[str, Any] | None]:
        """Return a memory; None if there is none.

        Example:
            memory.get(memory.get_all(filters={"user_id": "ana"})["results"][0]["id"])
        """
        kept = yield from _kept(memory_id)
        if kept is not None:
            return _memories(kept)[0]
        return (yield from _fact_memory(memory_id))

    def get_all(
        self, /, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, show_expired: bool = False, **kwargs: Any
    ) -> Steps[dict[str, Any]]:
        """Return memories, the latest first, as `{"results": [...]}`.

        Args:
            filters: at least one of `user_id`, `agent_id` and `run_id`, and conditions on the metadata, as of `search`.
            top_k: at most so many.
            show_expired: also those after their expiration date.

        Example:
            memory.get_all(filters={"user_id": "ana", "topic": {"in": ["sport", "food"]}}, top_k=100)
        """
        _check_ids_in_filters(kwargs, "get_all")
        limit = _count(kwargs.get("limit", top_k))
        user_id, where = _selection(filters, show_expired=show_expired)
        found: dict[str, dict[str, Any]] = {}
        pages = listing(MESSAGES, {"userId": user_id, "where": where, "newestFirst": True}, page_size=PAGE)
        cursor: str | None = None
        while len(found) < limit:
            page = yield from pages(cursor)
            for message in page.nodes:
                for memory in _memories(message):
                    found.setdefault(memory["id"], {name: value for name, value in memory.items() if name != "score"})
            cursor = page.next
            if cursor is None:
                break
        return {"results": list(found.values())[:limit]}

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> Steps[dict[str, Any]]:
        """Return the memories that answer a question, best first, as `{"results": [...]}`; each has a `score`.

        Args:
            top_k: at most so many, up to 100.
            filters: at least one of `user_id`, `agent_id` and `run_id`, and conditions on the metadata: values,
                operators (eq, ne, gt, gte, lt, lte, in, nin, contains, icontains), `"*"` for any value, and AND, OR
                and NOT with lists of filters. They apply before `top_k`.
            threshold: the lowest score.
            show_expired: also those after their expiration date.
            rerank, explain: without effect; the service always ranks by meaning and words.
            reference_date: not supported.

        Example:
            memory.search("What does she do outdoors?", filters={"user_id": "ana"}, top_k=3)["results"]
        """
        if reference_date is not None:
            raise ValueError("reference_date is not supported")
        _check_ids_in_filters(kwargs, "search")
        if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
            raise ValueError(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")
        limit = min(_count(kwargs.get("limit", top_k)), HITS_MAX)
        if not isinstance(query, str) or not query.strip():
            raise ValueError("Invalid query: cannot be empty or whitespace-only.")
        user_id, where = _selection(filters, show_expired=show_expired)
        found: dict[str, dict[str, Any]] = {}
        for owner in (yield from _owners(user_id, where)) if limit else ():
            for memory in (yield from _ranked(owner, query.strip(), where, limit)):
                found.setdefault(memory["id"], memory)
        least = 0.1 if threshold is None else threshold
        ranked = sorted(found.values(), key=lambda memory: -memory["score"])
        return {"results": [memory for memory in ranked if memory["score"] >= least][:limit]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = UNSET,
        data: str | None = None,
    ) -> Steps[dict[str, str]]:
        """Replace a memory's text, and fields of its metadata; the old text stays in its history only.

        Args:
            expiration_date: as of `add`; None removes it.
            data: as `text`.

        Raises:
            ValueError: there is no such memory, or nothing to change.

        Example:
            found = memory.get_all(filters={"user_id": "ana"})["results"][0]
            memory.update(found["id"], "Ana loves hiking in the Dolomites.")
        """
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        changes = _without_ids(metadata or {})
        if expiration_date is not UNSET:
            changes["expiration_date"] = _day(expiration_date)
        for tries_left in reversed(range(TRIES)):
            kept = yield from _kept(memory_id)
            if kept is None:
                yield from _replace_fact(memory_id, text, changes)
                break
            payload = _payload(kept.metadata) | changes
            row = _row(memory_id, kept.text, text if text is not None else kept.text, "UPDATE", payload)
            try:
                yield from ask(
                    SET_MESSAGE,
                    {
                        "userId": kept.user_id,
                        "sessionId": kept.session_id,
                        "id": kept.uri,
                        "text": text,
                        "metadata": _metadata(payload, VERBATIM, memory_id, updated_at=row[UPDATED]),
                        "raw": {"history": [*_rows(kept), row][-HISTORY_ROWS:]},
                        "ifVersion": kept.version,
                    },
                )
                break
            except Conflict:
                if not tries_left:
                    raise
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Steps[dict[str, str]]:
        """Delete a memory for good. Its history keeps when it changed, but no text.

        Raises:
            ValueError: there is no such memory.

        Example:
            memory.delete(memory.get_all(filters={"user_id": "ana"})["results"][0]["id"])
        """
        rows = yield from self.history(memory_id)
        kept = yield from _kept(memory_id)
        try:
            if kept is not None:
                yield from ask(FORGET_MESSAGE, {"id": kept.uri})
            else:
                yield from ask(FORGET_FACT, {"id": (_place(memory_id) or [memory_id])[0]})
        except (NotFound, BadInput) as error:
            raise ValueError(f"Memory with id {memory_id} not found") from error
        last = _row(memory_id, None, None, "DELETE", {CREATED: rows[0][CREATED] if rows else None}) | {
            "is_deleted": True
        }
        told = [{**row, "old_memory": None, "new_memory": None, "actor_id": None} for row in [*rows, last]]
        write = item_input(None, DELETED, memory_id, {"history": told}, index=[], ttl=DELETED_KEPT)
        yield from ask(PUT, {"items": [write]})
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Steps[dict[str, str]]:
        """Delete all memories of a user, agent or run, with the messages from which they were read.

        With `user_id` alone also what came in by other ways than mem0's.

        Example:
            memory.delete_all(user_id="ana", run_id="trial")
        """
        scope = _scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not scope:
            raise ValueError(
                "At least one filter is required to delete all memories. If you want to delete all memories, use the"
                " `reset()` method."
            )
        owner = scope.pop("user_id", None)
        everything = {"before": datetime.now(UTC) + timedelta(days=1)}
        yield from _forget(owner, scope, everything if not scope else {"where": scope})
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> Steps[list[dict[str, Any]]]:
        """Return the changes of a memory, oldest first; of a deleted memory only when they happened.

        Example:
            found = memory.get_all(filters={"user_id": "ana"})["results"][0]
            [(change["event"], change["new_memory"]) for change in memory.history(found["id"])]
        """
        kept = yield from _kept(memory_id)
        if kept is not None:
            return _rows(kept)
        rows = yield from _fact_rows(memory_id)
        if rows:
            return rows
        deleted = yield from ask(GET, {"namespace": DELETED, "key": memory_id})
        return [] if deleted is None else list(deleted.value["history"])

    def reset(self) -> Steps[None]:
        """Delete everything that was added by mem0's interface, of all users of the tenant.

        Example:
            memory.reset()
        """
        where = {KIND: {"in": [VERBATIM, READ]}}
        yield from _forget(None, where, {"where": where})

    def _keep(self, said: Sequence[dict[str, Any]], payload: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """Store messages verbatim and unread."""
        now = datetime.now(UTC)
        operations, session_id = _target(payload)
        results, messages = [], []
        for number, one in enumerate(said):
            memory_id = _memory_id(str(uuid4()), operations.owner, session_id)
            told = {**payload, "role": one["role"]}
            if one.get("name"):
                told["actor_id"] = str(one["name"])
            at = _time(payload.get(CREATED)) or now + timedelta(microseconds=number)
            told.setdefault(CREATED, at.isoformat())
            messages.append(_kept_message(memory_id, one["content"], told, at))
            event = {"id": memory_id, "memory": one["content"], "event": "ADD"}
            results.append(event | {"actor_id": told.get("actor_id"), "role": one["role"]})
        yield from operations.remember(messages, session_id=session_id, extract=False)
        return results

    def _read(self, said: Sequence[dict[str, Any]], payload: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """Store messages, wait until they are read, and keep verbatim what a user said if nothing was read from it."""
        at = _time(payload.get(CREATED)) or datetime.now(UTC)
        shared = {CREATED: at.isoformat(), **payload}
        messages = [
            Message(
                role=_role(one["role"]),
                text=one["content"],
                speaker=one.get("name"),
                time=at + timedelta(microseconds=number),
                metadata=_metadata(shared, READ),
            )
            for number, one in enumerate(said)
        ]
        operations, session_id = _target(payload)
        receipt = yield from operations.remember(messages, session_id=session_id)
        if not (yield from operations.wait(self.wait_s, session_id=session_id)):
            logger.warning("add(): the messages are stored, but were not read within %s s", self.wait_s)
            return []
        results: dict[str, dict[str, Any]] = {}
        addresses = [{"userId": operations.owner, "sessionId": session_id, "id": id_} for id_ in receipt.ids]
        for address, message in zip(addresses, (yield from ask_each(MESSAGE, addresses)), strict=True):
            if message is None:
                continue
            for fact in _valid(message):
                fact_id = _memory_id(fact.id, operations.owner)
                results[fact_id] = {"id": fact_id, "memory": fact.statement, "event": "ADD"}
            if message.facts or message.role != "user" or message.text.rstrip().endswith(("?", "？")):
                continue
            memory_id = _memory_id(message.id, operations.owner, session_id)
            told = {**_payload(message.metadata), "role": "user"}
            kept = _kept_message(memory_id, message.text, told, message.time)
            yield from ask(SET_MESSAGE, {**address, "metadata": kept.metadata, "raw": kept.raw})
            results[memory_id] = {"id": memory_id, "memory": message.text, "event": "ADD"}
        return list(results.values())


class Memory(BlockingFace):
    """The memories of all users of a tenant, with the methods and answers of `mem0.Memory`.

    The service's key must be one for the whole tenant.

    Args:
        config: a configuration of mem0, whose sections are the service's own business here; see `from_config`.
        url, key, tenant: as of `mnemoscene.Memory`.
        wait_s: how long `add` waits until the service has read the messages.

    Example:
        memory = Memory(url="http://127.0.0.1:7780")
        memory.add("I love hiking in the Alps.", user_id="ana")
        memory.search("What does she do outdoors?", filters={"user_id": "ana"})["results"]
    """

    def __init__(
        self,
        config: Any = None,
        *,
        url: str | None = None,
        key: str | None = None,
        tenant: str | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self.config = config
        self._operations = Mem0Operations(wait_s)
        self._transport = BlockingTransport(Address.of(url, key, tenant))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Return a memory for a configuration of mem0, with our arguments as its section `mnemoscene`.

        The other sections are ignored: the service chooses models and stores.

        Example:
            Memory.from_config({"mnemoscene": {"url": "http://127.0.0.1:7780"}})
        """
        return cls(config_dict, **_arguments(config_dict))

    add = blocking(Mem0Operations.add)
    get = blocking(Mem0Operations.get)
    get_all = blocking(Mem0Operations.get_all)
    search = blocking(Mem0Operations.search)
    update = blocking(Mem0Operations.update)
    delete = blocking(Mem0Operations.delete)
    delete_all = blocking(Mem0Operations.delete_all)
    history = blocking(Mem0Operations.history)
    reset = blocking(Mem0Operations.reset)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncMemory(AwaitingFace):
    """As `Memory`, with the methods of `mem0.AsyncMemory`: await each.

    Example:
        memory = AsyncMemory(url="http://127.0.0.1:7780")
        await memory.add("I love hiking in the Alps.", user_id="ana")
    """

    def __init__(
        self,
        config: Any = None,
        *,
        url: str | None = None,
        key: str | None = None,
        tenant: str | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self.config = config
        self._operations = Mem0Operations(wait_s)
        self._transport = AwaitingTransport(Address.of(url, key, tenant))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        """As `Memory.from_config`."""
        return cls(config_dict, **_arguments(config_dict))

    add = awaiting(Mem0Operations.add)
    get = awaiting(Mem0Operations.get)
    get_all = awaiting(Mem0Operations.get_all)
    search = awaiting(Mem0Operations.search)
    update = awaiting(Mem0Operations.update)
    delete = awaiting(Mem0Operations.delete)
    delete_all = awaiting(Mem0Operations.delete_all)
    history = awaiting(Mem0Operations.history)
    reset = awaiting(Mem0Operations.reset)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


def _arguments(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return our arguments in a configuration of mem0."""
    if not isinstance(config, Mapping):
        raise ValueError(f"config must be a dict, got {type(config).__name__}")
    ignored = sorted(set(config) & set(SECTIONS))
    if ignored:
        logger.warning("from_config(): ignored, because the service chooses models and stores: %s", ", ".join(ignored))
    return dict(config.get("mnemoscene") or {})


def _memory_id(element_id: str, owner: str, session_id: str = DEFAULT_SESSION) -> str:
    """Return the id of a memory, which says where the fact or message is: its id, owner, and session if need be."""
    place = [owner] if session_id == DEFAULT_SESSION else [owner, session_id]
    return f"{element_id}~{urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip('=')}"


def _place(memory_id: Any) -> tuple[str, str, str] | None:
    """Return the parts of the id of a memory; None for another text."""
    element_id, _, told = str(memory_id).partition("~")
    try:
        owner, session_id = [*json.loads(urlsafe_b64decode(told + "=" * (-len(told) % 4))), DEFAULT_SESSION][:2]
    except (ValueError, TypeError):
        return None
    return (element_id, owner, session_id) if isinstance(owner, str) and isinstance(session_id, str) else None


def _kept(memory_id: str) -> Steps[MemoryMessage | None]:
    """Return the verbatim message that is this memory; None if there is none."""
    place = _place(memory_id)
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
    place = _place(memory_id)
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


def _owner(fact: DatedFact) -> str:
    return unquote(urlsplit(fact.uri).path.split("/")[2])


def _fact_memory(memory_id: str) -> Steps[dict[str, Any] | None]:
    """Return a fact as a memory, with the metadata of its evidence; None if there is none."""
    fact = yield from _fact(memory_id)
    if fact is None:
        return None
    proof = yield from _proof(fact)
    payload = {} if proof is None else _payload(proof.metadata)
    return _memory(memory_id, fact.statement, _owner(fact), payload, fact.created_at, fact.updated_at)


def _fact_rows(memory_id: str) -> Steps[list[dict[str, Any]]]:
    """Return the history of a fact by its wordings; empty if there is none."""
    place = _place(memory_id)
    try:
        versions = [] if place is None else (yield from ask(WORDINGS, {"id": place[0]}))
    except (NotFound, BadInput):
        return []
    rows: list[dict[str, Any]] = []
    old: Wording | None = None
    for new in (version for version in versions if place and version.id == place[0]):
        at = new.known_at if old is None else old.closing_known_at or new.known_at
        row = _row(
            memory_id,
            None if old is None else old.statement,
            new.statement,
            "UPDATE" if old else "ADD",
            {CREATED: versions[0].known_at.isoformat()},
        )
        rows.append(row | {UPDATED: at.isoformat()})
        old = new
    return rows


def _replace_fact(memory_id: str, text: str | None, changes: Mapping[str, Any]) -> Steps[None]:
    """Replace a fact by a verbatim message with its id, which is then read like others.

    Raises:
        ValueError: there is no such fact.
    """
    fact = yield from _fact(memory_id)
    if fact is None:
        raise ValueError(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
    proof = yield from _proof(fact)
    ids = _scope_of(_owner(fact)) | ({} if proof is None else _payload(proof.metadata))
    created = fact.created_at or datetime.now(UTC)
    payload = {CREATED: created.isoformat(), **ids, **changes}
    rows = yield from _fact_rows(memory_id)
    said = fact.statement if text is None else text
    rows.append(_row(memory_id, fact.statement, said, "UPDATE", payload))
    message = _kept_message(memory_id, said, payload, datetime.now(UTC), rows)
    yield from _operations_of(_owner(fact)).remember(message, session_id=DEFAULT_SESSION)
    try:
        yield from ask(FORGET_FACT, {"id": fact.id})
    except NotFound:
        return


def _ranked(owner: str, query: str, where: Mapping[str, Any], limit: int) -> Steps[list[dict[str, Any]]]:
    """Return the memories of an owner that answer a question, best first.

    Facts have the score of the message from which they were read; if there are several, in proportion to their own.
    """
    recall = _operations_of(owner).recall
    kept = min(2 * limit, HITS_MAX)
    hits = yield from recall(query, limit=kept, kinds=["message"], where=where or None, evidence=0)
    facts = yield from recall(query, limit=HITS_MAX, kinds=["fact"], where=where or None, evidence=0)
    scores = {_memory_id(fact.id, owner): fact.score for fact in facts}
    messages = yield from ask_each(MESSAGE, [_address(hit.uri) for hit in hits])
    memories: dict[str, dict[str, Any]] = {}
    for hit, message in zip(hits, messages, strict=True):
        of_message = [] if message is None else _memories(message)
        best = max((scores.get(memory["id"], 0.0) for memory in of_message), default=0.0)
        for memory in of_message:
            share = max(scores.get(memory["id"], 0.0) / best, LEAST_SHARE) if best else 1.0
            memory["score"] = round(hit.score * share, 6)
            if memory["id"] not in memories or memory["score"] > memories[memory["id"]]["score"]:
                memories[memory["id"]] = memory
    return list(memories.values())


def _address(uri: str) -> dict[str, str]:
    """Return the arguments that name the message with this URI."""
    _, _, user_id, session_id, *_ = urlsplit(uri).path.split("/")
    return {"userId": unquote(user_id), "sessionId": unquote(session_id), "id": uri}


def _owners(user_id: str | None, where: Mapping[str, Any]) -> Steps[list[str]]:
    """Return the owners of the messages that match; the user, if one is given."""
    if user_id is not None:
        return [user_id]
    found = yield from gather(listing(MESSAGES, {"where": where, "newestFirst": True}, OWNERS_READ, PAGE))
    return list(dict.fromkeys(message.user_id for message in found))


def _forget(user_id: str | None, where: Mapping[str, Any], what: Mapping[str, Any]) -> Steps[None]:
    """Delete what is named of a user, or of all owners of messages that match."""
    done: set[str] = set()
    # Owners of the latest messages come first; when these are gone, others may follow.
    while owners := [owner for owner in (yield from _owners(user_id, where)) if owner not in done]:
        for owner in owners:
            try:
                yield from ask(FORGET, {"userId": owner, **what})
            except NotFound:
                continue
            finally:
                done.add(owner)


def _operations_of(owner: str) -> MemoryOperations:
    kind, _, name = owner.partition(":")
    is_agent = kind == "agent" and name
    return MemoryOperations(user_id=None, agent_id=name) if is_agent else MemoryOperations(user_id=owner)


def _target(payload: Mapping[str, Any]) -> tuple[MemoryOperations, str]:
    """Return the memory and the session in which memories with these ids are kept."""
    user_id, agent_id, run_id = (payload.get(name) for name in SCOPES)
    if not user_id and not agent_id:
        user_id = f"run:{run_id}"
    return MemoryOperations(user_id=user_id, agent_id=agent_id), run_id or DEFAULT_SESSION


def _scope_of(owner: str) -> dict[str, str]:
    """Return the ids of a memory that has none in its metadata."""
    kind, _, name = owner.partition(":")
    return {f"{kind}_id": name} if kind in ("agent", "run") and name else {"user_id": owner}


def _scope(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that are given, as texts.

    Raises:
        ValueError: one is empty or contains white space.
    """
    given = {name: str(value).strip() for name, value in ids.items() if value is not None}
    for name, value in given.items():
        if not value or len(value.split()) > 1:
            raise ValueError(f"Invalid {name}: cannot be empty or contain whitespace. Provide a valid identifier.")
    return given


def _without_ids(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without the keys that decide whose memory it is."""
    ignored = [name for name in metadata if name in (*SCOPES, "actor_id", KIND, ID, NESTED)]
    if ignored:
        logger.warning("metadata: ignored, because it cannot be set there: %s", ", ".join(ignored))
    return {str(name): value for name, value in metadata.items() if name not in ignored}


def _day(value: Any) -> str | None:
    """Return an expiration date as YYYY-MM-DD.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, datetime):
        return value.date().isoformat()
    if value is None:
        return None
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError) as error:
        raise ValueError("expiration_date must be a valid date in YYYY-MM-DD format.") from error


def _time(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _count(top_k: Any) -> int:
    if not isinstance(top_k, int) or isinstance(top_k, bool):
        raise ValueError("top_k must be a valid integer")
    if top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")
    return top_k


def _check_ids_in_filters(arguments: Mapping[str, Any], method: str) -> None:
    told = sorted(set(SCOPES) & set(arguments))
    if told:
        raise ValueError(
            f"Top-level entity parameters {told} are not supported in {method}(). Use filters={{'user_id': '...'}}"
            " instead."
        )
    unknown = sorted(set(arguments) - {"limit"})
    if unknown:
        logger.warning("%s(): ignored arguments: %s", method, ", ".join(unknown))


def _said(messages: Any, *, is_read: bool) -> list[dict[str, Any]]:
    """Return messages with `role` and text as `content`, without those that have none.

    Raises:
        ValidationError: they have another form.
    """
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    if isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list):
        raise ValidationError(
            "messages must be str, dict, or list[dict]",
            "VALIDATION_003",
            {"provided_type": type(messages).__name__, "valid_types": ["str", "dict", "list[dict]"]},
            "Convert your input to a string, dictionary, or list of dictionaries.",
        )
    said = []
    for one in messages:
        if not isinstance(one, Mapping) or one.get("role") is None:
            logger.warning("add(): skipping a message without a role")
            continue
        content = one.get("content")
        if isinstance(content, list):
            parts = [part["text"] for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
            content = " ".join(parts)
        if isinstance(content, str) and content and (is_read or one["role"] != "system"):
            said.append({**one, "content": content})
    return said


def _role(role: Any) -> RoleName:
    named = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant"}.get(role, role)
    known: tuple[RoleName, ...] = get_args(RoleName)
    return next((name for name in known if name == named), "event")


def _metadata(
    payload: Mapping[str, Any],
    kind: Literal["verbatim", "read"],
    memory_id: str | None = None,
    *,
    updated_at: str | None = None,
) -> dict[str, Any]:
    """Return what a message carries of a memory; values that no filter can compare are kept as JSON."""
    flat = {name: value for name, value in payload.items() if _is_flat(value)}
    rest = {name: value for name, value in payload.items() if name not in flat and value is not None}
    own = {KIND: kind, ID: memory_id, UPDATED: updated_at, NESTED: json.dumps(rest) if rest else None}
    return flat | {name: value for name, value in own.items() if value is not None}


def _is_flat(value: Any) -> bool:
    return isinstance(value, str | int | float) or (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    )


def _payload(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a memory that a message carries."""
    rest = json.loads(metadata[NESTED]) if metadata.get(NESTED) else {}
    return {name: value for name, value in metadata.items() if name not in (KIND, ID, NESTED)} | rest


def _kept_message(
    memory_id: str, text: str, payload: Mapping[str, Any], at: datetime, rows: Sequence[Mapping[str, Any]] = ()
) -> Message:
    """Return the message that keeps a memory verbatim; its history is new unless given."""
    history = list(rows) or [_row(memory_id, None, text, "ADD", payload)]
    actor = payload.get("actor_id")
    return Message(
        role=_role(payload.get("role", "user")),
        text=text,
        id=memory_id.partition("~")[0],
        speaker=actor if isinstance(actor, str) else None,
        time=at,
        metadata=_metadata(payload, VERBATIM, memory_id, updated_at=history[-1][UPDATED]),
        raw={"history": history},
    )


def _row(
    memory_id: str,
    old: str | None,
    new: str | None,
    event: Literal["ADD", "UPDATE", "DELETE"],
    payload: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a change of a memory that happens now."""
    now = datetime.now(UTC).isoformat()
    created = payload.get(CREATED) or now
    return {
        "id": str(uuid4()),
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        CREATED: created,
        UPDATED: created if event == "ADD" else now,
        "is_deleted": event == "DELETE",
        "actor_id": payload.get("actor_id"),
        "role": payload.get("role"),
    }


def _rows(kept: MemoryMessage) -> list[dict[str, Any]]:
    rows = kept.raw.get("history") if isinstance(kept.raw, Mapping) else None
    return [dict(row) for row in rows or ()]


def _valid(message: MemoryMessage) -> list[ReadFact]:
    return [fact for fact in message.facts if fact.invalid_at is None]


def _memories(message: MemoryMessage) -> list[dict[str, Any]]:
    """Return the memories in a message: itself, if it is kept verbatim, or what was read from it."""
    payload = _payload(message.metadata)
    if message.metadata.get(KIND) == VERBATIM:
        kept_id = message.metadata[ID]
        return [_memory(kept_id, message.text, message.user_id, payload, message.time, message.updated_at)]
    return [
        _memory(
            _memory_id(fact.id, message.user_id), fact.statement, message.user_id, payload, message.time, message.time
        )
        for fact in _valid(message)
    ]


def _memory(
    memory_id: str,
    text: str,
    owner: str,
    payload: Mapping[str, Any],
    created: datetime | None,
    updated: datetime | None,
    score: float | None = None,
) -> dict[str, Any]:
    """Return a memory in the form of mem0."""
    fields = dict(payload) if any(name in payload for name in SCOPES) else {**_scope_of(owner), **payload}
    own = {name: value for name, value in fields.items() if name not in (*PROMOTED, CREATED, UPDATED)}
    return {
        "id": memory_id,
        "memory": text,
        "hash": md5(text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": own or None,
        "score": score,
        CREATED: fields.get(CREATED) or (created and created.isoformat()),
        UPDATED: fields.get(UPDATED) or (updated and updated.isoformat()),
        **{name: fields[name] for name in PROMOTED if name in fields},
    }


def _selection(filters: Mapping[str, Any] | None, *, show_expired: bool) -> tuple[str | None, dict[str, Any]]:
    """Return the user of filters, if they name one, and the other conditions in the words of the service.

    Raises:
        ValueError: they name no id, or something is unknown.
    """
    given = dict(filters or {})
    ids = _scope({name: given.pop(name) for name in SCOPES if name in given})
    if not ids:
        raise ValueError(
            "filters must contain at least one of: user_id, agent_id, run_id. Example: filters={'user_id': 'u1'}"
        )
    user_id = ids.pop("user_id", None)
    parts: list[dict[str, Any]] = [{name: value} for name, value in ids.items()] + _conditions(given)
    if not show_expired:
        parts.append({"NOT": {"expiration_date": {"lt": datetime.now(UTC).date().isoformat()}}})
    return user_id, {} if not parts else parts[0] if len(parts) == 1 else {"AND": parts}


def _conditions(filters: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [condition for key, value in filters.items() for condition in _condition(key, value)]


def _condition(key: str, value: Any) -> list[dict[str, Any]]:
    """Return one condition of mem0 as conditions of the service."""
    if key in ("AND", "OR", "NOT"):
        if not isinstance(value, list) or not value or not all(isinstance(part, Mapping) and part for part in value):
            raise ValueError(f"{key} operator requires a non-empty list of conditions")
        parts = [{"AND": _conditions(part)} for part in value]
        return [{"NOT": {"OR": parts}}] if key == "NOT" else [{key: parts}]
    if value == "*":
        return [{key: {"ne": None}}]
    if isinstance(value, list):
        return [{key: {"in": value}}]
    if not isinstance(value, Mapping):
        return [{key: {"eq": value}}]
    conditions: list[dict[str, Any]] = []
    for operator, operand in value.items():
        if operator in ("ne", "nin"):
            inner = "eq" if operator == "ne" else "in"
            # In mem0's default store they match only what has the key.
            conditions += [{key: {"ne": None}}, {"NOT": {key: {inner: operand}}}]
        elif operator in OPERATORS or operator == "icontains":
            conditions.append({key: {operator.replace("icontains", "contains"): operand}})
        else:
            raise ValueError(f"Unsupported metadata filter operator: {operator}")
    return conditions
