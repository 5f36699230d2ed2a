"""What the graph knows that the new facts of a digest may repeat or contradict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from extraction.text.near_duplicates import bands, simhash
from graph_service.graph.store import Graph, Row
from graph_service.memory.consolidation.plan import SceneExtraction
from graph_service.memory.consolidation.plan_size import FACT_CHARS, computed
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameSeen, Owner, resolve
from graph_service.memory.facts.lookup import _Key, _rows_near
from graph_service.memory.facts.rows import known_fact
from schema.entity import EntityRef
from schema.fact import Claim, KnownFact
from schema.ids import MemoryId
from schema.predicates import whitelist
from schema.relations import canonical_relation


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
    scenes: Sequence[SceneExtraction],
    names: Sequence[NameSeen],
    candidates: Sequence[EntityRecord],
    *,
    also: Iterable[Claim] = (),
) -> KnownFacts:
    """Return facts that the proposals may repeat, close or be closed by, and the rivals of those.

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


def _keys(scenes: Sequence[SceneExtraction], beings: dict[str, EntityRef]) -> dict[str, _Key]:
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
