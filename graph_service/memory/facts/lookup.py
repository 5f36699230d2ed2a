"""Read the stored facts that new facts may repeat or contradict."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.facts.rows import known_fact
from schema.fact import Claim, KnownFact
from schema.ids import TenantId
from schema.predicates import is_single_valued, whitelist

# Rounds of the search: facts, those in conflict with them, and those in conflict with these.
_READS_MAX: Final = 3
_Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[Row]]]


async def related_facts(writing: Writing, tenant: TenantId, claim: Claim) -> list[KnownFact]:
    """Read the facts of a claim, those that conflict with it, and those that conflict with these."""
    keys = {str(claim.subject_id): SubjectKey().with_fact(claim.predicate, claim.relation, claim.object_id, ended=True)}
    return [known_fact(row) for row in await read_related_rows(writing.run, tenant, keys, [])]


async def read_related_rows(
    run: _Run, tenant: TenantId, keys: Mapping[str, "SubjectKey"], scene_ids: Sequence[str]
) -> list[Row]:
    rows: dict[str, Row] = {}
    for _ in range(_READS_MAX):
        wanted = {"tenant": tenant, "keys": [keys[name].row(name) for name in sorted(keys)], "have": sorted(rows)}
        new = await run(statement("facts/related_facts"), {**wanted, "scene_ids": [] if rows else scene_ids})
        rows |= {row["properties"]["id"]: row for row in new}
        wider = _widened(keys, new)
        if wider == keys:
            break
        keys = wider
    return list(rows.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectKey:
    """A search for facts of one subject, as in `$keys` of `facts/related_facts`."""

    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    similarity_keys: frozenset[str] = frozenset()

    def row(self, subject: str) -> dict[str, Any]:
        return {
            "subject_id": subject,
            "object_ids": sorted(self.objects),
            "predicates": sorted(self.predicates),
            "one_relations": sorted(self.relations),
            "similarity_keys": sorted(self.similarity_keys),
        }

    def with_fact(self, predicate: str, relation: str | None, obj: str, *, ended: bool = False) -> "SubjectKey":
        rule = whitelist()[predicate]
        one = {relation} if relation and is_single_valued(predicate, relation) else set()
        # An end without a relation ends the claim with any relation, so all single-valued ones are read.
        one |= rule.one if ended and relation is None else set()
        return replace(
            self,
            objects=self.objects | {obj},
            predicates=self.predicates | {predicate, rule.opposite or predicate},
            relations=self.relations | one,
        )


def _widened(keys: Mapping[str, SubjectKey], rows: Sequence[Row]) -> dict[str, SubjectKey]:
    """Return the keys widened to facts that conflict with those found."""
    wider = dict(keys)
    for row in rows:
        if row["predicate"] != "MENTIONED":
            relation = row["properties"].get("relation")
            key = wider[row["subject_id"]]
            wider[row["subject_id"]] = key.with_fact(row["predicate"], relation, row["object_id"])
    return wider
