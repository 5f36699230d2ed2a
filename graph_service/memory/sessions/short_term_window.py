"""The short-term window: what was said last in one session, at hand without the database.

It never replaces the durable store. It is filled after the commit of `remember`, may miss turns at any time, and is
filled again from the database when it does.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final, Protocol
from urllib.parse import quote

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from schema.ids import SessionId, TenantId, UserId, user_uri
from schema.labels import Role
from schema.message import Episode, Message
from schema.timespan import as_utc

# What one turn may hold of a long text: the window is for the thread of a talk, the whole text is in the database.
TEXT_CHARS_MAX: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """Which window: one session of one user of one tenant."""

    tenant: TenantId
    user_id: UserId
    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message as the window holds it.

    Attributes:
        text: at most `TEXT_CHARS_MAX` characters; `cut` says that there were more.
        said_ms: when it was said, milliseconds since 1970 UTC.
        position: order among the turns said at the same moment.
    """

    id: str
    role: Role
    speaker: str | None
    text: str
    said_ms: Annotated[int, Field(gt=-(2**47), lt=2**47)]
    position: int = 0
    cut: bool = False

    @property
    def said_at(self) -> datetime:
        """When it was said, aware UTC."""
        return datetime.fromtimestamp(self.said_ms / 1000, UTC)

    @property
    def order(self) -> tuple[int, int, str]:
        """The place in the talk; the same in every store."""
        return self.said_ms, self.position, self.id


_TURN = TypeAdapter(Turn)


class Source(StrEnum):
    """Where turns came from."""

    REDIS = "redis"
    RING = "ring"
    DATABASE = "database"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentTurns:
    """The last turns of a talk, oldest first, and where they came from.

    Attributes:
        sources: empty when there are no turns.
    """

    turns: tuple[Turn, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """How a window works right now.

    Attributes:
        store: what answers now.
        breaker: of the way to Redis: closed, open, half_open; None when no Redis was given.
        waiting: talks with turns that Redis does not have yet.
        problem: why Redis is not used although one was given.
    """

    store: Source
    breaker: str | None = None
    waiting: int = 0
    problem: str | None = None


class ShortTermWindow(Protocol):
    """The last turns of each session. No method raises because a store is away, none waits longer than its timeout.

    Attributes:
        turns_max: how many turns of a talk it holds.
        forgotten: how often something was forgotten here; whoever fills the window from elsewhere compares it.
    """

    turns_max: int
    forgotten: int

    def hear(self, talk: SessionKey, turns: Sequence[Turn]) -> None:
        """Take turns that are durable already; the same id counts once. Never waits."""

    async def turns(self, talk: SessionKey) -> RecentTurns:
        """Return the last turns that the window holds, at most as many as it was made for."""

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop what was said: of a whole user, of one session, or single messages of either.

        Returns:
            Whether it is gone everywhere; False when Redis is away: it is then done on its return, before it is read.
        """

    def state(self) -> WindowState:
        """Return how it works right now."""

    async def close(self) -> None:
        """Hand over what is still waiting, briefly, and let go of connections."""


def session_key_of(episode: Episode) -> SessionKey:
    """Return which window an episode belongs to."""
    return SessionKey(tenant=episode.tenant, user_id=episode.user_id, session_id=episode.session_id)


def turn_of(message: Message) -> Turn:
    """Return a message as a turn."""
    return shortened(
        id=message.id,
        role=message.role,
        speaker=message.speaker,
        text=message.text,
        said_at=message.said_at,
        position=message.position,
    )


def shortened(*, id: str, role: Role, speaker: str | None, text: str, said_at: datetime, position: int) -> Turn:  # noqa: A002  the turn's word
    """Return a turn of a text of any length."""
    return Turn(
        id=id,
        role=role,
        speaker=speaker,
        text=text[:TEXT_CHARS_MAX],
        said_ms=round(as_utc(said_at).timestamp() * 1000),
        position=position,
        cut=len(text) > TEXT_CHARS_MAX,
    )


def merged(*several: Iterable[Turn], turns_max: int) -> tuple[Turn, ...]:
    """Return the last turns of all, oldest first, each id once; the order in which they came makes no difference."""
    unique: dict[str, Turn] = {}
    for turns in several:
        for turn in turns:
            unique.setdefault(turn.id, turn)
    return tuple(sorted(unique.values(), key=lambda turn: turn.order)[-turns_max:])


def user_key(tenant: str, user_id: str) -> str:
    """Return the part of a key that stands for a user; no two users share it, since each part is percent-encoded."""
    return user_uri(tenant, user_id)


def session_key_text(talk: SessionKey) -> str:
    """Return the key of a talk; no two talks share it, and no session id can leave its user's keys."""
    return f"{user_key(talk.tenant, talk.user_id)}/{quote(talk.session_id, safe='')}"


def turn_json(turn: Turn) -> bytes:
    """Return a turn as Redis keeps it."""
    return orjson.dumps(turn)


def turn_from(text: bytes) -> Turn | None:
    """Return the turn that Redis kept; None for what is none: others may write into the same Redis."""
    try:
        return _TURN.validate_json(text, strict=True)
    except ValidationError:
        return None
