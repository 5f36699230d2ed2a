"""What people stated by hand, as the graph holds it: the fact to correct, and what became of a statement."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids
from schema.errors import ConflictError, NotFoundError
from schema.ids import MemoryId, TenantId, UserId
from schema.labels import Label
from schema.telling import Assertion, Stated, telling_of

# Begins the names of sessions that hold one statement each.
PREFIX: Final = "by-hand:"
_CJK: Final = ("\u4e00", "\u9fff")


class StatementKind(StrEnum):
    """What a person does with a fact."""

    ADD = "add"
    UPDATE = "update"
    CONFIRM = "confirm"
    REJECT = "reject"
    PIN = "pin"


_SENTENCES: Final = {
    StatementKind.ADD: ("{}", "{}"),
    StatementKind.UPDATE: ("It is rather so: {}", "应当是：{}"),
    StatementKind.CONFIRM: ("It is so: {}", "确实如此：{}"),
    StatementKind.REJECT: ("It is not so: {}", "并非如此：{}"),
    StatementKind.PIN: ("This matters: {}", "这很重要：{}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A statement that a person made by hand.

    Attributes:
        id: of the message that holds it; takes it back.
        fact_id: the fact that it is about, or made; None while it waits to be read.
        replaced_id: the fact that it said never held, when another took its place.
        pending: it is durable, and a worker comes to it.
    """

    id: MemoryId
    kind: StatementKind
    user_id: UserId
    text: str
    at: datetime
    fact_id: MemoryId | None = None
    replaced_id: MemoryId | None = None
    pending: bool = False


def sentence_of(kind: StatementKind, words: str) -> str:
    """Return what a person says by it, in the language of the fact. Pure."""
    return _SENTENCES[kind][any(_CJK[0] <= char <= _CJK[1] for char in words)].format(words)


async def fact_to_correct(graph: Graph, tenant: TenantId, fact_id: str) -> Row:
    """Return a fact with its ends, and the names under which a statement brings them.

    Raises:
        InputError: there cannot be such an id.
        NotFoundError: the tenant has no such fact.
        ConflictError: it is of merged entities.
    """
    check_ids(factId=fact_id)
    rows = await graph.read(statement("lookup/fact_by_id"), {"tenant": tenant, "id": fact_id})
    if not rows or rows[0]["predicate"] == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; take an id from recall or from the map")
    if rows[0]["edge"]["merged"]:
        raise ConflictError(f"the fact {fact_id!r} is of merged entities; split them, correct it, and merge them again")
    row = rows[0]
    names = {
        "subject_name": _name(row["source"], row["source_labels"]),
        "object_name": _name(row["target"], row["target_labels"]),
    }
    return {**row, **names}


async def facts_stated(graph: Graph, tenant: TenantId, said: Correction) -> Correction:
    """Return the statement with the facts that the graph holds for it."""
    wanted = {"tenant": tenant, "ids": [said.id], "session": None, "scene": None}
    rows = await graph.read(statement("forgetting/messages_to_forget"), wanted)
    scenes = [row["scene_id"] for row in rows if row["scene_id"]]
    return (await _with_facts(graph, tenant, [said], scenes))[0]


async def stated_by_user(graph: Graph, tenant: TenantId, user_id: str, *, limit: int) -> list[Correction]:
    """Return what people stated of one user's memory, the latest first."""
    wanted = {"tenant": tenant, "user_id": user_id, "prefix": PREFIX, "rows_max": limit}
    rows = await graph.read(statement("curation/statements_of_user"), wanted)
    said = [
        Correction(
            id=row["id"],
            kind=StatementKind(row["session_id"].removeprefix(PREFIX).split(":", 1)[0]),
            user_id=UserId(user_id),
            text=row["text"],
            at=row["said_at"],
            pending=row["scene_id"] is None,
        )
        for row in rows
    ]
    return await _with_facts(graph, tenant, said, [row["scene_id"] for row in rows if row["scene_id"]])


def tellings_in(row: Row, message_id: str) -> list[Assertion]:
    """Return what one message tells of a fact, in a row of `facts/facts_of_scenes`. Pure."""
    told = (telling_of(text) for text in row["properties"].get("told") or ())
    return [telling for telling in told if telling.message_id == message_id]


async def _with_facts(
    graph: Graph, tenant: TenantId, said: Sequence[Correction], scenes: Sequence[str]
) -> list[Correction]:
    if not said:
        return []
    parameters = {"tenant": tenant, "user_id": said[0].user_id, "ids": sorted(scenes)}
    facts = await graph.read(statement("facts/facts_of_scenes"), parameters) if scenes else []
    shown = await _shown(graph, tenant, facts)
    return [_joined(one, [row for row in facts if tellings_in(row, one.id)], shown) for one in said]


def _joined(said: Correction, facts: Sequence[Row], shown: dict[str, MemoryId]) -> Correction:
    of: dict[bool, MemoryId] = {}
    for row in facts:
        rejects = all(telling.stated is Stated.REJECTS for telling in tellings_in(row, said.id))
        of[rejects] = shown[row["properties"]["id"]]
    if said.kind is StatementKind.REJECT:
        return replace(said, fact_id=of.get(True), pending=said.pending and not of)
    return replace(said, fact_id=of.get(False), replaced_id=of.get(True), pending=said.pending and not of)


async def _shown(graph: Graph, tenant: TenantId, facts: Sequence[Row]) -> dict[str, MemoryId]:
    """Return the edge of the map that shows each fact; those of merged entities are shown by another."""
    held = [row for row in facts if "subject_id" in row["properties"]]
    shown = {row["properties"]["id"]: MemoryId(row["properties"]["id"]) for row in facts}
    if not held:
        return shown
    ends = sorted({end for row in held for end in (row["subject_id"], row["object_id"])})
    stands = await graph.read(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": ends})
    roots = sorted({row["root_id"] for row in stands if row["root_id"]})
    edges = await graph.read(statement("lookup/edges_of_nodes"), {"tenant": tenant, "ids": roots})
    for row in held:
        told = set(row["properties"].get("told") or ())
        alike = [edge["properties"]["id"] for edge in edges if told & set(edge["properties"].get("told") or ())]
        shown[row["properties"]["id"]] = MemoryId(alike[0]) if alike else shown[row["properties"]["id"]]
    return shown


def _name(end: dict[str, Any], labels: Sequence[str]) -> str:
    if Label.USER in labels:
        return "user"
    return "assistant" if Label.AGENT in labels else str(end["name"])
