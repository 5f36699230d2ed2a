"""Memories of mem0 and the messages and facts in which the service keeps them, converted both ways. Pure.

A memory is a fact that was read from the messages of `add`, or a message that is kept verbatim: with `infer=False`,
after `update`, or if nothing was read from what a user said. Verbatim messages have `mem0_id`, the memory's id, in
their metadata; their payload is the memory's history.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import md5
from typing import Any, Final, Literal, get_args
from uuid import uuid4

from mnemoscene.documents import Model
from mnemoscene.mem0.filters import SCOPES, logger
from mnemoscene.models import Message, RoleName, StoredMessage

# Fields of a memory beside `metadata`; mem0 keeps them in its metadata as well.
PROMOTED: Final = (*SCOPES, "actor_id", "role", "expiration_date")
# Keys of our own in the metadata of messages.
KIND, ID, NESTED = "mem0_kind", "mem0_id", "mem0_json"
CREATED, UPDATED = "created_at", "updated_at"
VERBATIM: Final = "verbatim"
READ: Final = "read"
DEFAULT_SESSION: Final = "mem0"


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


def memory_id_of(element_id: str, owner: str, session_id: str = DEFAULT_SESSION) -> str:
    """Return the id of a memory, which says where the fact or message is: its id, owner, and session if need be."""
    place = [owner] if session_id == DEFAULT_SESSION else [owner, session_id]
    return f"{element_id}~{urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip('=')}"


def parsed_memory_id(memory_id: Any) -> tuple[str, str, str] | None:
    """Return the parts of the id of a memory; None for another text."""
    element_id, _, told = str(memory_id).partition("~")
    try:
        owner, session_id = [*json.loads(urlsafe_b64decode(told + "=" * (-len(told) % 4))), DEFAULT_SESSION][:2]
    except (ValueError, TypeError):
        return None
    return (element_id, owner, session_id) if isinstance(owner, str) and isinstance(session_id, str) else None


def ids_of_owner(owner: str) -> dict[str, str]:
    """Return the ids of a memory that has none in its metadata."""
    kind, _, name = owner.partition(":")
    return {f"{kind}_id": name} if kind in ("agent", "run") and name else {"user_id": owner}


def without_ids(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without the keys that decide whose memory it is."""
    ignored = [name for name in metadata if name in (*SCOPES, "actor_id", KIND, ID, NESTED)]
    if ignored:
        logger.warning("metadata: ignored, because it cannot be set there: %s", ", ".join(ignored))
    return {str(name): value for name, value in metadata.items() if name not in ignored}


def said_messages(messages: Any, *, is_read: bool) -> list[dict[str, Any]]:
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


def role_of(role: Any) -> RoleName:
    named = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant"}.get(role, role)
    known: tuple[RoleName, ...] = get_args(RoleName)
    return next((name for name in known if name == named), "event")


def parsed_time(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def message_metadata(
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


def payload_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a memory that a message carries."""
    rest = json.loads(metadata[NESTED]) if metadata.get(NESTED) else {}
    return {name: value for name, value in metadata.items() if name not in (KIND, ID, NESTED)} | rest


def verbatim_message(
    memory_id: str, text: str, payload: Mapping[str, Any], at: datetime, rows: Sequence[Mapping[str, Any]] = ()
) -> Message:
    """Return the message that keeps a memory verbatim; its history is new unless given."""
    history = list(rows) or [history_row(memory_id, None, text, "ADD", payload)]
    actor = payload.get("actor_id")
    return Message(
        role=role_of(payload.get("role", "user")),
        text=text,
        id=memory_id.partition("~")[0],
        speaker=actor if isinstance(actor, str) else None,
        time=at,
        metadata=message_metadata(payload, VERBATIM, memory_id, updated_at=history[-1][UPDATED]),
        raw={"history": history},
    )


def history_row(
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


def history_of(kept: MemoryMessage) -> list[dict[str, Any]]:
    rows = kept.raw.get("history") if isinstance(kept.raw, Mapping) else None
    return [dict(row) for row in rows or ()]


def valid_facts(message: MemoryMessage) -> list[ReadFact]:
    return [fact for fact in message.facts if fact.invalid_at is None]


def memories_of(message: MemoryMessage) -> list[dict[str, Any]]:
    """Return the memories in a message: itself, if it is kept verbatim, or what was read from it."""
    payload = payload_of(message.metadata)
    if message.metadata.get(KIND) == VERBATIM:
        kept_id = message.metadata[ID]
        return [memory_answer(kept_id, message.text, message.user_id, payload, message.time, message.updated_at)]
    return [
        memory_answer(
            memory_id_of(fact.id, message.user_id), fact.statement, message.user_id, payload, message.time, message.time
        )
        for fact in valid_facts(message)
    ]


def memory_answer(
    memory_id: str,
    text: str,
    owner: str,
    payload: Mapping[str, Any],
    created: datetime | None,
    updated: datetime | None,
    score: float | None = None,
) -> dict[str, Any]:
    """Return a memory in the form of mem0."""
    fields = dict(payload) if any(name in payload for name in SCOPES) else {**ids_of_owner(owner), **payload}
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
