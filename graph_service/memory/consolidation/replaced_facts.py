"""Find the stored facts that a caller names as replaced, by id, URI, statement or object."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from extraction.entities.attributes import value_key
from extraction.text.english_stems import stem
from extraction.text.fulltext_words import words_in
from extraction.text.near_duplicates import likeness
from graph_service.graph.lucene import scoped_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.consolidation.plan import SceneExtraction
from graph_service.memory.consolidation.proposal_check import CALLER, ReplacedName, proposal_content
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.facts.conflict_resolution import ClaimContent, content_of_row
from schema.entity import EntityRef
from schema.ids import MemoryId, name_key, scope_token

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
