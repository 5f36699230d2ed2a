"""Read the history of a fact: its other validity periods, the facts it replaced and those that replaced it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.facts.closing import ClosingView, closing_texts, closing_view
from graph_service.memory.facts.conflict_resolution import SubjectKey, conflicting_claims, content_of
from graph_service.memory.facts.lookup import fact_by_id, fact_with_ends
from schema.errors import NotFoundError
from schema.fact import Fact
from schema.ids import MemoryId, TenantId

VERSIONS_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion:
    """A fact in the history of another: another validity period, or a fact that it replaced or was replaced by.

    Attributes:
        fact: the fact as of the requested transaction time; an end that was not known then is left out.
        subject, object: their names.
        known_at: transaction time of the fact.
        closing: reason why it was closed; None while it is open.
    """

    fact: Fact
    subject: str
    object: str
    known_at: datetime
    closing: ClosingView | None


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
    found = await fact_by_id(graph.read, tenant, fact_id)
    if found is None or found.fact.predicate == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; use an id from recall or from the map")
    claim, closer = found.fact.claim, found.fact.closed_by
    key = SubjectKey().with_content(content_of(found.fact))
    parameters = {
        "tenant": tenant,
        "subject_id": claim.subject_id,
        "predicates": sorted(key.predicates),
        "object_id": claim.object_id,
        "attributes": sorted(key.attributes),
        "ids": [found.fact.id, *([closer] if closer else [])],
        "rows_max": VERSIONS_MAX,
    }
    stored = [fact_with_ends(row) for row in await graph.read(statement("curation/fact_history"), parameters)]
    related = versions_in([one.fact for one in stored], found.fact)
    versions = [
        replace(one, fact=one.as_known(known_at))
        for one in stored
        if one.fact.id in related and (known_at is None or one.known_at <= known_at)
    ]
    texts = await closing_texts(graph, tenant, [one.fact for one in versions])
    return [
        FactVersion(
            fact=one.fact,
            subject=one.subject.name,
            object=one.object.name,
            known_at=one.known_at,
            closing=closing_view(one.fact, texts),
        )
        for one in versions
    ]


def versions_in(facts: Sequence[Fact], fact: Fact) -> set[MemoryId]:
    """Return the ids of facts of this and conflicting claims, those that `fact` closed, and their closers. Pure."""
    related = {fact.claim, *conflicting_claims(content_of(fact), [content_of(one) for one in facts])}
    ids = {one.id for one in facts if one.claim in related or one.closed_by == fact.id}
    return ids | {one.closed_by for one in facts if one.id in ids and one.closed_by}
