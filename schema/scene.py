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
        scene_start: the earliest time its messages talk about; None when they name none.
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

    @property
    def scene_start(self) -> datetime | None:
        """The earliest time talked about."""
        return min((m.mentioned_start for m in self.messages if m.mentioned_start), default=None)

    @property
    def scene_end(self) -> datetime | None:
        """The latest time talked about."""
        return max((m.mentioned_end for m in self.messages if m.mentioned_end), default=None)
