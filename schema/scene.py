"""A scene: a group of messages about one situation, the unit of reading."""

from dataclasses import dataclass
from datetime import datetime

from schema.ids import MemoryId, Uri
from schema.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One situation of a session.

    Attributes:
        episode_start: when its first message was said; `episode_end` when its last one was.
        content_hash: of its messages; equal scenes have equal layer texts.
    """

    id: MemoryId
    uri: Uri
    messages: tuple[Message, ...]
    content_hash: str

    @property
    def episode_start(self) -> datetime:
        """When its first message was said."""
        return self.messages[0].said_at

    @property
    def episode_end(self) -> datetime:
        """When its last message was said."""
        return self.messages[-1].said_at
