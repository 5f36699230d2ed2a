"""What the graph knows that the new facts of a digest may repeat or contradict."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.facts.rows import known_fact
from schema.fact import Claim, KnownFact
from schema.ids import TenantId
from schema.predicates import holds_one, whitelist

# What closes or is closed by what was found is looked for too; rivals of rivals are as far as it matters.
_READS_MAX: Final = 3
_Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[Row]]]


async def facts_near(writing: Writing, tenant: TenantId, claim: Claim) -> list[KnownFact]:
    """Return the facts of a claim, those that can close it or be closed by it, and the rivals of those."""
    keys = {str(claim.subject_id): _Key().with_fact(claim.predicate, claim.relation, claim.object_id, ended=True)}
    return [known_fact(row) for row in await _rows_near(writing.run, tenant, keys, [])]


async def _rows_near(run: _Run, tenant: TenantId, keys: Mapping[str, "_Key"], scene_ids: Sequence[str]) -> list[Row]:
    rows: dict[str, Row] = {}
    for _ in range(_READS_MAX):
        wanted = {"tenant": tenant, "keys": [keys[name].row(name) for name in sorted(keys)], "have": sorted(rows)}
        new = await run(statement("facts/related_facts"), {**wanted, "scene_ids": [] if rows else scene_ids})
        rows |= {row["properties"]["id"]: row for row in new}
        wider = _wider(keys, new)
        if wider == keys:
            break
        keys = wider
    return list(rows.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    """What to look for among the facts of one subject."""

    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()

    def row(self, subject: str) -> dict[str, Any]:
        return {
            "subject_id": subject,
            "object_ids": sorted(self.objects),
            "predicates": sorted(self.predicates),
            "one_relations": sorted(self.relations),
            "near": sorted(self.near),
        }

    def with_fact(self, predicate: str, relation: str | None, obj: str, *, ended: bool = False) -> "_Key":
        rule = whitelist()[predicate]
        one = {relation} if relation and holds_one(predicate, relation) else set()
        # Words that something is over mean it whatever the relation, so all that could be replaced is looked at.
        one |= rule.one if ended and relation is None else set()
        return replace(
            self,
            objects=self.objects | {obj},
            predicates=self.predicates | {predicate, rule.opposite or predicate},
            relations=self.relations | one,
        )


def _wider(keys: Mapping[str, _Key], rows: Sequence[Row]) -> dict[str, _Key]:
    """Return the keys with what may close, or be closed by, facts that were found."""
    wider = dict(keys)
    for row in rows:
        if row["predicate"] != "MENTIONED":
            relation = row["properties"].get("relation")
            key = wider[row["subject_id"]]
            wider[row["subject_id"]] = key.with_fact(row["predicate"], relation, row["object_id"])
    return wider
