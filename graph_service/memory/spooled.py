"""An episode in the spool: its text form, its key, and what is left of it when messages are forgotten. Pure."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter

from schema.ids import SessionId, TenantId, UserId, content_hash
from schema.message import BroughtFact, Episode

# The stable code of a row that cannot be read.
UNREADABLE: Final = "UNREADABLE"
_EPISODE: Final = TypeAdapter(Episode)


class SpoolState(StrEnum):
    """What is to become of a spooled episode."""

    WAITING = "waiting"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """An episode on disk.

    Attributes:
        number: its place in the order of all tenants.
        failures: how often Neo4j answered, but would not take it.
        error: why Neo4j refused it; None while it waits.
    """

    number: int
    state: SpoolState
    episode: Episode
    failures: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A row whose episode cannot be read: another version wrote it, or the file is damaged.

    Attributes:
        problem: the kind of the error; never words of the row.
    """

    number: int
    state: SpoolState
    tenant: str
    user_id: str
    session_id: str
    spooled_at: str
    failures: int
    error: str | None
    problem: str

    def shown(self) -> Spooled:
        """Return the row as a list shows it: whose it is, without messages."""
        try:
            received_at = datetime.fromisoformat(self.spooled_at)
        except ValueError:
            received_at = datetime.fromtimestamp(0, UTC)
        episode = Episode(
            tenant=TenantId(self.tenant),
            user_id=UserId(self.user_id),
            session_id=SessionId(self.session_id),
            messages=(),
            received_at=received_at,
        )
        error = self.error or f"{UNREADABLE}: {self.problem}"
        return Spooled(number=self.number, state=self.state, episode=episode, failures=self.failures, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How many episodes are on disk."""

    waiting: int
    refused: int


def as_text(episode: Episode) -> str:
    """The episode as JSON."""
    return _EPISODE.dump_json(episode).decode()


def from_text(text: str) -> Episode:
    """The episode that `as_text` wrote."""
    return _EPISODE.validate_json(text)


def from_row(
    number: int,
    state: str,
    tenant: str,
    user_id: str,
    session_id: str,
    body: object,
    spooled_at: str,
    failures: int,
    error: str | None,
) -> Spooled | Unreadable:
    """Return the episode of a row of the spool, whatever stands in the row."""
    try:
        if not isinstance(body, str):
            raise TypeError("the body is no text")
        episode = from_text(body)
        if (episode.tenant, episode.user_id) != (tenant, user_id):
            raise ValueError("the body is of another user")
    except Exception as problem:
        return Unreadable(
            number=number,
            state=SpoolState(state),
            tenant=str(tenant),
            user_id=str(user_id),
            session_id=str(session_id),
            spooled_at=str(spooled_at),
            failures=failures,
            error=error,
            problem=type(problem).__name__,
        )
    return Spooled(number=number, state=SpoolState(state), episode=episode, failures=failures, error=error)


def key_of(episode: Episode) -> str:
    """The same for the same call made twice, whenever it was received."""
    messages = [f"{message.id} {message.content_hash}" for message in episode.messages]
    facts = [repr(sorted(asdict(fact).items())) for fact in episode.facts]
    named = (episode.user_id, episode.user_name or "", episode.agent_id or "", episode.summary or "")
    return content_hash(*messages, *facts, *named)


def without(episode: Episode, message_ids: Collection[str] | None) -> Episode | None:
    """What is left of the episode; None when nothing is. None for `message_ids` means all of them.

    A summary may tell what a forgotten message said, so it goes with the first of them.
    """
    if message_ids is None:
        return None
    places = [index for index, message in enumerate(episode.messages) if message.id not in message_ids]
    if len(places) == len(episode.messages):
        return episode
    if not places:
        return None
    new_place = {old: new for new, old in enumerate(places)}
    facts = tuple(kept for fact in episode.facts if (kept := _proven(fact, new_place)))
    return replace(episode, messages=tuple(episode.messages[place] for place in places), facts=facts, summary=None)


def _proven(fact: BroughtFact, new_place: dict[int, int]) -> BroughtFact | None:
    """The fact with the evidence that is left; a fact that all messages prove may rest on a forgotten one."""
    left = tuple(new_place[index] for index in fact.message_indexes if index in new_place)
    return replace(fact, message_indexes=left) if left else None
