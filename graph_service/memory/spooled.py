"""An episode in the spool: its text form, its key, and what is left of it when messages are forgotten. Pure."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter

from schema.ids import content_hash
from schema.message import BroughtFact, Episode

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
