"""Plan the rows that one digest writes: entities, scenes, facts, mentions, changes.

Pure except `run_off_loop_if_large`.

Aliases that users declare for themselves are replaced by the user in later lines of others, and only there, so the
result does not depend on how a conversation is split into calls. The user's own lines are not changed: a user called
Bob may have a friend called Bob.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, TypeVar

from extraction.bounded_threads import THREADS
from extraction.entities.kinship_terms import tie
from extraction.entities.matching import person_words
from extraction.llm.fact_judge import NOTHING_JUDGED, FactVerdicts
from extraction.reader import THE_USER, Mention, ProposedFact, Reading
from extraction.temporal.phrases import spans_in
from extraction.token_spending import TokenSpending
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.change_log.log import fact_change, node_change
from graph_service.memory.consolidation.proposal_check import RejectedProposal, ReplacedName, check
from graph_service.memory.consolidation.readers import reader_properties, scene_counts
from graph_service.memory.consolidation.session_input import SessionInput
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameMention, Owner, entity_row
from graph_service.memory.facts.claims import PlannedFact, strength_of
from graph_service.memory.facts.reconciliation import FactEvent, FactEventKind, plan_facts
from graph_service.memory.facts.stored import event_properties, fact_row
from graph_service.memory.summaries.scene_summary import LayerBasis, SceneSummary, layer_properties
from schema.change import Change, Op
from schema.entity import EntityRef
from schema.fact import AcceptedFact, Fact
from schema.ids import MemoryId, fact_uri, is_of_correction, memory_id, name_key, scope_token
from schema.importance import importance_of_strength
from schema.labels import Label, Role
from schema.limits import LIMITS
from schema.message import Message
from schema.scene import Scene
from schema.timespan import day_token, millis

T = TypeVar("T")

# Planning searches each message for time expressions; more characters than this are planned in a thread.
ON_LOOP_CHARS: Final = 20_000
# Planning cost of a fact, and of each of its assertions or quotes, in characters.
FACT_CHARS: Final = 200
ASSERTION_CHARS: Final = 10
# Reasons in the change log, and of the event.
WITHDRAWN: Final = "only the local reader found it; the model that read the scene does not say it"
CORRECTED: Final = "the message that it was read from was corrected by a later one"


def plan_mentions(
    known: Mapping[MemoryId, Fact],
    scene: MemoryId,
    scene_uri: str,
    named: Mapping[MemoryId, Sequence[tuple[MemoryId, datetime]]],
) -> list[PlannedFact]:
    """Return the MENTIONED edges of one scene.

    Args:
        known: stored mentions by id.
        named: for each entity, the messages that name it and when they were said; never empty.
    """
    planned = []
    for entity, evidence_messages in sorted(named.items()):
        uri = fact_uri(scene_uri, "MENTIONED", None, entity, 0)
        before = known.get(memory_id(uri))
        moments = [moment for _, moment in evidence_messages]
        evidence = tuple(sorted({message for message, _ in evidence_messages} | set(before.evidence if before else ())))
        fact = Fact(
            id=memory_id(uri),
            uri=uri,
            subject_id=scene,
            object_id=entity,
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
    """A scene with its readings (provided facts first) and its summary layers.

    Attributes:
        layers: None if the stored layers are up to date.
        spent: what the readings and the layers cost.
        unrefined: only the local reader read it, and a model is to read it, too.
        too_slow: extraction or summary exceeded the deadline, so that the low-cost fallback was used.
    """

    scene: Scene
    readings: tuple[Reading, ...]
    layers: SceneSummary | None
    basis: LayerBasis
    spent: TokenSpending = field(default_factory=TokenSpending)
    unrefined: bool = False
    too_slow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPlan:
    """Rows for the statements of one commit, each list ordered by id, and the rejected proposals.

    Attributes:
        own_names: properties of the user that new aliases change.
        member_entities, member_facts: rows of merged entities, from which their projection on the map is computed.
    """

    entities: list[dict[str, Any]]
    agents: list[dict[str, Any]]
    scenes: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    episodes: list[str]
    changes: list[Change]
    last_said: datetime
    recorded_at: datetime
    rejected: tuple[RejectedProposal, ...]
    counts: dict[str, int]
    own_names: Mapping[str, Any] = field(default_factory=dict)
    member_entities: tuple[dict[str, Any], ...] = ()
    member_facts: tuple[dict[str, Any], ...] = ()
    withdrawn: tuple[Fact, ...] = ()


def names_of(scenes: Sequence[SceneExtraction]) -> list[NameMention]:
    """Return the names in the readings with the times at which they were said, in the order of scenes and lines."""
    seen: dict[tuple[str, datetime], NameMention] = {}
    for extraction in scenes:
        lines = extraction.scene.messages
        for reading in extraction.readings:
            for mention in _mentions_in(reading):
                if 0 <= mention.line < len(lines):
                    said_at = lines[mention.line].said_at
                    before = seen.get((mention.name, said_at))
                    kind, attributes = mention.entity_type, mention.attributes
                    if before is not None:
                        kind, attributes = before.entity_type or kind, before.attributes or attributes
                    new = NameMention(name=mention.name, said_at=said_at, entity_type=kind, attributes=attributes)
                    seen[mention.name, said_at] = new
    return list(seen.values())


def _mentions_in(reading: Reading) -> Iterator[Mention]:
    """Yield the mentions of a reading, and subject and object of its facts at each quote."""
    yield from reading.mentions
    for fact in reading.facts:
        for quote in fact.quotes:
            yield Mention(name=fact.subject, line=quote.line, entity_type=fact.subject_type)
            yield Mention(name=fact.object, line=quote.line, entity_type=fact.object_type)


def accepted_in(scenes: Sequence[SceneExtraction], entities: Mapping[str, EntityRef]) -> list[AcceptedFact]:
    """Return the accepted facts of some scenes."""
    return [
        fact
        for extraction in scenes
        for reading in extraction.readings
        for fact in check(reading, extraction.scene.messages, entities)[0]
    ]


def plan_digest(
    session_input: SessionInput,
    scenes: Sequence[SceneExtraction],
    entities: Mapping[str, EntityRef],
    touched: Sequence[EntityRecord],
    facts_known: Sequence[Fact],
    mentions_known: Mapping[MemoryId, Fact],
    *,
    recorded_at: datetime,
    member_ids: Collection[MemoryId] = (),
    judging: FactVerdicts = NOTHING_JUDGED,
    replaced: Mapping[ReplacedName, MemoryId] = MappingProxyType({}),
) -> DigestPlan:
    """Return the rows that one digest writes; deterministic.

    Args:
        entities: the entity of each name, user and agent included.
        touched: the records of all named entities.
        member_ids: ids of known facts that belong to merged entities.
        judging: verdicts of the model on doubtful facts.
        replaced: ids of the claims that callers name as replaced.
    """
    owner = session_input.owner
    # The facts of merged entities stay: their edges on the map are derived from them.
    kept = {fact.claim for fact in facts_known if fact.id in member_ids}
    accepted: list[tuple[AcceptedFact, MemoryId]] = []
    rejected: list[tuple[RejectedProposal, Scene]] = []
    mentions: list[PlannedFact] = []
    for extraction in scenes:
        scene = extraction.scene
        of_scene = list[AcceptedFact]()
        for reading in extraction.readings:
            facts_accepted, items = check(reading, scene.messages, entities, replaced)
            of_scene += [replace(fact, withdraws=None) if fact.claim in kept else fact for fact in facts_accepted]
            rejected += [(item, scene) for item in items]
        accepted += [(fact, scene.id) for fact in of_scene]
        named = _named(extraction, of_scene, entities, owner)
        mentions += plan_mentions(mentions_known, scene.id, scene.uri, named)
    events = [_ignored(one, scene) for one, scene in rejected]
    refined = _refined_scenes(scenes, accepted)
    facts_known = [
        replace(fact, assertions=tuple(replace(one, unconfirmed=False) for one in fact.assertions))
        if refined and fact.id in member_ids
        else fact
        for fact in facts_known
    ]
    withdrawn: list[Fact] = []
    facts = plan_facts(facts_known, accepted, judging, events=events, refined=refined, withdrawn=withdrawn)
    planned = [*facts, *mentions]
    reasons = {fact.id: CORRECTED if refined.isdisjoint(fact.scenes) else WITHDRAWN for fact in withdrawn}
    digested = {one.scene.id for one in scenes}
    events += [
        FactEvent(kind=FactEventKind.IGNORE, scene=scene, reason=reasons[fact.id], messages=fact.evidence)
        for fact in withdrawn
        for scene in fact.scenes
        if scene in digested
    ]
    fact_rows = sorted(
        ((p, fact_row(p, tenant=owner.tenant, user_id=owner.user_id, recorded_at=recorded_at)) for p in planned),
        key=lambda pair: str(pair[1]["id"]),
    )
    used = {end for _, row in fact_rows for end in (row["subject_id"], row["object_id"])}
    entity_rows = [entity_row(known, owner) for known in touched]
    agent_rows = [_agent_row(owner, scenes)] if owner.agent.id in used else []
    by_scene: dict[str, list[FactEvent]] = {}
    for event in events:
        by_scene.setdefault(event.scene, []).append(event)
    rows = (_scene_row(one, session_input, by_scene.get(one.scene.id, [])) for one in scenes)
    scene_rows = sorted(rows, key=lambda row: str(row["id"]))
    last_said = max(message.said_at for extraction in scenes for message in extraction.scene.messages)
    # A correction is an act of a person: viewers see the facts that it changed, not a scene.
    is_correction = is_of_correction(session_input.session_uri)
    plan = DigestPlan(
        entities=[entity_row(known, owner) for known in touched if known.changed],
        agents=agent_rows,
        scenes=scene_rows,
        facts=[row for _, row in fact_rows],
        episodes=list(session_input.episodes),
        changes=[
            _user_change(session_input, last_said),
            # Includes unchanged entities, because a viewer of a part of the map needs both ends of each new edge.
            *_node_changes(entity_rows, Label.ENTITY, "named in a scene"),
            *_node_changes(agent_rows, Label.AGENT, "spoke in a scene"),
            *_node_changes([] if is_correction else scene_rows, Label.SCENE, "read"),
            *(fact_change(p, row) for p, row in fact_rows if not (is_correction and row["predicate"] == "MENTIONED")),
            *(Change(op=Op.EDGE_DROP, element_id=fact.id, body={}, reason=reasons[fact.id]) for fact in withdrawn),
        ],
        last_said=last_said,
        recorded_at=recorded_at,
        rejected=tuple(one for one, _ in rejected),
        withdrawn=tuple(withdrawn),
        counts=scene_counts(
            [reading for one in scenes if not one.unrefined for reading in one.readings], rejected=len(rejected)
        ),
    )
    members = {known.entity.id for known in touched if known.root_id}
    if not members and not member_ids:
        return plan
    return _split_members(plan, [row for row in entity_rows if row["id"] in members], member_ids)


def _split_members(
    plan: DigestPlan, entities: Sequence[dict[str, Any]], member_ids: Collection[MemoryId]
) -> DigestPlan:
    """Move the rows of merged entities to `member_entities` and `member_facts`; viewers see only the merged node."""
    names = {row["id"] for row in entities}
    facts = [row for row in plan.facts if row["id"] in member_ids or {row["subject_id"], row["object_id"]} & names]
    gone = names | {row["id"] for row in facts}
    return replace(
        plan,
        entities=[row for row in plan.entities if row["id"] not in gone],
        facts=[row for row in plan.facts if row["id"] not in gone],
        changes=[change for change in plan.changes if change.element_id not in gone],
        member_entities=tuple(entities),
        member_facts=tuple(facts),
    )


def _named(
    extraction: SceneExtraction, accepted: Sequence[AcceptedFact], entities: Mapping[str, EntityRef], owner: Owner
) -> dict[MemoryId, list[tuple[MemoryId, datetime]]]:
    """Return for each entity the messages of a scene that mention it or are evidence for a fact about it.

    The user is always included, with the user's own messages, or with all messages if there are none.
    """
    lines = extraction.scene.messages
    said_at = {message.id: message.said_at for message in lines}
    spoken = [message for message in lines if message.role is Role.USER] or list(lines)
    named: dict[MemoryId, list[tuple[MemoryId, datetime]]] = {owner.user.id: [(m.id, m.said_at) for m in spoken]}
    for reading in extraction.readings:
        for mention in reading.mentions:
            if mention.name in entities and 0 <= mention.line < len(lines):
                line = lines[mention.line]
                named.setdefault(entities[mention.name].id, []).append((line.id, line.said_at))
    for fact in accepted:
        for entity in (fact.subject, fact.object):
            proofs = [(proof.message_id, said_at[proof.message_id]) for proof in fact.proofs]
            named.setdefault(entity.id, []).extend(proofs)
    return named


def _refined_scenes(
    scenes: Sequence[SceneExtraction], accepted: Sequence[tuple[AcceptedFact, MemoryId]]
) -> set[MemoryId]:
    """Return the scenes that a model read well: its answer is good enough, and some of its facts were accepted."""
    readers = {(scene, fact.reader) for fact, scene in accepted}
    return {
        one.scene.id
        for one in scenes
        for reading in one.readings
        if reading.withdraws and (one.scene.id, reading.reader) in readers
    }


def _ignored(rejected: RejectedProposal, scene: Scene) -> FactEvent:
    """Return the event of a rejected proposal."""
    lines = sorted({quote.line for quote in rejected.fact.quotes if 0 <= quote.line < len(scene.messages)})
    messages = tuple(scene.messages[line].id for line in lines)
    return FactEvent(kind=FactEventKind.IGNORE, scene=scene.id, reason=rejected.reason, messages=messages)


def _scene_row(extraction: SceneExtraction, session_input: SessionInput, events: Sequence[FactEvent]) -> dict[str, Any]:
    scene, owner = extraction.scene, session_input.owner
    stored = session_input.stored.get(scene.id, {})
    facts = (fact for reading in extraction.readings for fact in reading.facts)
    emotions = {quote.line: fact.trigger_emotion for fact in facts if fact.trigger_emotion for quote in fact.quotes}
    message_rows = [
        _message_row(message) | {"emotion": message.emotion or emotions.get(line)}
        for line, message in enumerate(scene.messages)
    ]
    properties = {
        "uri": scene.uri,
        "user_id": owner.user_id,
        **layer_properties(extraction.layers, extraction.basis, stored),
        "first_seen": scene.episode_start,
        "last_seen": scene.episode_end,
        "start_ms": millis(scene.episode_start),
        "end_ms": millis(scene.episode_end),
        "scene_start": min((row["mentioned_start"] for row in message_rows if row["mentioned_start"]), default=None),
        "scene_end": max((row["mentioned_end"] for row in message_rows if row["mentioned_end"]), default=None),
        "importance": max(message.importance for message in scene.messages),
        "evidence_n": len(scene.messages),
        "content_hash": scene.content_hash,
        "scope_tenant": scope_token(owner.tenant),
        "scope_user": scope_token(owner.tenant, owner.user_id),
        "said_day": day_token(scene.episode_start),
        **reader_properties(extraction.readings),
        **event_properties(events if extraction.readings else None),
        "unextracted": None,
        "unrefined": True if extraction.unrefined else None,
    }
    return {"id": scene.id, "properties": properties, "messages": message_rows, "cost": extraction.spent.model_cost}


def _agent_row(owner: Owner, scenes: Sequence[SceneExtraction]) -> dict[str, Any]:
    moments = [message.said_at for extraction in scenes for message in extraction.scene.messages]
    known = EntityRecord(entity=owner.agent, aliases=(), first_seen=min(moments), last_seen=max(moments), changed=True)
    return entity_row(known, owner)


def _user_change(session_input: SessionInput, last_said: datetime) -> Change:
    stored = dict(session_input.user_properties)
    stored["last_seen"] = max(stored["last_seen"], last_said)
    return node_change(stored, Label.USER, "spoke in a scene")


def _node_changes(rows: Iterable[Mapping[str, Any]], label: Label, reason: str) -> list[Change]:
    return [node_change({**row["properties"], "id": row["id"]}, label, reason) for row in rows]


def _message_row(message: Message) -> dict[str, Any]:
    """Return the row that adds a message to its scene, with the time it mentions: given by the caller, else parsed.

    Time expressions are resolved against the time and zone of the message.
    """
    if message.mentioned_start and message.mentioned_end:
        return {"id": message.id, "mentioned_start": message.mentioned_start, "mentioned_end": message.mentioned_end}
    spans = [found.span for found in spans_in(message.text, message.said_local)]
    starts = [span.start for span in spans if span.start is not None]
    ends = [span.end for span in spans if span.end is not None]
    bounded = bool(starts and ends)
    return {
        "id": message.id,
        "mentioned_start": min(starts) if bounded else None,
        "mentioned_end": max(ends) if bounded else None,
    }


def planning_chars(scenes: Sequence[SceneExtraction], known: Sequence[Fact]) -> int:
    """Estimate the cost of planning in characters: messages, new facts with their quotes, and known facts."""
    text = sum(len(message.text) for extraction in scenes for message in extraction.scene.messages)
    quotes = sum(len(fact.quotes) for one in scenes for reading in one.readings for fact in reading.facts)
    assertions = sum(len(fact.assertions) for fact in known)
    return text + FACT_CHARS * (facts_in(scenes) + len(known)) + ASSERTION_CHARS * (quotes + assertions)


def facts_in(scenes: Sequence[SceneExtraction]) -> int:
    """Return the number of extracted and provided facts."""
    return sum(len(reading.facts) for extraction in scenes for reading in extraction.readings)


async def run_off_loop_if_large(work: Callable[[], T], chars: int) -> T:
    """Return the result of `work`, run in a thread if it processes more than `ON_LOOP_CHARS`.

    Raises:
        TooSlowError: it exceeded the deadline and was stopped.
    """
    return work() if chars <= ON_LOOP_CHARS else await THREADS.run(work)


_ALIAS_RELATION: Final = "is named"
_DECLARED_MAX: Final = 20


def with_declared_aliases(
    stored: Mapping[str, Any], scenes: Sequence[SceneExtraction], owner: Owner
) -> tuple[dict[str, Any], list[SceneExtraction]]:
    """Add the aliases declared in the readings to the user's properties, and replace them by the user in the scenes.

    The properties equal `stored` without new aliases. Names are replaced only in later lines of other speakers.
    """
    before = dict(zip(stored.get("declared_names") or (), stored.get("declared_since") or (), strict=True))
    declared = dict(before)
    by_key = {name_key(name): name for name in declared}
    found = (
        pair for scene in scenes for reading in scene.readings for pair in _declared_aliases(scene, reading, owner)
    )
    for name, at in sorted(found, key=lambda pair: (pair[1], pair[0])):
        known = by_key.setdefault(name_key(name), name)
        if known in declared or len(declared) < _DECLARED_MAX:
            declared[known] = min(declared.get(known, at), at)
    properties = dict(stored)
    if declared != before:
        order = sorted(declared)
        aliases = {*(stored.get("aliases") or ()), *(name for name in declared if name != stored.get("name"))}
        properties |= {"aliases": sorted(aliases), "declared_names": order}
        properties["declared_since"] = [declared[name] for name in order]
    since = {name_key(name): at for name, at in declared.items()}
    return properties, [_replace_in(scene, since, owner) for scene in scenes] if since else list(scenes)


def changed_alias_properties(stored: Mapping[str, Any], updated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of the user to write; empty without a new alias."""
    if stored == updated:
        return {}
    return {name: updated[name] for name in ("aliases", "declared_names", "declared_since")}


