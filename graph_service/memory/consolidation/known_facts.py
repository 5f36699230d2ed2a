"""Look up stored facts that the new facts of a digest may repeat or contradict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from extraction.text.near_duplicates import bands, simhash
from graph_service.graph.store import Graph, Row
from graph_service.memory.consolidation.plan import FACT_CHARS, SceneExtraction, run_off_loop_if_large
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameMention, Owner, resolve
from graph_service.memory.facts.lookup import SubjectKey, read_related_rows
from graph_service.memory.facts.rows import fact_from_row
from schema.entity import EntityRef
from schema.fact import Claim, Fact
from schema.ids import MemoryId
from schema.predicates import whitelist
from schema.relations import canonical_relation


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Stored facts related to the new ones, and stored mentions of the scenes by id.

    Attributes:
        member_ids: ids of facts that belong to merged entities.
    """

    facts: tuple[Fact, ...]
    mentions: dict[MemoryId, Fact]
    member_ids: frozenset[MemoryId] = frozenset()


async def load_known(
    graph: Graph,
    owner: Owner,
    scenes: Sequence[SceneExtraction],
    names: Sequence[NameMention],
    candidates: Sequence[EntityRecord],
    *,
    also: Iterable[Claim] = (),
) -> KnownFacts:
    """Return facts that the proposals may repeat, close or be closed by, and those that these may close in turn.

    Args:
        also: known claims that the model judged to be restated or contradicted.
    """
    entities, _ = resolve(names, candidates, owner)
    scene_ids = sorted(extraction.scene.id for extraction in scenes)
    keys = _keys(scenes, entities)
    for claim in also:
        key = keys.get(claim.subject_id, SubjectKey())
        keys[claim.subject_id] = key.with_fact(claim.predicate, claim.relation, claim.object_id, ended=True)
    rows = await read_related_rows(graph.read, owner.tenant, keys, scene_ids)
    known = await run_off_loop_if_large(partial(_known, rows), len(rows) * FACT_CHARS)
    unique = {fact.id: fact for fact in known if fact.predicate != "MENTIONED"}
    return KnownFacts(
        facts=tuple(unique[name] for name in sorted(unique)),
        mentions={fact.id: fact for fact in known if fact.predicate == "MENTIONED"},
        member_ids=frozenset(row["properties"]["id"] for row in rows if "subject_id" in row["properties"]),
    )


def _known(rows: Sequence[Row]) -> list[Fact]:
    return [fact_from_row(row) for row in rows]


def _keys(scenes: Sequence[SceneExtraction], entities: dict[str, EntityRef]) -> dict[str, SubjectKey]:
    keys: dict[str, SubjectKey] = {}
    for extraction in scenes:
        for reading in extraction.readings:
            for fact in reading.facts:
                if fact.predicate not in whitelist() or fact.subject not in entities or fact.object not in entities:
                    continue
                subject = entities[fact.subject].id
                relation = canonical_relation(fact.relation)
                key = keys.get(subject, SubjectKey())
                key = key.with_fact(fact.predicate, relation, entities[fact.object].id, ended=fact.closes)
                keys[subject] = replace(
                    key, similarity_keys=key.similarity_keys | set(bands(simhash(fact.statement.strip())))
                )
    return keys
