"""Builders of turns and session keys."""

from datetime import UTC, datetime
from typing import Any

from graph_service.memory.sessions.short_term_window import SessionKey, Turn, shortened
from schema.ids import SessionId, TenantId, UserId
from schema.labels import Role


def a_session_key(*, tenant: str = "t", user: str = "alice", session: str = "s1") -> SessionKey:
    """Return a session key; of a session of Alice by default."""
    return SessionKey(tenant=TenantId(tenant), user_id=UserId(user), session_id=SessionId(session))


def a_turn(said_ms: int = 0, *, through_message: bool = False, **more: Any) -> Turn:
    """Return a user turn with an id derived from time and position; `through_message` builds it from a message."""
    position = more.get("position", 0)
    values = {"id": f"m-{more.get('said_ms', said_ms)}-{position}", "role": Role.USER, "speaker": None, "text": "hello"}
    if through_message:
        said_at = datetime.fromtimestamp(said_ms / 1000, UTC)
        return shortened(**{**values, "said_at": said_at, "position": position, **more})
    return Turn(**{**values, "said_ms": said_ms, **more})
