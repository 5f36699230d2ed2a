"""Events of facts as stored with their scene, and their list for callers: what became of each fact, and why."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.facts.reconciliation import FactEvent, FactEventKind
from graph_service.memory.sessions.lifecycle import session_node_id
from schema.ids import SessionId, TenantId, UserId

# Events stored with one scene; a model that answers with thousands of unusable facts fills no more.
EVENTS_MAX: Final = 200
_MESSAGES_MAX: Final = 10
PAGE_MAX: Final = 1_000
# Each scene stores at most EVENTS_MAX events.
_SCENES_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFactEvent:
    """The outcome of one extracted or provided fact, with its reason.

    Attributes:
        kind: ADD: a new fact; UPDATE: it ended a known one; MERGE: it is part of a known one; IGNORE: nothing.
        reason: why.
        fact_id: the fact that states it now; None if it was rejected.
        known_id: the known fact that it ended (UPDATE), or that says the same (MERGE, IGNORE).
        message_ids: its evidence messages, at most ten.
        scene_uri: the scene that states it.
        read_by: the model's name, `rules`, or `caller`.
        at: when the scene ended.
    """

    kind: FactEventKind
    reason: str
    fact_id: str | None
    known_id: str | None
    message_ids: tuple[str, ...]
    scene_uri: str
    read_by: str | None
    at: datetime


def event_properties(events: Sequence[FactEvent] | None) -> dict[str, Any]:
    """Return the scene property that stores its events; nothing for a scene that was not read."""
    if events is None:
        return {}
    return {"fact_events": [_text(event) for event in events[:EVENTS_MAX]]}


def _text(event: FactEvent) -> str:
    known = {"fact": event.fact_id, "known": event.known_id}
    data = {"event": event.kind.value, "reason": event.reason, "messages": list(event.messages[:_MESSAGES_MAX])}
    return json.dumps(data | {name: value for name, value in known.items() if value is not None})


async def fact_events(
    graph: Graph, tenant: TenantId, user_id: str, session_id: str, *, first: int
) -> list[StoredFactEvent]:
    """Return what became of the facts of a session, latest scene first; empty for an unknown session."""
    check_ids(userId=user_id, sessionId=session_id)
    check_limit(first, PAGE_MAX, name="first")
    session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
    parameters = {"tenant": tenant, "session": session, "scenes_max": _SCENES_MAX}
    rows = await graph.read(statement("facts/fact_events"), parameters)
    return [_stored(text, row) for row in rows for text in row["events"]][:first]


def _stored(text: str, row: dict[str, Any]) -> StoredFactEvent:
    data = json.loads(text)
    return StoredFactEvent(
        kind=FactEventKind(data["event"]),
        reason=data["reason"],
        fact_id=data.get("fact"),
        known_id=data.get("known"),
        message_ids=tuple(data["messages"]),
        scene_uri=row["uri"],
        read_by=row["read_by"],
        at=row["at"],
    )
