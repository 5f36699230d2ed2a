"""The history of a fact: its other validity periods, the facts it replaced and those that replaced it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.facts.bitemporal import known_end
from graph_service.memory.facts.closing import ClosingView, closing_texts, closing_view, times_of
from graph_service.memory.facts.conflict_resolution import conflicting_claims
from schema.errors import NotFoundError
from schema.fact import Claim
from schema.ids import MemoryId, TenantId
from schema.predicates import is_single_valued, whitelist

VERSIONS_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion:
    """A fact in the history of another: another validity period, or a fact that it replaced or was replaced by.

    Attributes:
        known_at: transaction time of the fact.
        closing_known_at: transaction time of its closing.
        closing: why it was closed; None while it is open.
        evidence: ids of the supporting messages.
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


async def fact_history(
    graph: Graph, tenant: TenantId, fact_id: str, *, known_at: datetime | None = None
) -> list[FactVersion]:
    """Return the versions of a fact, itself included, by start of validity; at most `VERSIONS_MAX`.

    Args:
        known_at: transaction time; the latest state if None.

    Raises:
        NotFoundError: the tenant has no such fact.
        UnavailableError: Neo4j does not answer.
    """
    found = await graph.read(statement("lookup/fact_by_id"), {"tenant": tenant, "id": fact_id})
    if not found or found[0]["predicate"] == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; take an id from recall or from the map")
    claim = _claim_of_fact(found[0])
    rule = whitelist()[claim.predicate]
    single_relation = claim.relation if is_single_valued(claim.predicate, claim.relation) else None
    closer = found[0]["edge"]["closed_by"]
    parameters = {
        "tenant": tenant,
        "subject_id": claim.subject_id,
        "predicates": sorted({claim.predicate, rule.opposite or claim.predicate}),
        "object_id": claim.object_id,
        "relation": single_relation,
        "ids": [fact_id, *([closer] if closer else [])],
        "rows_max": VERSIONS_MAX,
    }
    rows = versions_in(await graph.read(statement("curation/fact_history"), parameters), claim)
    for row in rows:
        row["edge"] |= _times_known_at(row["edge"], known_at)
    visible = [row for row in rows if known_at is None or row["edge"]["known_at"] <= known_at]
    statements = await closing_texts(graph, tenant, [row["edge"] for row in visible])
    return [_version(row, statements) for row in visible]


def versions_in(rows: Sequence[Row], claim: Claim) -> list[Row]:
    """Return the facts of a claim and of conflicting claims, and the facts that closed one of these. Pure."""
    row_claims = [_claim(row) for row in rows]
    related = {claim, *conflicting_claims(claim, row_claims)}
    ids = {row["edge"]["id"] for row, claim in zip(rows, row_claims, strict=True) if claim in related}
    ids |= {row["edge"]["closed_by"] for row in rows if row["edge"]["id"] in ids and row["edge"]["closed_by"]}
    return [row for row in rows if row["edge"]["id"] in ids]


def _times_known_at(edge: Mapping[str, Any], known_at: datetime | None) -> dict[str, Any]:
    """Return the times of a fact as of a transaction time; a closing known only later is left out."""
    times = times_of(edge)
    end = known_end(times, known_at)
    closed = edge["closing_known_at"] if end is not None else None
    return {"known_at": times.known_at, "invalid_at": end, "closing_known_at": closed}


def _version(row: Row, statements: dict[str, str]) -> FactVersion:
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
        closing=closing_view(edge, statements),
        evidence=tuple(edge["evidence"] or ()),
    )


def _claim_of_fact(row: Row) -> Claim:
    return Claim(row["source"]["id"], row["predicate"], row["edge"]["relation"], row["target"]["id"])


def _claim(row: Row) -> Claim:
    return Claim(row["subject_id"], row["predicate"], row["edge"]["relation"], row["object_id"])
