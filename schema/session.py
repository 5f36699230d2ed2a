"""Sessions: conversations of a user, from the first message to the end of consolidation."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SessionState(StrEnum):
    """State of a session, in the order of closing; a new message sets it back to the first."""

    ACTIVE = "active"
    CLOSING = "closing"
    INDEXING = "indexing"
    EXTRACTING = "extracting"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Reason for closing a session."""

    REQUEST = "request"
    IDLE = "idle"
    SHUTDOWN = "shutdown"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A conversation of a user.

    Attributes:
        uri: its URI.
        user_id: the user's id.
        session_id: your id of the session.
        state: its state; a new message reactivates it.
        opened_at: when its first message arrived.
        last_at: when its latest message arrived.
        closing_at: when closing was requested.
        closed_at: when closing was complete.
        close_reason: why it was closed.
        messages: number of messages.
        scenes: number of scenes.
        unread: number of messages without a scene.
        unembedded: number of messages without a vector.
        unextracted: number of scenes not extracted yet.
        problem: error of the last attempt to close it.
        zone: time zone of its latest message.
    """

    uri: str
    user_id: str
    session_id: str
    state: SessionState
    opened_at: datetime
    last_at: datetime
    closing_at: datetime | None
    closed_at: datetime | None
    close_reason: CloseReason | None
    messages: int
    scenes: int
    unread: int
    unembedded: int
    unextracted: int
    problem: str | None
    zone: str | None = None
