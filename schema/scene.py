"""Scenes: consecutive messages about one situation, the unit of extraction."""

from dataclasses import dataclass
from datetime import datetime

from schema.ids import MemoryId, Uri
from schema.message import Message


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
        """Return the time of its first message."""
        return self.messages[0].said_at

    @property
    def episode_end(self) -> datetime:
        """Return the time of its last message."""
        return self.messages[-1].said_at
