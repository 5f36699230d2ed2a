"""What the graph knows that the new facts of a digest may repeat or contradict."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from extraction.near_duplicate import bands, simhash
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.beings import Known, NameSeen, Owner, resolve
from graph_service.memory.digest_plan import SceneRead
from graph_service.memory.fact_rows import known_fact
from graph_service.memory.planned_here import FACT_CHARS, computed
from schema.entity import Being
from schema.fact import Claim, KnownFact
from schema.ids import MemoryId, TenantId
from schema.predicates import holds_one, whitelist
from schema.relations import canonical_relation

# What closes or is closed by what was found is looked for too; rivals of rivals are as far as it matters.
_READS_MAX: Final = 3
_Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Stored facts near the new ones, and what the scenes are known to mention, by id.

    Attributes:
        held: ids of those that belong to merged entities.
    """

    facts: tuple[KnownFact, ...]
    mentions: dict[MemoryId, KnownFact]
    held: frozenset[MemoryId] = frozenset()


async def load_known(
    graph: Graph,
    owner: Owner,
    scenes: Sequence[SceneRead],
    names: Sequence[NameSeen],
    candidates: Sequence[Known],
    *,
    also: Iterable[Claim] = (),
) -> KnownFacts:
    """Facts that the proposals may repeat, close or be closed by, and the rivals of those.

    Args:
        also: known claims that a model has judged the proposals to touch.
    """
    beings, _ = resolve(names, candidates, owner)
    scene_ids = sorted(read.scene.id for read in scenes)
    keys = _keys(scenes, beings)
    for claim in also:
        key = keys.get(claim.subject_id, _Key())
        keys[claim.subject_id] = key.with_fact(claim.predicate, claim.relation, claim.object_id, ended=True)
    rows = await _rows_near(graph.read, owner.tenant, keys, scene_ids)
    known = await computed(partial(_known, rows), len(rows) * FACT_CHARS)
    unique = {fact.id: fact for fact in known if fact.predicate != "MENTIONED"}
    return KnownFacts(
        facts=tuple(unique[name] for name in sorted(unique)),
        mentions={fact.id: fact for fact in known if fact.predicate == "MENTIONED"},
        held=frozenset(row["properties"]["id"] for row in rows if "subject_id" in row["properties"]),
    )


def _known(rows: Sequence[Row]) -> list[KnownFact]:
    return [known_fact(row) for row in rows]


async def facts_near(writing: Writing, tenant: TenantId, claim: Claim) -> list[KnownFact]:
    """The facts of a claim, those that can close it or be closed by it, and the rivals of those."""
    keys = {str(claim.subject_id): _Key().with_fact(claim.predicate, claim.relation, claim.object_id, ended=True)}
    return [known_fact(row) for row in await _rows_near(writing.run, tenant, keys, [])]


async def _rows_near(run: _Run, tenant: TenantId, keys: Mapping[str, "_Key"], scene_ids: Sequence[str]) -> list[Row]:
    rows: dict[str, Row] = {}
    for _ in range(_READS_MAX):
        wanted = {"tenant": tenant, "keys": [keys[name].row(name) for name in sorted(keys)], "have": sorted(rows)}
        new = await run(statement("read/known_facts"), {**wanted, "scene_ids": [] if rows else scene_ids})
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


def _keys(scenes: Sequence[SceneRead], beings: dict[str, Being]) -> dict[str, _Key]:
    keys: dict[str, _Key] = {}
    for read in scenes:
        for reading in read.readings:
            for fact in reading.facts:
                if fact.predicate not in whitelist() or fact.subject not in beings or fact.object not in beings:
                    continue
                subject = beings[fact.subject].id
                relation = canonical_relation(fact.relation)
                key = keys.get(subject, _Key())
                key = key.with_fact(fact.predicate, relation, beings[fact.object].id, ended=fact.closes)
                keys[subject] = replace(key, near=key.near | set(bands(simhash(fact.statement.strip()))))
    return keys


def _wider(keys: Mapping[str, _Key], rows: Sequence[Row]) -> dict[str, _Key]:
    """The keys with what may close, or be closed by, facts that were found."""
    wider = dict(keys)
    for row in rows:
        if row["predicate"] != "MENTIONED":
            relation = row["properties"].get("relation")
            key = wider[row["subject_id"]]
            wider[row["subject_id"]] = key.with_fact(row["predicate"], relation, row["object_id"])
    return wider
