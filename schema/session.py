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
    """State and counters of a session.

    Attributes:
        last_at: when the latest message was received.
        close_reason: reason for closing; None while active.
        unread: messages without a scene; unembedded: messages without a vector.
        unextracted: scenes that wait for extraction because they may still grow.
        zone: time zone of the latest message; None if it has none.
        problem: error of the last attempt to close it, if it failed.
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
