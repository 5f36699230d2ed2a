"""The values of the short-term window: the last turns of each session, available without the database.

It is a cache, filled after each commit of `remember`, and from the database if turns are missing. Of a session that
several processes serve, only a shared window (Redis) has all turns; without one, the database is asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final
from urllib.parse import quote

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from schema.ids import SessionId, TenantId, UserId, user_uri
from schema.labels import Role
from schema.message import Episode, Message
from schema.timespan import millis

# Longer texts are cut; the database has the full text.
TEXT_CHARS_MAX: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """Key of a session: tenant, user and session id."""

    tenant: TenantId
    user_id: UserId
    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the short-term window.

    Attributes:
        id: the id that remember returned.
        role: the speaker's role.
        speaker: the speaker's name, if known.
        text: what was said, at most 4,000 characters.
        said_ms: when it was said, milliseconds since 1970 UTC.
        position: order among turns of the same time.
        truncated: True if the text was truncated; the message contains all of it.
    """

    id: str
    role: Role
    speaker: str | None
    text: str
    said_ms: Annotated[int, Field(gt=-(2**47), lt=2**47)]
    position: int = 0
    truncated: bool = False

    @property
    def said_at(self) -> datetime:
        """When it was said."""
        return datetime.fromtimestamp(self.said_ms / 1000, UTC)

    @property
    def order(self) -> tuple[int, int, str]:
        """Sort key within the session; the same in every store."""
        return self.said_ms, self.position, self.id


_TURN = TypeAdapter(Turn)


# Attributes of a message from which `shortened` makes a turn.
TURN_COLUMNS: Final = ("id", "role", "speaker", "text", "said_at", "position")


class Source(StrEnum):
    """Store from which turns were read."""

    REDIS = "redis"
    PROCESS = "process"
    DATABASE = "database"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentTurns:
    """The last turns of a session.

    Attributes:
        turns: oldest first.
        sources: where they come from; empty without turns.
    """

    turns: tuple[Turn, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """Current state of a window.

    Attributes:
        store: the store in use.
        breaker: circuit breaker of Redis: closed, open, half_open; None without Redis.
        waiting: number of sessions and deletions that are not written to Redis yet.
        problem: reason why a configured Redis is not used.
    """

    store: Source
    breaker: str | None = None
    waiting: int = 0
    problem: str | None = None


def session_key_of(episode: Episode) -> SessionKey:
    """Return the session of an episode."""
    return SessionKey(tenant=episode.tenant, user_id=episode.user_id, session_id=episode.session_id)


def turn_from_message(message: Message) -> Turn:
    """Convert a message to a turn."""
    return shortened(**{name: getattr(message, name) for name in TURN_COLUMNS})


def shortened(*, id: str, role: Role, speaker: str | None, text: str, said_at: datetime, position: int) -> Turn:  # noqa: A002  the attribute's name
    """Return a turn with its text cut to `TEXT_CHARS_MAX`."""
    return Turn(
        id=id,
        role=role,
        speaker=speaker,
        text=text[:TEXT_CHARS_MAX],
        said_ms=millis(said_at),
        position=position,
        truncated=len(text) > TEXT_CHARS_MAX,
    )


def merged(*several: Iterable[Turn], turns_max: int) -> tuple[Turn, ...]:
    """Return the last `turns_max` of all turns, oldest first, without duplicate ids."""
    unique: dict[str, Turn] = {}
    for turns in several:
        for turn in turns:
            unique.setdefault(turn.id, turn)
    return tuple(sorted(unique.values(), key=lambda turn: turn.order)[-turns_max:])


def user_key(tenant: str, user_id: str) -> str:
    """Return the part of a key that identifies the user; unique, because tenant and user id are percent-encoded."""
    return user_uri(tenant, user_id)


def session_key_text(session: SessionKey) -> str:
    """Return the key of a session; unique, and always begins with the user's key."""
    return f"{user_key(session.tenant, session.user_id)}/{quote(session.session_id, safe='')}"


def turn_json(turn: Turn) -> bytes:
    """Serialize a turn for Redis."""
    return orjson.dumps(turn)


def turn_from_json(text: bytes) -> Turn | None:
    """Parse a turn from Redis; None for anything else, because other programs may use the same Redis."""
    try:
        return _TURN.validate_json(text, strict=True)
    except ValidationError:
        return None
