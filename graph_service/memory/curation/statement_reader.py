"""Read corrections by people, the facts that they correct and the facts that they produced."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from extraction.entities.attributes import value_key
from extraction.reader import THE_USER, ProposedFact, Reader, SceneLine, SceneText
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.facts.lookup import FactWithEnds, fact_by_id
from graph_service.memory.forgetting.service import message_selection
from schema.assertion import Assertion, CorrectionKind, StatementKind, parse_assertion
from schema.errors import ConflictError, NotFoundError
from schema.ids import CORRECTION_SESSION, MemoryId, TenantId, UserId, name_key
from schema.labels import Label, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A manual correction. It takes precedence over extraction, including later extraction.

    Attributes:
        id: its id, for undoCorrection; also the id of the message that is the fact's evidence.
        kind: what was corrected.
        user_id: the user's id.
        text: the correction in words.
        at: when it was made.
        fact_id: the fact it created or changed; None while pending.
        replaced_id: the fact that an update replaced, if it created another one.
        by: who made it: the name of the key, or the subject of the token; None without a credential.
        pending: stored durably, and applied when Neo4j or the reader is available again.
    """

    id: MemoryId
    kind: StatementKind
    user_id: UserId
    text: str
    at: datetime
    fact_id: MemoryId | None = None
    replaced_id: MemoryId | None = None
    by: str | None = None
    pending: bool = False


async def content_in(words: str, stored: FactWithEnds, read: Reader) -> dict[str, Any]:
    """Return predicate, relation and object that new words state of a fact's subject; empty if they name its object.

    The words are read like a message, where another name stands for the subject if its relation is the fact's; else
    they are compared with the stored statement. Empty also if neither finds an object.
    """
    fact, name = stored.fact, stored.object.name
    if value_key(name) in value_key(words):
        return {}
    is_user = Label.USER in stored.subject.labels
    line = SceneLine(message_id=MemoryId(""), role=Role.USER, speaker=None, text=words, said_at=fact.valid_at)
    names = (stored.subject.name,) if is_user else ()
    reading = await read(SceneText(user_names=names, agent_names=(), lines=(line,)))
    subject = name_key(THE_USER if is_user else stored.subject.name)

    def mismatches(one: ProposedFact) -> tuple[bool, bool]:
        return name_key(one.subject) != subject, (one.predicate, one.relation) != (fact.predicate, fact.relation)

    said = sorted((one for one in reading.facts if not one.closes and not all(mismatches(one))), key=mismatches)
    if said:
        return {"predicate": said[0].predicate, "relation": said[0].relation or "", "object": said[0].object}
    before, named, after = fact.statement.rstrip(".。").partition(name)
    # People say 我 of themselves where the statement has their name.
    starts = {before, re.sub(f"^(?:{re.escape(stored.subject.name)}|用户)", "我", before) if is_user else before}
    start = "|".join(map(re.escape, sorted(starts)))
    put = re.fullmatch(f"(?:{start})(.{{1,100}}?){re.escape(after)}[.。]?", words.strip(), re.IGNORECASE)
    return {"object": put[1]} if named and put is not None else {}


async def fact_to_correct(graph: Graph, tenant: TenantId, fact_id: str) -> FactWithEnds:
    """Return the fact to correct.

    Raises:
        NotFoundError: the tenant has no such fact.
        ConflictError: its subject or object is a merged entity.
    """
    check_ids(factId=fact_id)
    found = await fact_by_id(graph.read, tenant, fact_id)
    if found is None or found.fact.predicate == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; use an id from recall or from the map")
    if found.merged:
        raise ConflictError(
            f"the fact {fact_id!r} belongs to merged entities; split them, correct it, and merge them again"
        )
    return found


async def with_stored_facts(graph: Graph, tenant: TenantId, correction: Correction) -> Correction:
    """Return the correction with the ids of its facts in the graph."""
    selection = message_selection(tenant, ids=[correction.id])
    rows = await graph.read(statement("forgetting/messages_to_forget"), selection)
    scenes = [row["scene_id"] for row in rows if row["scene_id"]]
    return (await _with_facts(graph, tenant, [correction], scenes))[0]


async def statements_of_user(graph: Graph, tenant: TenantId, user_id: str, *, limit: int) -> list[Correction]:
    """Return the corrections of one user's memory, latest first."""
    parameters = {"tenant": tenant, "user_id": user_id, "prefix": CORRECTION_SESSION, "rows_max": limit}
    rows = await graph.read(statement("curation/statements_of_user"), parameters)
    corrections = [
        Correction(
            id=row["id"],
            kind=StatementKind(row["session_id"].removeprefix(CORRECTION_SESSION).split(":", 1)[0]),
            user_id=UserId(user_id),
            text=row["text"],
            at=row["said_at"],
            by=row["speaker"],
            pending=row["scene_id"] is None,
        )
        for row in rows
    ]
    return await _with_facts(graph, tenant, corrections, [row["scene_id"] for row in rows if row["scene_id"]])


def assertions_of(row: Row, message_id: str) -> list[Assertion]:
    """Return the assertions of one message in a row of `facts/facts_of_scenes`. Pure."""
    assertions = (parse_assertion(text) for text in row["properties"].get("assertions") or ())
    return [assertion for assertion in assertions if assertion.message_id == message_id]


async def _with_facts(
    graph: Graph, tenant: TenantId, corrections: Sequence[Correction], scenes: Sequence[str]
) -> list[Correction]:
    if not corrections:
        return []
    parameters = {"tenant": tenant, "user_id": corrections[0].user_id, "ids": sorted(scenes)}
    facts = await graph.read(statement("facts/facts_of_scenes"), parameters) if scenes else []
    visible = await _visible_edges(graph, tenant, facts)
    return [_with_fact_ids(one, [row for row in facts if assertions_of(row, one.id)], visible) for one in corrections]


def _with_fact_ids(correction: Correction, facts: Sequence[Row], visible: dict[str, MemoryId]) -> Correction:
    fact_by_rejection: dict[bool, MemoryId] = {}
    for row in facts:
        rejects = all(assertion.correction is CorrectionKind.REJECTS for assertion in assertions_of(row, correction.id))
        fact_by_rejection[rejects] = visible[row["properties"]["id"]]
    rejects = correction.kind is StatementKind.REJECT
    return replace(
        correction,
        fact_id=fact_by_rejection.get(rejects),
        replaced_id=None if rejects else fact_by_rejection.get(True),
        pending=correction.pending and not fact_by_rejection,
    )


async def _visible_edges(graph: Graph, tenant: TenantId, facts: Sequence[Row]) -> dict[str, MemoryId]:
    """Return the id of each fact's edge on the map by fact id; for merged entities, that of the derived edge."""
    member_facts = [row for row in facts if "subject_id" in row["properties"]]
    visible = {row["properties"]["id"]: MemoryId(row["properties"]["id"]) for row in facts}
    if not member_facts:
        return visible
    ends = sorted({end for row in member_facts for end in (row["subject_id"], row["object_id"])})
    resolved = await graph.read(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": ends})
    roots = sorted({row["root_id"] for row in resolved if row["root_id"]})
    edges = await graph.read(statement("lookup/edges_of_nodes"), {"tenant": tenant, "ids": roots})
    for row in member_facts:
        assertions = set(row["properties"].get("assertions") or ())
        projected = [
            edge["properties"]["id"] for edge in edges if assertions & set(edge["properties"].get("assertions") or ())
        ]
        visible[row["properties"]["id"]] = MemoryId(projected[0]) if projected else visible[row["properties"]["id"]]
    return visible
