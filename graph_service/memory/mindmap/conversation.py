"""The latest messages of a memory, each with the facts that it made and closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids, check_limit
from schema.assertion import Closing, parse_assertion
from schema.ids import CORRECTION_SESSION, TenantId

TEXT_CHARS_MAX: Final = 2_000
_USERS_MAX: Final = 50
_FACTS_MAX: Final = 2_000
_FACTS_OF_MESSAGE_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFact:
    """A fact that a message made or closed.

    Attributes:
        source, target: ids of its subject and object.
    """

    id: str
    statement: str
    predicate: str
    source: str
    target: str
    invalid_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationMessage:
    """A message of the conversation.

    Attributes:
        text: at most `TEXT_CHARS_MAX` characters; `truncated` if it is longer.
        read: facts were extracted from its scene.
        made, closed: facts for which it is evidence, and facts that it ended or whose end follows from one of `made`.
    """

    id: str
    user_id: str
    session_id: str
    role: str
    speaker: str | None
    text: str
    truncated: bool
    said_at: datetime
    scene_id: str | None
    read: bool
    made: tuple[MessageFact, ...]
    closed: tuple[MessageFact, ...]


async def conversation(graph: Graph, tenant: TenantId, user_id: str | None, *, limit: int) -> list[ConversationMessage]:
    """Return the latest messages of one user, or of the tenant's users if None, oldest first.

    Raises:
        InputError: the user id or the limit is invalid.
        UnavailableError: Neo4j does not answer.
    """
    check_limit(limit)
    if user_id is not None:
        check_ids(userId=user_id)
    users = [user_id] if user_id is not None else await _users(graph, tenant)
    rows = await latest_messages(graph, tenant, users, limit=limit)
    scenes = sorted({row["scene_id"] for row in rows if row["scene_id"]})
    facts: list[Row] = []
    if scenes:
        parameters = {
            "tenant": tenant,
            "scenes": scenes,
            "ids": [row["id"] for row in rows],
            "since": min(row["received_at"] for row in rows),
            "rows_max": _FACTS_MAX,
        }
        facts = await graph.read(statement("mindmap/facts_of_messages"), parameters)
    return conversation_messages(rows, facts)


async def latest_messages(
    graph: Graph, tenant: TenantId, users: Sequence[str], *, limit: int, chars_max: int = TEXT_CHARS_MAX
) -> list[Row]:
    """Return the latest messages of some users, newest first, whether or not facts were extracted from them.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    parameters: Row = {"tenant": tenant, "users": list(users), "prefix": CORRECTION_SESSION}
    parameters |= {"chars_max": chars_max, "rows_max": limit}
    return await graph.read(statement("mindmap/conversation"), parameters)


async def _users(graph: Graph, tenant: TenantId) -> list[str]:
    rows = await graph.read(statement("lookup/users_of_tenant"), {"tenant": tenant, "rows_max": _USERS_MAX})
    return [row["user_id"] for row in rows]


def conversation_messages(messages: Sequence[Row], facts: Sequence[Row]) -> list[ConversationMessage]:
    """Return messages, given newest first, in the order they were said, with what each made and closed. Pure."""
    made: dict[str, list[MessageFact]] = {}
    closed: dict[str, list[MessageFact]] = {}
    makers = {row["id"]: list(row["made_by"]) for row in facts}
    for row in facts:
        fact = _fact(row)
        for message_id in dict.fromkeys(row["made_by"]):
            made.setdefault(message_id, []).append(fact)
        if row["invalid_at"] is None or row["closing_reason"] == Closing.MERGED:
            continue
        told = (parse_assertion(text) for text in row["told_by"])
        enders = [one.message_id for one in told if one.ends]
        for message_id in dict.fromkeys((*enders, *makers.get(row["closed_by"], ()))):
            closed.setdefault(message_id, []).append(fact)
    return [
        ConversationMessage(
            id=row["id"],
            user_id=row["user_id"],
            session_id=row["session_id"],
            role=row["role"],
            speaker=row["speaker"],
            text=row["text"],
            truncated=row["chars"] > len(row["text"]),
            said_at=row["said_at"],
            scene_id=row["scene_id"],
            read=row["read"],
            made=tuple(made.get(row["id"], ())[:_FACTS_OF_MESSAGE_MAX]),
            closed=tuple(closed.get(row["id"], ())[:_FACTS_OF_MESSAGE_MAX]),
        )
        for row in reversed(messages)
    ]


def _fact(row: Row) -> MessageFact:
    return MessageFact(
        id=row["id"],
        statement=row["statement"],
        predicate=row["predicate"],
        source=row["source"],
        target=row["target"],
        invalid_at=row["invalid_at"],
    )
