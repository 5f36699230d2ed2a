"""Scenes: consecutive messages about one situation, the unit of extraction."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from schema.ids import MemoryId, Uri
from schema.labels import Role
from schema.message import Message

_COMMA: Final = re.compile(r"\s*[,，、;；]\s*")


def participants(turns: Iterable[tuple[str, str | None]]) -> tuple[str, ...]:
    """Return who spoke or took part, in order, from the role and speaker of each message; without a name the role."""
    names: dict[str, None] = {}
    for role, speaker in turns:
        several = _COMMA.split(speaker) if speaker and role == Role.EVENT else [speaker or role]
        names |= dict.fromkeys(name for name in several if name and name != Role.EVENT)
    return tuple(names)


def hash_parts(messages: Iterable[Message]) -> Iterator[str]:
    """Yield what the hashes of a scene and its summary are made of: each message's key in its session, and its content.

    They do not depend on the tenant, so that a summary stays current when its scene is imported elsewhere.
    """
    for message in messages:
        yield from (message.uri.rpartition("/")[2], message.content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Consecutive messages of a session about one situation.

    Attributes:
        episode_start, episode_end: times of its first and last message.
        content_hash: hash of its messages; scenes with equal hashes have equal summaries.
    """

    id: MemoryId
    uri: Uri
    messages: tuple[Message, ...]
    content_hash: str

    @property
    def episode_start(self) -> datetime:
        return self.messages[0].said_at

    @property
    def episode_end(self) -> datetime:
        return self.messages[-1].said_at
