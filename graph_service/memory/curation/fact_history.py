"""The history of a fact: what held of the same before and after it, and why each ceased to hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.facts.bitemporal import known_end
from graph_service.memory.facts.closing import ClosingView, closing_view, said_by_closers, times_of
from graph_service.memory.facts.conflict_resolution import rivals
from schema.errors import NotFoundError
from schema.fact import Claim
from schema.ids import MemoryId, TenantId
from schema.predicates import holds_one, whitelist

VERSIONS_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion:
    """One fact in the history of another: another spell of it, or what it replaced or was replaced by.

    Attributes:
        known_at: when we heard of it; closing_known_at: when we heard of what closed it.
        closing: why it does not hold any more; None while it does.
        evidence: ids of the messages that prove it.
    """

    id: MemoryId
    uri: str
    statement: str
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    strength: float
    valid_at: datetime
    invalid_at: datetime | None
    known_at: datetime
    closing_known_at: datetime | None
    closing: ClosingView | None
    evidence: tuple[MemoryId, ...]


async def history_of(
    graph: Graph, tenant: TenantId, fact_id: str, *, known_at: datetime | None = None
) -> list[FactVersion]:
    """Return the versions of a fact, itself among them, in the order in which they began to hold; at most
    `VERSIONS_MAX`.

    Args:
        known_at: by what was known then; None means by all that is known.

    Raises:
        NotFoundError: the tenant has no such fact.
        UnavailableError: Neo4j does not answer.
    """
    found = await graph.read(statement("lookup/fact_by_id"), {"tenant": tenant, "id": fact_id})
    if not found or found[0]["predicate"] == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; take an id from recall or from the map")
    asked = _asked(found[0])
    rule = whitelist()[asked.predicate]
    one = asked.relation if holds_one(asked.predicate, asked.relation) else None
    closer = found[0]["edge"]["closed_by"]
    wanted = {
        "tenant": tenant,
        "subject_id": asked.subject_id,
        "predicates": sorted({asked.predicate, rule.opposite or asked.predicate}),
        "object_id": asked.object_id,
        "relation": one,
        "ids": [fact_id, *([closer] if closer else [])],
        "rows_max": VERSIONS_MAX,
    }
    rows = versions_in(await graph.read(statement("curation/fact_history"), wanted), asked)
    for row in rows:
        row["edge"] |= _as_known(row["edge"], known_at)
    told = [row for row in rows if known_at is None or row["edge"]["known_at"] <= known_at]
    said = await said_by_closers(graph, tenant, [row["edge"] for row in told])
    return [_version(row, said) for row in told]


def versions_in(rows: Sequence[Row], asked: Claim) -> list[Row]:
    """Return those of some facts that are the asked one at another time, can close it or be closed by it, or
    did. Pure.
    """
    claims = [_claim(row) for row in rows]
    of_it = {asked, *rivals(asked, claims)}
    ids = {row["edge"]["id"] for row, claim in zip(rows, claims, strict=True) if claim in of_it}
    ids |= {row["edge"]["closed_by"] for row in rows if row["edge"]["id"] in ids and row["edge"]["closed_by"]}
    return [row for row in rows if row["edge"]["id"] in ids]


def _as_known(edge: Mapping[str, Any], known_at: datetime | None) -> dict[str, Any]:
    """Return what the times of a fact were by what was known at a moment; what closes it is nothing while
    nobody knew.
    """
    times = times_of(edge)
    end = known_end(times, known_at)
    closed = edge["closing_known_at"] if end is not None else None
    return {"known_at": times.known_at, "invalid_at": end, "closing_known_at": closed}


def _version(row: Row, said: dict[str, str]) -> FactVersion:
    edge = row["edge"]
    return FactVersion(
        id=edge["id"],
        uri=edge["uri"],
        statement=edge["statement"],
        subject=row["subject"],
        predicate=row["predicate"],
        relation=edge["relation"],
        object=row["object"],
        confidence=edge["confidence"],
        strength=edge["strength"],
        valid_at=edge["valid_at"],
        invalid_at=edge["invalid_at"],
        known_at=edge["known_at"],
        closing_known_at=edge["closing_known_at"],
        closing=closing_view(edge, said),
        evidence=tuple(edge["evidence"] or ()),
    )


def _asked(row: Row) -> Claim:
    return Claim(row["source"]["id"], row["predicate"], row["edge"]["relation"], row["target"]["id"])


def _claim(row: Row) -> Claim:
    return Claim(row["subject_id"], row["predicate"], row["edge"]["relation"], row["object_id"])
