"""From readings to everything one digest writes: beings, scenes, facts, mentions and rows of the change log. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from extraction.llm.fact_judge import NOTHING_JUDGED, Judging
from extraction.reader import THE_AGENT, THE_USER, Mention, Reading
from extraction.temporal.phrases import spans_in
from graph_service.memory.change_log.payloads import fact_change, node_body, node_view
from graph_service.memory.consolidation.proposal_check import Rejected, check
from graph_service.memory.consolidation.session_input import SessionInput
from graph_service.memory.consolidation.token_budget import digest_cost, scene_cost, scene_marks
from graph_service.memory.entity_resolution.resolver import (
    EntityRecord,
    NameSeen,
    Owner,
    entity_row,
    node_put_change,
    resolve,
)
from graph_service.memory.facts.claims import PlannedFact, strength_of
from graph_service.memory.facts.reconciliation import plan_facts
from graph_service.memory.facts.rows import fact_row
from graph_service.memory.summaries.scene_summary import LayerBasis, SceneSummary, layer_properties
from schema.change import Change, Op
from schema.entity import EntityRef
from schema.fact import AcceptedFact, KnownFact
from schema.ids import MemoryId, fact_uri, memory_id, scope_token
from schema.importance import importance_of_strength
from schema.labels import Label, Role
from schema.message import Message
from schema.scene import Scene
from schema.timespan import day_token, millis

# Who and what scenes mention → the edges that say so. Pure.


def plan_mentions(
    known: Mapping[MemoryId, KnownFact],
    scene: MemoryId,
    scene_uri: str,
    named: Mapping[MemoryId, Sequence[tuple[MemoryId, datetime]]],
) -> list[PlannedFact]:
    """Return the MENTIONED edges of one scene.

    Args:
        known: mentions of the scene that are stored, by id.
        named: for each being, the messages that name it and when they were said; never empty.
    """
    planned = []
    for being, proofs in sorted(named.items()):
        uri = fact_uri(scene_uri, "MENTIONED", None, being, 0)
        before = known.get(memory_id(uri))
        moments = [moment for _, moment in proofs]
        evidence = tuple(sorted({message for message, _ in proofs} | set(before.evidence if before else ())))
        fact = KnownFact(
            id=memory_id(uri),
            uri=uri,
            subject_id=scene,
            object_id=being,
            predicate="MENTIONED",
            relation=None,
            slot=0,
            statement="",
            base_strength=0.3,
            strength=strength_of(0.3, len(evidence)),
            confidence=1.0,
            first_seen=min([*moments, *([before.first_seen] if before else [])]),
            last_seen=max([*moments, *([before.last_seen] if before else [])]),
            valid_at=min([*moments, *([before.valid_at] if before else [])]),
            invalid_at=None,
            closed_by=None,
            trigger_emotion=None,
            evidence=evidence,
            scenes=(scene,),
            quotes=(),
            reader="rules",
            importance=importance_of_strength(0.3),
        )
        if fact != before:
            planned.append(PlannedFact(fact=fact, before=before, reason="named in a scene"))
    return planned


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneExtraction:
    """A scene with its readings (callers' first) and its layer texts.

    Attributes:
        layers: None: the stored texts still hold.
        basis: what they were made from.
        pending: it may still grow, and is read when it grows no more.
        too_slow: reading it, or writing its texts, passed the deadline, and the plain way was taken.
    """

    scene: Scene
    readings: tuple[Reading, ...]
    layers: SceneSummary | None
    basis: LayerBasis
    pending: bool = False
    too_slow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPlan:
    """Rows for the statements of one commit, each list ordered by id, and what was left out.

    Attributes:
        own_names: properties of the user that change because of a name the user told.
        held_entities, held_facts: of merged entities, as they are said; what the map shows of them follows from these.
    """

    entities: list[dict[str, Any]]
    agents: list[dict[str, Any]]
    scenes: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    episodes: list[str]
    changes: list[Change]
    last_said: datetime
    recorded_at: datetime
    rejected: tuple[Rejected, ...]
    cost: dict[str, int]
    own_names: Mapping[str, Any] = field(default_factory=dict)
    held_entities: tuple[dict[str, Any], ...] = ()
    held_facts: tuple[dict[str, Any], ...] = ()


def names_of(scenes: Sequence[SceneExtraction]) -> list[NameSeen]:
    """Return every name in the readings with the time it was said, in the order of scenes and lines."""
    seen: dict[tuple[str, datetime], NameSeen] = {}
    for read in scenes:
        lines = read.scene.messages
        for reading in read.readings:
            for mention in _mentions_in(reading):
                if 0 <= mention.line < len(lines):
                    said_at = lines[mention.line].said_at
                    before = seen.get((mention.name, said_at))
                    kind, told = mention.entity_type, mention.attributes
                    if before is not None:
                        kind, told = before.entity_type or kind, before.attributes or told
                    new = NameSeen(name=mention.name, said_at=said_at, entity_type=kind, attributes=told)
                    seen[mention.name, said_at] = new
    return list(seen.values())


def _mentions_in(reading: Reading) -> Iterator[Mention]:
    """Yield what a reading names: its mentions, and both ends of each fact where it was said."""
    yield from reading.mentions
    for fact in reading.facts:
        for quote in fact.quotes:
            yield Mention(name=fact.subject, line=quote.line, entity_type=fact.subject_type)
            yield Mention(name=fact.object, line=quote.line, entity_type=fact.object_type)


def accepted_in(
    scenes: Sequence[SceneExtraction], names: Sequence[NameSeen], candidates: Sequence[EntityRecord], owner: Owner
) -> list[AcceptedFact]:
    """Return the facts of these scenes that pass the check."""
    beings, _ = _beings(names, candidates, owner)
    verdicts = [check(reading, read.scene.messages, beings) for read in scenes for reading in read.readings]
    return [fact for verdict in verdicts for fact in verdict.accepted]


def _beings(
    names: Sequence[NameSeen], candidates: Sequence[EntityRecord], owner: Owner
) -> tuple[dict[str, EntityRef], list[EntityRecord]]:
    beings, touched = resolve(names, candidates, owner)
    return beings | {THE_USER: owner.user, THE_AGENT: owner.agent}, touched


def plan_digest(
    text: SessionInput,
    scenes: Sequence[SceneExtraction],
    names: Sequence[NameSeen],
    candidates: Sequence[EntityRecord],
    facts_known: Sequence[KnownFact],
    mentions_known: Mapping[MemoryId, KnownFact],
    *,
    recorded_at: datetime,
    held: Collection[MemoryId] = (),
    judging: Judging = NOTHING_JUDGED,
) -> DigestPlan:
    """Return everything one digest writes; the same input gives the same plan.

    Args:
        judging: what a model judged of facts in doubt.
        held: which of the known facts belong to merged entities.
    """
    owner = text.owner
    beings, touched = _beings(names, candidates, owner)
    accepted: list[tuple[AcceptedFact, MemoryId]] = []
    rejected: list[Rejected] = []
    mentions: list[PlannedFact] = []
    for read in scenes:
        verdicts = [check(reading, read.scene.messages, beings) for reading in read.readings]
        accepted += [(fact, read.scene.id) for verdict in verdicts for fact in verdict.accepted]
        rejected += [item for verdict in verdicts for item in verdict.rejected]
        named = _named(read, [fact for verdict in verdicts for fact in verdict.accepted], beings, owner)
        mentions += plan_mentions(mentions_known, read.scene.id, read.scene.uri, named)
    planned = [*plan_facts(facts_known, accepted, judging.verdicts), *mentions]
    fact_rows = sorted(
        ((p, fact_row(p, tenant=owner.tenant, user_id=owner.user_id, recorded_at=recorded_at)) for p in planned),
        key=lambda pair: str(pair[1]["id"]),
    )
    used = {end for _, row in fact_rows for end in (row["subject_id"], row["object_id"])}
    entity_rows = [entity_row(known, owner) for known in touched]
    agent_rows = [_agent_row(owner, scenes)] if owner.agent.id in used else []
    scene_rows = sorted((_scene_row(read, text) for read in scenes), key=lambda row: str(row["id"]))
    last_said = max(message.said_at for read in scenes for message in read.scene.messages)
    plan = DigestPlan(
        entities=[entity_row(known, owner) for known in touched if known.changed],
        agents=agent_rows,
        scenes=scene_rows,
        facts=[row for _, row in fact_rows],
        episodes=list(text.episodes),
        changes=[
            _user_change(text, last_said),
            # Unchanged ones too: a viewer that shows a part of the map needs both ends of each edge that follows.
            *(node_put_change(row, Label.ENTITY, "named in a scene") for row in entity_rows),
            *(node_put_change(row, Label.AGENT, "spoke in a scene") for row in agent_rows),
            *(node_put_change(row, Label.SCENE, "read") for row in scene_rows),
            *(fact_change(p, row) for p, row in fact_rows),
        ],
        last_said=last_said,
        recorded_at=recorded_at,
        rejected=tuple(rejected),
        cost=digest_cost(((read.readings, read.layers) for read in scenes), judging, rejected=len(rejected)),
    )
    apart = {known.entity.id for known in touched if known.root_id}
    return _hold_back(plan, [row for row in entity_rows if row["id"] in apart], held) if apart or held else plan


def _hold_back(plan: DigestPlan, entities: Sequence[dict[str, Any]], held: Collection[MemoryId]) -> DigestPlan:
    """Return the plan with what belongs to merged entities by itself, since the map shows what follows from that."""
    names = {row["id"] for row in entities}
    facts = [row for row in plan.facts if row["id"] in held or {row["subject_id"], row["object_id"]} & names]
    gone = names | {row["id"] for row in facts}
    return replace(
        plan,
        entities=[row for row in plan.entities if row["id"] not in gone],
        facts=[row for row in plan.facts if row["id"] not in gone],
        changes=[change for change in plan.changes if change.element_id not in gone],
        held_entities=tuple(entities),
        held_facts=tuple(facts),
    )


def _named(
    read: SceneExtraction, accepted: Sequence[AcceptedFact], beings: Mapping[str, EntityRef], owner: Owner
) -> dict[MemoryId, list[tuple[MemoryId, datetime]]]:
    """For each being, the messages of the scene that name it; whoever's memory it is belongs to every scene."""
    lines = read.scene.messages
    said = {message.id: message.said_at for message in lines}
    spoken = [message for message in lines if message.role is Role.USER] or list(lines)
    named: dict[MemoryId, list[tuple[MemoryId, datetime]]] = {owner.user.id: [(m.id, m.said_at) for m in spoken]}
    for reading in read.readings:
        for mention in reading.mentions:
            if mention.name in beings and 0 <= mention.line < len(lines):
                line = lines[mention.line]
                named.setdefault(beings[mention.name].id, []).append((line.id, line.said_at))
    for fact in accepted:
        for being in (fact.subject, fact.object):
            proofs = [(proof.message_id, said[proof.message_id]) for proof in fact.proofs]
            named.setdefault(being.id, []).extend(proofs)
    return named


def _scene_row(read: SceneExtraction, text: SessionInput) -> dict[str, Any]:
    scene, owner = read.scene, text.owner
    stored = text.stored.get(scene.id, {})
    held = [_held(message) for message in scene.messages]
    properties = {
        "uri": scene.uri,
        "user_id": owner.user_id,
        **layer_properties(read.layers, read.basis, stored),
        "first_seen": scene.episode_start,
        "last_seen": scene.episode_end,
        "start_ms": millis(scene.episode_start),
        "end_ms": millis(scene.episode_end),
        "scene_start": min((row["mentioned_start"] for row in held if row["mentioned_start"]), default=None),
        "scene_end": max((row["mentioned_end"] for row in held if row["mentioned_end"]), default=None),
        "importance": max(message.importance for message in scene.messages),
        "evidence_n": len(scene.messages),
        "content_hash": scene.content_hash,
        "scope_tenant": scope_token(owner.tenant),
        "scope_user": scope_token(owner.tenant, owner.user_id),
        "said_day": day_token(scene.episode_start),
        **scene_marks(read.readings),
        "unextracted": True if read.pending else None,
    }
    return {"id": scene.id, "properties": properties, "messages": held, "cost": scene_cost(read.readings, read.layers)}


def _agent_row(owner: Owner, scenes: Sequence[SceneExtraction]) -> dict[str, Any]:
    moments = [message.said_at for read in scenes for message in read.scene.messages]
    known = EntityRecord(entity=owner.agent, aliases=(), first_seen=min(moments), last_seen=max(moments), changed=True)
    return entity_row(known, owner)


def _user_change(text: SessionInput, last_said: datetime) -> Change:
    stored = dict(text.user_properties)
    stored["last_seen"] = max(stored["last_seen"], last_said)
    view = node_view(stored, Label.USER.value)
    return Change(op=Op.NODE_PUT, element_id=text.owner.user.id, body=node_body(view), reason="spoke in a scene")


def _held(message: Message) -> dict[str, Any]:
    """Return a message as its scene takes it, with the time it talks about: what the caller said, else what its words
    say.

    Time words are resolved against when and where it was said.
    """
    if message.mentioned_start and message.mentioned_end:
        return {"id": message.id, "mentioned_start": message.mentioned_start, "mentioned_end": message.mentioned_end}
    spans = [found.span for found in spans_in(message.text, message.said_local)]
    starts = [span.start for span in spans if span.start is not None]
    ends = [span.end for span in spans if span.end is not None]
    named = bool(starts and ends)
    return {
        "id": message.id,
        "mentioned_start": min(starts) if named else None,
        "mentioned_end": max(ends) if named else None,
    }