def _replace_in(extraction: SceneExtraction, since: Mapping[str, datetime], owner: Owner) -> SceneExtraction:
    lines = extraction.scene.messages

    def resolve(name: str, numbers: Iterable[int]) -> str:
        at = since.get(name_key(name))
        if at is None:
            return name
        said = [lines[number] for number in numbers if 0 <= number < len(lines)]
        by_others = all(line.said_at >= at and not _by_user(line, owner) for line in said)
        return THE_USER if said and by_others else name

    def mention(one: Mention) -> Mention:
        return replace(one, name=resolve(one.name, (one.line,)))

    def fact(one: ProposedFact) -> ProposedFact:
        numbers = [quote.line for quote in one.quotes]
        return replace(one, subject=resolve(one.subject, numbers), object=resolve(one.object, numbers))

    readings = tuple(
        replace(reading, mentions=tuple(map(mention, reading.mentions)), facts=tuple(map(fact, reading.facts)))
        for reading in extraction.readings
    )
    return replace(extraction, readings=readings)


def _declared_aliases(extraction: SceneExtraction, reading: Reading, owner: Owner) -> list[tuple[str, datetime]]:
    """Return the aliases in statements of the user about themselves, with the time of each statement."""
    lines = extraction.scene.messages
    return [
        (fact.object.strip(), lines[quote.line].said_at)
        for fact in reading.facts
        if fact.relation == _ALIAS_RELATION
        and fact.subject == THE_USER
        and not fact.closes
        and _usable(fact.object, owner)
        for quote in fact.quotes
        if 0 <= quote.line < len(lines) and _by_user(lines[quote.line], owner)
    ]


def _by_user(line: Message, owner: Owner) -> bool:
    names = {name_key(owner.user_id), *map(name_key, owner.user_names)}
    return line.role is Role.USER and (line.speaker is None or name_key(line.speaker) in names)


def _usable(name: str, owner: Owner) -> bool:
    key = name_key(name)
    if text_problem(name, LIMITS.name_chars) or len(key) < 2:
        return False
    known = {name_key(owner.user_id), *map(name_key, owner.user_names), name_key(owner.agent_id or "")}
    return key not in known and tie(name) is None and person_words(name) is None
