"""Write a message anew with its id, time and place, as part of a transaction that forgets its former text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.argument_checks import expiry_of, raise_problems
from graph_service.memory.ingest.episode_writer import message_row
from graph_service.memory.ingest.validation import (
    expiry_problems,
    json_text,
    message_importance,
    message_text_problems,
    payload_problems,
    split_message,
)
from graph_service.memory.tags import message_tokens, normalized_tags, tag_problems
from schema.errors import ConflictError, InputError
from schema.ids import SessionId, TenantId, UserId, content_hash
from schema.labels import Role
from schema.message import Episode, Message
from schema.timespan import iso, millis, moment_of

_KEPT: Final = ("id", "uri", "said_at", "position", "speaker", "zone", "external_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """The new content of a message; None keeps what is stored.

    Attributes:
        metadata: all properties; the stored ones are not merged in.
        expires_at: when it expires; excludes `ttl_s`, the seconds until then.
        never_expires: remove the expiry; excludes both.
        if_version: refuse unless this is the stored version.
    """

    text: str | None = None
    metadata: object = None
    raw: object = None
    tags: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    ttl_s: float | None = None
    never_expires: bool = False
    if_version: int | None = None

    def expires_ms(self, stored: Mapping[str, Any], *, at: datetime) -> int | None:
        """Return when the message expires, in milliseconds since 1970; None for never."""
        if self.never_expires:
            return None
        expires_at = expiry_of(self.expires_at, self.ttl_s, now=at)
        return stored.get("expires_ms") if expires_at is None else millis(expires_at)


def check_replacement(new: Replacement, *, now: datetime) -> None:
    """Raise for content that cannot be stored.

    Raises:
        InputError: lists all problems.
    """
    problems = payload_problems("message", new.metadata, new.raw)
    if new.text is not None and new.text != "":
        problems += message_text_problems("message", new.text, new.raw)
    problems += [f"message{problem}" for problem in tag_problems(new.tags or ())]
    problems += expiry_problems("message", new.expires_at, new.ttl_s, now)
    if new.never_expires and (new.expires_at, new.ttl_s) != (None, None):
        problems.append("message: neverExpires excludes expiresAt and ttlS; give one")
    raise_problems(problems, before="nothing was stored: ")


def check_version(stored: Mapping[str, Any], new: Replacement) -> None:
    """Raise if the stored version is not the one that the caller has read.

    Args:
        stored: properties of the message.

    Raises:
        ConflictError: it has another version.
    """
    version = stored.get("version") or 1
    if new.if_version is not None and new.if_version != version:
        raise ConflictError(f"the message has version {version}, not {new.if_version}; read it and decide again")


def rewritten(
    stored: Mapping[str, Any], texts: Sequence[str], session_id: str, new: Replacement, *, at: datetime
) -> list[dict[str, Any]]:
    """Return the properties of the parts of a message with a new text. Pure.

    What was read from the former text is left out: its emotion and the time it mentions.

    Args:
        stored: properties of the first part.
        texts: former texts of all parts.
        session_id: the caller's id of the session.

    Raises:
        InputError: neither text nor payload would be left.
    """
    text, former = new.text or "", "".join(texts)
    raw = stored.get("raw") if new.raw is None else json_text(new.raw)
    if not text and raw is None:
        raise InputError("message.text is empty, and the message has no raw payload; forget the message instead")
    role, speaker, said_at = stored["role"], stored.get("speaker"), stored["said_at"]
    # The hash includes the time only if the caller gave one.
    stamp = iso(said_at) or ""
    if content_hash(role, speaker or "", stamp, texts[0]) != stored["content_hash"]:
        stamp = ""
    importance = stored.get("importance")
    if importance == message_importance(None, former):
        importance = None
    metadata = stored.get("metadata") if new.metadata is None else json_text(new.metadata or None)
    expires_ms = new.expires_ms(stored, at=at)
    whole = from_row(
        Message,
        {name: stored.get(name) for name in _KEPT},
        role=Role(role),
        text=text,
        content_hash=content_hash(role, speaker or "", stamp, text),
        importance=message_importance(importance, text),
        tags=tuple(stored.get("tags") or ()) if new.tags is None else normalized_tags(new.tags),
        raw=raw,
        metadata=metadata,
        extract=bool(text) and not stored.get("never_read"),
        expires_at=None if expires_ms is None else moment_of(expires_ms),
    )
    episode = Episode(
        tenant=TenantId(stored["tenant"]),
        user_id=UserId(stored["user_id"]),
        session_id=SessionId(session_id),
        messages=(whole,),
        received_at=at,
        agent_id=stored.get("agent_id"),
    )
    kept = {
        "created_at": stored.get("created_at") or stored["received_at"],
        "updated_at": at,
        "version": (stored.get("version") or 1) + 1,
    }
    return [message_row(episode, part)["properties"] | kept for part in split_message(whole, stamp)]


async def set_details(
    writing: Writing, stored: Mapping[str, Any], ids: Sequence[str], new: Replacement, *, at: datetime
) -> None:
    """Replace metadata, payload, tags or expiry of a message, from which nothing is read.

    Args:
        stored: properties of the first part; ids: of all parts, the first one first.
    """
    properties: dict[str, Any] = {"expires_ms": new.expires_ms(stored, at=at)}
    if new.metadata is not None:
        properties["metadata"] = json_text(new.metadata or None)
    if new.tags is not None:
        tags = normalized_tags(new.tags)
        properties["tags"] = list(tags) or None
    current = dict(stored) | properties
    tokens = message_tokens(stored["tenant"], stored["user_id"], current.get("tags") or (), current.get("metadata"))
    properties["tag_tokens"] = tokens or None
    own = {"updated_at": at, "version": (stored.get("version") or 1) + 1}
    if new.raw is not None:
        own |= {"raw": (raw := json_text(new.raw)), "raw_hash": content_hash(raw or "")}
    rows = [{"id": name, "properties": properties | (own if place == 0 else {})} for place, name in enumerate(ids)]
    rows.sort(key=lambda row: str(row["id"]))
    await writing.run(statement("messages/set_details"), {"tenant": stored["tenant"], "rows": rows})
