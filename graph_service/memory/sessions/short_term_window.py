"""The short-term window: the last turns of each session, available without the database.

It is a cache, filled after each commit of `remember`, and from the database if turns are missing. Of a session that
several processes serve, only a shared window (Redis) has all turns; without one, the database is asked. In the turns
are the names that a follow-up question may refer to.
"""

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from extraction.text.name_spotting import names_in
from extraction.text.sentences import split_sentences
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from schema.errors import UnavailableError
from schema.ids import SessionId, TenantId, UserId, memory_id, name_key, session_uri
from schema.labels import Role
from schema.message import Message
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
_TURN_COLUMNS: Final = ("id", "role", "speaker", "text", "said_at", "position")


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


def turn_from_message(message: Message) -> Turn:
    """Convert a message to a turn."""
    return shortened(**{name: getattr(message, name) for name in _TURN_COLUMNS})


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


def turn_from_json(text: bytes) -> Turn | None:
    """Parse a turn from Redis; None for anything else, because other programs may use the same Redis."""
    try:
        return _TURN.validate_json(text, strict=True)
    except ValidationError:
        return None


SESSIONS_MAX: Final = 2_000
BYTES_MAX: Final = 32 * 2**20
# Estimated memory of a turn without its texts: ids, numbers and Python objects.
_TURN_BYTES: Final = 400


