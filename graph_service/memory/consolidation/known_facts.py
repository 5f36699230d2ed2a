"""Look up the stored entities and facts of a digest.

Entities that it names, facts that its new facts may repeat or contradict, and those that a caller names as replaced.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from extraction.entities.attributes import value_key
from extraction.reader import THE_AGENT, THE_USER
from extraction.text.fulltext_words import words_in
from extraction.text.near_duplicates import bands, likeness, simhash
from extraction.text.stems import stem
from graph_service.graph.lucene import forms_query, name_query, scoped_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.consolidation.plan import FACT_CHARS, SceneExtraction, names_of, run_off_loop_if_large
from graph_service.memory.consolidation.proposal_check import CALLER, ReplacedName, proposal_content, says_changed
from graph_service.memory.entity_resolution.resolver import (
    EntityRecord,
    NameMention,
    Owner,
    form_tokens,
    resolve,
    speaker_in,
)
from graph_service.memory.facts.conflict_resolution import (
    ClaimContent,
    SubjectKey,
    claim_content,
    content_of,
    content_of_row,
)
from graph_service.memory.facts.stored import fact_from_row, read_related_rows
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


# Full-text rows for each reference.
_ROWS_MAX: Final = 30
# References looked up in one digest; further ones replace nothing.
NAMES_MAX: Final = 2_000
# Minimum likeness of a reference that paraphrases the statement.
_LIKE_MIN: Final = 0.75


async def find_replaced(
    graph: Graph, owner: Owner, scenes: Sequence[SceneExtraction], entities: Mapping[str, EntityRef]
) -> dict[ReplacedName, ClaimContent]:
    """Return the claims that provided facts name as replaced; names that match none, or several, are left out."""
    references = dict(_references(scenes, entities))
    if not references:
        return {}
    scope = scope_token(owner.tenant, owner.user_id)
    lookups = [
        {
            "subject_id": name.subject_id,
            "text": name.text,
            "key": name_key(name.text),
            "query": scoped_query(words_in(name.text), fields=["statement"], scope_user=scope, days=False),
        }
        for name in references
    ]
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "lookups": lookups, "index_rows": _ROWS_MAX}
    rows: dict[ReplacedName, list[Row]] = {}
    for row in await graph.read(statement("consolidation/replaced_facts"), parameters):
        rows.setdefault(ReplacedName(row["subject_id"], row["text"]), []).append(row)
    found = {name: replaced_fact(name.text, new, rows.get(name, ())) for name, new in references.items()}
    return {name: claim for name, claim in found.items() if claim is not None}


def _references(
    scenes: Sequence[SceneExtraction], entities: Mapping[str, EntityRef]
) -> Iterable[tuple[ReplacedName, ClaimContent]]:
    """Yield each reference to a replaced fact, with the content of the provided fact that replaces it."""
    count = 0
    readings = [one for scene in scenes for one in scene.readings if one.reader == CALLER]
    for fact in (fact for reading in readings for fact in reading.facts):
        content = proposal_content(fact, entities)
        for text in fact.replaces if content is not None else ():
            count += 1
            if content is None or count > NAMES_MAX:
                return
            yield ReplacedName(content.claim.subject_id, text), content


def replaced_fact(text: str, new: ClaimContent, rows: Sequence[Mapping[str, Any]]) -> ClaimContent | None:
    """Return the claim that a text refers to; None if there is none, or several are equally likely. Pure.

    An id or URI matches exactly. Other texts match an open fact by its statement, or by its object if it has the same
    attribute or relation as the new one: "Porto" never ends "was born in Porto".

    Args:
        rows: rows of `consolidation/replaced_facts`.
    """
    ranked: dict[tuple[int, bool], dict[MemoryId, ClaimContent]] = {}
    for row in rows:
        content, stored = content_of_row(row), row["properties"]
        if content.claim == new.claim:
            continue
        rank = _rank(text, new, content, row)
        if rank is not None:
            ranked.setdefault((rank, stored.get("invalid_at") is not None), {})[content.id] = content
    best = ranked[min(ranked)] if ranked else {}
    return next(iter(best.values())) if len(best) == 1 else None


def _rank(text: str, new: ClaimContent, known: ClaimContent, row: Mapping[str, Any]) -> int | None:
    """Return the rank of the match between a text and a known fact, lowest best; None if they do not match."""
    stored = row["properties"]
    if text in (stored["id"], stored["uri"]):
        return 0
    if value_key(text) == value_key(stored["statement"]):
        return 1
    related = new.claim.predicate == known.claim.predicate and (
        new.claim.relation == known.claim.relation
        or (new.attribute is not None and new.attribute.removeprefix("?") == (known.attribute or "").removeprefix("?"))
    )
    name = row.get("object_name") or ""
    if related and name and value_key(text) == value_key(name):
        return 2
    stems = {stem(word) for word in words_in(text)}
    of_fact = {stem(word) for word in words_in(f"{stored['statement']} {known.claim.relation or ''} {name}")}
    contains_object = bool(name) and value_key(name) in value_key(text)
    if related and stems and (stems <= of_fact or contains_object):
        return 3
    alike = likeness(text, stored["statement"]) >= _LIKE_MIN
    return 4 if alike or (contains_object and len(stems) > 1 and stems <= of_fact) else None
