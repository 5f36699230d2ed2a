"""Look up the stored entities that a digest names, and the stored facts that its new facts may repeat or contradict."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.near_duplicates import bands, simhash
from graph_service.graph.lucene import forms_query, name_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.consolidation.plan import FACT_CHARS, SceneExtraction, names_of, run_off_loop_if_large
from graph_service.memory.consolidation.proposal_check import proposal_content, says_changed
from graph_service.memory.entity_resolution.resolver import (
    EntityRecord,
    NameMention,
    Owner,
    form_tokens,
    resolve,
    speaker_in,
)
from graph_service.memory.facts.conflict_resolution import SubjectKey, claim_content, content_of
from graph_service.memory.facts.lookup import read_related_rows
from graph_service.memory.facts.rows import fact_from_row
from schema.entity import EntityRef, EntityType
from schema.fact import Claim, Fact
from schema.ids import MemoryId, name_key, scope_token
from schema.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Stored facts related to the new ones, and stored mentions of the scenes by id.

    Attributes:
        member_ids: ids of facts that belong to merged entities.
    """

    facts: tuple[Fact, ...]
    mentions: dict[MemoryId, Fact]
    member_ids: frozenset[MemoryId] = frozenset()


async def entities_in(
    graph: Graph, owner: Owner, scenes: Sequence[SceneExtraction]
) -> tuple[dict[str, EntityRef], list[EntityRecord]]:
    """Return the entity of each name in some scenes, user and agent included, and the records of all named entities."""
    names = names_of(scenes)
    entities, touched = resolve(names, await _load_candidates(graph, owner, names), owner)
    return entities | {THE_USER: owner.user, THE_AGENT: owner.agent}, touched


async def _load_candidates(graph: Graph, owner: Owner, names: Iterable[NameMention]) -> list[EntityRecord]:
    """Return stored entities that any of the names may refer to, ordered by id."""
    scope = scope_token(owner.tenant, owner.user_id)
    keys = {name_key(mention.name): mention.name for mention in names if not speaker_in(mention.name, owner)}
    searches = [
        {"key": key, "query": name_query(name, scope_user=scope), "forms": forms_query(form_tokens(owner, [name]))}
        for key, name in sorted(keys.items())
        if key
    ]
    if not searches:
        return []
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "names": searches}
    rows = await graph.read(statement("entity_resolution/candidates"), parameters)
    return [_record_from_row(row) for row in rows]


def _record_from_row(row: dict[str, Any]) -> EntityRecord:
    kind = EntityType(row["entity_type"]) if row["entity_type"] else None
    entity = from_row(EntityRef, row, label=Label.ENTITY, entity_type=kind)
    return from_row(EntityRecord, row, entity=entity, changed=False, attributes=row["attributes"] or "")


async def load_known(
    graph: Graph,
    owner: Owner,
    scenes: Sequence[SceneExtraction],
    entities: Mapping[str, EntityRef],
    *,
    extra_claims: Iterable[Claim] = (),
    refined: Collection[MemoryId] = (),
    all_values: bool = False,
) -> KnownFacts:
    """Return facts that the proposals may repeat, close or be closed by, and those that these may close in turn.

    Args:
        extra_claims: known claims that the model judged to be restated or contradicted, or that a caller names as
            replaced.
        refined: scenes of which all facts are read, because a model may confirm or withdraw them.
        all_values: read all values of the attributes, also those that the proposals do not close.
    """
    scene_ids = sorted(extraction.scene.id for extraction in scenes)
    keys = _keys(scenes, entities, all_values=all_values)
    for claim in extra_claims:
        key = keys.get(claim.subject_id, SubjectKey())
        keys[claim.subject_id] = key.with_content(claim_content(claim, None))
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "ids": sorted(refined)}
    of_scenes = await graph.read(statement("facts/facts_of_scenes"), parameters) if refined else []
    for fact in _known(of_scenes):
        keys[fact.subject_id] = keys.get(fact.subject_id, SubjectKey()).with_content(content_of(fact))
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


def _keys(
    scenes: Sequence[SceneExtraction], entities: Mapping[str, EntityRef], *, all_values: bool
) -> dict[str, SubjectKey]:
    keys: dict[str, SubjectKey] = {}
    for extraction in scenes:
        for reading in extraction.readings:
            for fact in reading.facts:
                if any(not 0 <= quote.line < len(extraction.scene.messages) for quote in fact.quotes):
                    continue
                changes = all_values or says_changed(fact, extraction.scene.messages)
                content = proposal_content(fact, entities, changes=changes)
                if content is not None:
                    subject = content.claim.subject_id
                    key = keys.get(subject, SubjectKey()).with_content(content)
                    similar = frozenset(bands(simhash(fact.statement.strip())))
                    keys[subject] = replace(key, similarity_keys=key.similarity_keys | similar)
    return keys