class ShortTermWindow:
    """The last turns of each session in this process; methods neither fail nor wait beyond a timeout.

    Args:
        sessions_max, bytes_max: maximum sessions, and estimated bytes of all sessions; least recently used sessions are
            evicted.

    Attributes:
        turns_max: maximum turns kept for a session.
        complete: True if it also holds the turns that other processes received, or no other uses the database.
        forgotten: number of deletions; if it changed while turns were read elsewhere, do not add these.
        size_bytes: estimated memory of the turns.
    """

    def __init__(
        self, *, turns_max: int, sessions_max: int = SESSIONS_MAX, bytes_max: int = BYTES_MAX, complete: bool = True
    ) -> None:
        self.turns_max = turns_max
        self.complete = complete
        self.forgotten = 0
        self.size_bytes = 0
        self._sessions_max = sessions_max
        self._bytes_max = bytes_max
        # Not a cachetools cache, because there are two limits, and dropping turns must not renew a session.
        self._turns: OrderedDict[SessionKey, tuple[Turn, ...]] = OrderedDict()

    @property
    def sessions_n(self) -> int:
        """Return the number of sessions with turns."""
        return len(self._turns)

    def add(self, session: SessionKey, turns: Sequence[Turn]) -> None:
        """Add turns that are already durable, each id once; never waits."""
        self._put(session, merged(self._turns.get(session, ()), turns, turns_max=self.turns_max))
        while len(self._turns) > self._sessions_max or (self.size_bytes > self._bytes_max and len(self._turns) > 1):
            self._put(next(iter(self._turns)), ())

    async def turns(self, session: SessionKey) -> RecentTurns:
        """Return the last turns, oldest first, at most `turns_max`."""
        turns = self._held(session)
        return RecentTurns(turns=turns, sources=(Source.PROCESS,) if turns else ())

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop the turns of a user or of one session, or only those of the given messages.

        Returns:
            False if Redis is unavailable; the turns are then dropped before Redis is read again.
        """
        self.forgotten += 1
        for session in list(self._turns):
            of_user = (session.tenant, session.user_id) == (tenant, user_id)
            if of_user and session_id in (None, session.session_id):
                self._drop(session, message_ids)
        return True

    def state(self) -> WindowState:
        """Return the current state."""
        return WindowState(store=Source.PROCESS)

    async def close(self) -> None:
        """Write pending turns, for a short time at most, and close connections; none in this process."""

    def _held(self, session: SessionKey) -> tuple[Turn, ...]:
        if session in self._turns:
            self._turns.move_to_end(session)
        return self._turns.get(session, ())

    def _drop(self, session: SessionKey, message_ids: Collection[str] | None) -> None:
        """Drop a session, or some of its turns."""
        known, dropped = self._turns.get(session, ()), frozenset(message_ids or ())
        kept = () if message_ids is None else tuple(turn for turn in known if turn.id not in dropped)
        if len(kept) != len(known):
            self._put(session, kept, renew=False)

    def _put(self, session: SessionKey, turns: tuple[Turn, ...], *, renew: bool = True) -> None:
        self.size_bytes += _estimated_bytes(session, turns) - _estimated_bytes(session, self._turns.get(session, ()))
        if not turns:
            self._turns.pop(session, None)
            return
        self._turns[session] = turns
        if renew:
            self._turns.move_to_end(session)


def _estimated_bytes(session: SessionKey, turns: Sequence[Turn]) -> int:
    if not turns:
        return 0
    texts = [session.tenant, session.user_id, session.session_id, *(turn.text + (turn.speaker or "") for turn in turns)]
    # CPython stores strings with 1, 2 or 4 bytes a character.
    return _TURN_BYTES * len(turns) + sum(len(text) * (1 if text.isascii() else 2) for text in texts)


TURNS_MAX = 200


async def last_turns(graph: Graph, window: ShortTermWindow, session: SessionKey, *, turns: int) -> RecentTurns:
    """Return the last turns of a session, oldest first; turns missing in the window are loaded and added to it.

    An incomplete window lacks what other processes received, so the database is asked each time.

    Raises:
        UnavailableError: the window is empty and Neo4j does not answer.
    """
    check_ids(userId=session.user_id, sessionId=session.session_id)
    check_limit(turns, TURNS_MAX, name="turns")
    forgotten = window.forgotten
    cached = await window.turns(session)
    if window.complete and len(cached.turns) >= turns:
        return RecentTurns(turns=cached.turns[-turns:], sources=cached.sources)
    try:
        stored = await _stored(graph, session, turns)
    except UnavailableError:
        if not cached.turns:
            raise
        return RecentTurns(turns=cached.turns[-turns:], sources=cached.sources)
    known = {turn.id for turn in cached.turns}
    missing = [turn for turn in stored if turn.id not in known]
    # Do not restore turns that were forgotten meanwhile; the next request fills the window.
    if missing and len(known) < window.turns_max and window.forgotten == forgotten:
        window.add(session, missing)
    sources = (*cached.sources, *([Source.DATABASE] if missing else []))
    return RecentTurns(turns=merged(cached.turns, stored, turns_max=turns), sources=sources)


async def _stored(graph: Graph, session: SessionKey, turns: int) -> list[Turn]:
    node_id = memory_id(session_uri(session.tenant, session.user_id, session.session_id))
    parameters = {"tenant": session.tenant, "session": node_id, "turns_max": turns}
    return [
        shortened(**row | {"role": Role(row["role"])})
        for row in await graph.read(statement("sessions/recent_turns"), parameters)
    ]


NAMES_MAX: Final = 3
# Maximum number of turns, and of characters of each, that are searched for names.
_TURNS_MAX, _CHARS_MAX = 6, 400
_PRONOUN = re.compile(
    r"\b(?:she|he|her|hers|his|him|they|them|their|theirs)\b|(?<![其吉])[他她]|那(?:个人|位)|这(?:个人|位)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|so)\s+)?(?:what|how) about\b|^\s*那么?[^。！？!?]{0,10}呢[？?。]?\s*$", re.IGNORECASE
)


_JUST_NOW = re.compile(
    r"\b(?:just now|(?:a )?(?:moment|minute|while) ago|just (?:said|told|mentioned|talked|asked)|earlier in"
    r" (?:this|our) (?:chat|conversation|session))\b|刚才|刚刚|方才|刚说|刚提",
    re.IGNORECASE,
)


def says_just_now(text: str) -> bool:
    """Return whether a question is about the latest part of the conversation ("what did I just say", 刚才说的)."""
    return _JUST_NOW.search(text) is not None


def refers_back(text: str) -> bool:
    """Return whether a question refers to earlier turns, by a personal pronoun or an ellipsis ("what about …")."""
    return _PRONOUN.search(text) is not None or _ELLIPSIS.search(text) is not None


def recent_names(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return names in the last turns, latest first, without the names of the speakers.

    Call it in a thread, because the first Chinese text loads a dictionary, which takes about a second.
    """
    last = turns[-_TURNS_MAX:]
    speakers = [turn.speaker for turn in last if turn.speaker]
    found: dict[str, str] = {}
    for turn in reversed(last):
        for name, _ in reversed(names_in(split_sentences(turn.text[:_CHARS_MAX]), ignore=speakers)):
            found.setdefault(name_key(name), name)
    return tuple(found.values())[:NAMES_MAX]


def hints_for(text: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names that a follow-up question may refer to; none if it contains a name or is no follow-up."""
    if not refers_back(text) or names_in(split_sentences(text)):
        return ()
    return recent_names([turn for turn in turns if turn.text != text])
