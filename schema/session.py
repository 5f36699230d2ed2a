"""The life of a session: one conversation of a user, from its first message until everything in it was worked out."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SessionState(StrEnum):
    """Where a session stands; they follow each other in this order, and a new message leads back to the first."""

    ACTIVE = "active"
    CLOSING = "closing"
    INDEXING = "indexing"
    EXTRACTING = "extracting"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Who asked for the end of a session."""

    REQUEST = "request"
    IDLE = "idle"
    SHUTDOWN = "shutdown"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session as it is shown.

    Attributes:
        last_at: when the service received the latest message.
        why: who asked for its end; None while it is active.
        unread: messages that no scene holds yet; unembedded: messages without a vector.
        unextracted: scenes that wait for their reading because they may still grow.
        problem: why closing it failed the last time; None when it did not.
    """

    uri: str
    user_id: str
    session_id: str
    state: SessionState
    opened_at: datetime
    last_at: datetime
    closing_at: datetime | None
    closed_at: datetime | None
    why: CloseReason | None
    messages: int
    scenes: int
    unread: int
    unembedded: int
    unextracted: int
    problem: str | None
