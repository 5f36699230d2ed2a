"""Read stored facts: one by its id, and those that new facts may repeat or contradict."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.facts.bitemporal import FactTimes, known_end
from graph_service.memory.facts.conflict_resolution import ClaimContent, SubjectKey, content_of_row
from graph_service.memory.facts.rows import fact_from_row
from schema.fact import Fact
from schema.ids import TenantId, UserId, to_element_id

# Rounds of the search: facts, facts that conflict with them, and facts that conflict with these.
_READS_MAX: Final = 3
_Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEnd:
    """The subject or object node of a fact, whose id is in the fact.

    Attributes:
        name: name of the node, or its `user_id` if it has none.
    """

    name: str
    labels: frozenset[str]
    entity_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWithEnds:
    """A stored fact with its subject and object.

    Attributes:
        known_at: transaction time: when it was received; `recorded_at` if that is not stored.
        recorded_at: when it was first stored.
        merged: subject or object is a merged entity, so the fact is derived from the facts of its members.
    """

    fact: Fact
    subject: FactEnd
    object: FactEnd
    user_id: UserId
    known_at: datetime
    recorded_at: datetime
    merged: bool

    @property
    def times(self) -> FactTimes:
        """Return the valid and transaction times of the fact."""
        fact = self.fact
        return FactTimes(
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
            known_at=self.known_at,
            closing_known_at=fact.closing_known_at,
        )

    def as_known(self, known_at: datetime | None) -> Fact:
        """Return the fact as of a transaction time: open if its end was not known then; None means the latest state."""
        end = known_end(self.times, known_at)
        known = self.fact.closing_known_at if end is not None else None
        return replace(self.fact, invalid_at=end, closing_known_at=known)


async def fact_by_id(run: _Run, tenant: str, fact_id: str) -> FactWithEnds | None:
    """Return the fact or mention with this id or URI; None if the tenant has none."""
    rows = await run(statement("lookup/fact_by_id"), {"tenant": tenant, "id": to_element_id(fact_id)})
    return fact_with_ends(rows[0]) if rows else None


def fact_with_ends(row: Row) -> FactWithEnds:
    """Return the fact in a row of `lookup/fact_by_id` or `curation/fact_history`. Pure."""
    stored = row["properties"]
    return FactWithEnds(
        fact=fact_from_row({**row, "object_name": row["object"]["name"]}),
        subject=_end(row["subject"]),
        object=_end(row["object"]),
        user_id=UserId(stored["user_id"]),
        known_at=stored.get("known_at") or stored["recorded_at"],
        recorded_at=stored["recorded_at"],
        merged=bool(stored.get("merged")),
    )


def _end(node: Mapping[str, Any]) -> FactEnd:
    return FactEnd(
        name=node["name"] or node["user_id"], labels=frozenset(node["labels"]), entity_type=node["entity_type"]
    )


async def related_facts(writing: Writing, tenant: TenantId, fact: ClaimContent) -> list[Fact]:
    """Read the facts of a claim, those that conflict with it, and those that conflict with these."""
    keys = {str(fact.claim.subject_id): SubjectKey().with_content(fact)}
    return [fact_from_row(row) for row in await read_related_rows(writing.run, tenant, keys, [])]


async def read_related_rows(
    run: _Run, tenant: TenantId, keys: Mapping[str, SubjectKey], scene_ids: Sequence[str]
) -> list[Row]:
    """Read the rows of `facts/related_facts` for the keys, and for the facts that conflict with those found.

    Args:
        keys: search keys by subject id.
        scene_ids: scenes whose mentions to read too.
    """
    rows: dict[str, Row] = {}
    for _ in range(_READS_MAX):
        parameters = {
            "tenant": tenant,
            "keys": [keys[subject].row(subject) for subject in sorted(keys)],
            "have": sorted(rows),
            "scene_ids": [] if rows else scene_ids,
        }
        new = await run(statement("facts/related_facts"), parameters)
        rows |= {row["properties"]["id"]: row for row in new}
        wider = _widened(keys, new)
        if wider == keys:
            break
        keys = wider
    return list(rows.values())


def _widened(keys: Mapping[str, SubjectKey], rows: Sequence[Row]) -> dict[str, SubjectKey]:
    """Return the keys widened to facts that conflict with those found."""
    wider = dict(keys)
    for row in rows:
        if row["predicate"] != "MENTIONED":
            wider[row["subject_id"]] = wider[row["subject_id"]].with_content(content_of_row(row))
    return wider
