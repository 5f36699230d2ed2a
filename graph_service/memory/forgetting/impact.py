"""Find everything in the graph that a request to forget affects, inside the transaction that commits it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.forgetting.plan import (
    EntityOutcome,
    MessageText,
    RemainingText,
    entity_outcome,
    keys_of,
    names_and_values,
    scenes_of,
    scenes_to_resegment,
)
from schema.ids import TenantId, UserId
from schema.labels import Label

_EVIDENCE_MAX: Final = 200
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Impact:
    """Everything that a request to forget affects.

    Attributes:
        messages: rows of the messages to delete.
        remaining: rows of the other messages of resegmented scenes. Those that expire soon are not read again: messages
            that expire one after the other would have their scene read again each time.
        resegmented: ids of scenes that are deleted, so that their remaining messages are segmented again.
        reread: ids of other scenes that are extracted again with the same boundaries.
        cleared: ids of scenes among `reread` whose extracted facts and mentions are deleted first.
        rejected: ids of the facts that the caller asked to forget, themselves or with their entity.
        facts: rows of facts that are deleted, permanently or until they are extracted again, by id.
        mentions: rows of the mentions in resegmented and cleared scenes.
        outcomes: rows of `forgetting/remaining_support` with the outcome of each entity and agent.
    """

    messages: Sequence[Row] = ()
    remaining: Sequence[Row] = ()
    resegmented: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    facts: dict[str, Row] = field(default_factory=dict)
    mentions: Sequence[Row] = ()
    outcomes: list[tuple[Row, EntityOutcome]] = field(default_factory=list)

    @property
    def sessions(self) -> list[str]:
        """Return the sorted node ids of the sessions that lose messages."""
        return sorted({row["session"] for row in self.messages})


async def find_impact(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    messages: Sequence[Row],
    *,
    pause_ms: int,
    cleared: Collection[str] = (),
    deleted_entities: Collection[str] = (),
) -> Impact:
    """Return what forgetting some messages of one user affects.

    Args:
        cleared: ids of scenes that keep their messages, but lose their extracted facts and mentions.
        deleted_entities: ids of entities that are deleted even if they are still mentioned.
    """
    impact = Impact(messages=messages, cleared={*cleared})
    affected = {row["scene_id"] for row in messages if row["scene_id"]}
    spans = await writing.run(statement("forgetting/scene_spans"), {"tenant": tenant, "sessions": impact.sessions})
    impact.resegmented = scenes_to_resegment(spans, affected, pause_ms=pause_ms)
    forgotten = {row["id"] for row in messages}
    scenes = {"tenant": tenant, "ids": sorted(impact.resegmented | impact.cleared)}
    scene_messages = await writing.run(statement("forgetting/messages_of_scenes"), scenes)
    remaining = [row for row in scene_messages if row["id"] not in forgotten]
    impact.remaining = [row for row in remaining if row["scene_id"] in impact.resegmented]
    still_read = [row for row in remaining if row["scene_id"] not in impact.resegmented or not row["is_ending"]]
    facts = await writing.run(statement("facts/facts_of_scenes"), {**scenes, "user_id": user_id})
    await add_facts_to_reread(writing, tenant, impact, facts)
    impact.mentions = await writing.run(statement("forgetting/mentions_of_scenes"), scenes)
    await _add_entity_outcomes(writing, tenant, user_id, impact, still_read, deleted_entities)
    impact.reread = (impact.reread | impact.cleared) - impact.resegmented
    return impact


async def add_facts_to_reread(writing: Writing, tenant: TenantId, impact: Impact, facts: Iterable[Row]) -> None:
    """Add facts, all facts that they may have closed or that may have closed them, and their scenes to `reread`."""
    new_facts = {row["properties"]["id"]: row for row in facts if row["properties"]["id"] not in impact.facts}
    while new_facts:
        impact.facts |= new_facts
        parameters = {
            "tenant": tenant,
            "keys": keys_of(new_facts.values()),
            "scene_ids": [],
            "have": sorted(impact.facts),
        }
        related = await writing.run(statement("facts/related_facts"), parameters)
        new_facts = {row["properties"]["id"]: row for row in related}
    impact.reread |= scenes_of(impact.facts.values())


def ends_of(fact: Row) -> tuple[str, str]:
    """Return the ids of the subject and the object of a fact."""
    return fact["subject_id"], fact["object_id"]


async def load_facts_of(writing: Writing, tenant: TenantId, ids: Collection[str]) -> list[Row]:
    """Return the stored facts and mentions of entities; for merged entities those of the members, not derived ones."""
    parameters = {"tenant": tenant, "ids": sorted(ids)}
    edges = await writing.run(statement("lookup/edges_of_nodes"), parameters)
    member_facts = await writing.run(statement("entity_resolution/member_facts"), parameters)
    return [*(row for row in edges if not row["properties"].get("merged")), *member_facts]


async def _add_entity_outcomes(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    impact: Impact,
    remaining_messages: Sequence[Row],
    deleted_entities: Collection[str],
) -> None:
    """Add the outcome of every entity mentioned in the affected scenes.

    Args:
        remaining_messages: messages that the affected scenes keep, and that are read.
    """
    ids = sorted({row["object_id"] for row in impact.mentions} | {*deleted_entities})
    without = sorted(impact.resegmented | impact.cleared)
    parameters = {"tenant": tenant, "ids": ids, "without": without, "evidence_max": _EVIDENCE_MAX}
    rows = await writing.run(statement("forgetting/remaining_support"), parameters)
    texts = await _load_texts(writing, tenant, {name for row in rows for name in row["evidence"]})
    resegmented = [MessageText(text=row["text"], said_at=row["said_at"]) for row in remaining_messages]
    remaining = RemainingText((name for row in rows for name in names_and_values(row)), texts, resegmented)
    earliest = min((row["said_at"] for row in impact.messages), default=_NEVER)
    owner = Owner(tenant=tenant, user_id=user_id, user_names=(), agent_id=None)
    for row in rows:
        if row["id"] in deleted_entities:
            impact.outcomes.append((row, EntityOutcome(properties=None)))
            continue
        if Label.AGENT in (row["labels"] or ()):
            if not row["scenes"]:
                impact.outcomes.append((row, EntityOutcome(properties=None)))
            continue
        impact.outcomes.append((row, entity_outcome(row, remaining, earliest=earliest, owner=owner)))
    renamed = {row["id"]: row for row, outcome in impact.outcomes if outcome.renamed}
    if renamed:
        impact.reread |= {scene for row in renamed.values() for scene in row["scenes"]}
        facts = [row for row in await load_facts_of(writing, tenant, renamed) if row["predicate"] != "MENTIONED"]
        await add_facts_to_reread(writing, tenant, impact, facts)


async def _load_texts(writing: Writing, tenant: TenantId, ids: Collection[str]) -> Mapping[str, MessageText]:
    parameters: dict[str, Any] = {"tenant": tenant, "ids": sorted(ids), "rows_max": max(len(ids), 1)}
    rows = await writing.run(statement("lookup/messages_by_id"), parameters)
    return {
        row["message"]["id"]: MessageText(text=row["message"]["text"], said_at=row["message"]["said_at"])
        for row in rows
    }
