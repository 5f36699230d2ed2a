"""What is known and what was accepted → what will be written. Pure; the one place that decides about facts.

A fact is a subject, predicate, relation and object. Evidence adds up; strength follows from the number of messages that
prove it, so reading a message twice changes nothing. Only the same slot can close a fact: another object of a relation
that holds one at a time ("lives in"), or the opposite predicate for the same object. Bystanders never change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from schema.fact import AcceptedFact, KnownFact, Proof
from schema.ids import MemoryId, fact_uri, memory_id
from schema.importance import importance_of_strength
from schema.predicates import holds_one, whitelist

# How much of the remaining doubt one more proving message leaves.
_DOUBT_LEFT = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFact:
    """A fact as it will be written.

    Attributes:
        before: the fact as it was known; None when it is new.
        reason: why it is written, for people.
    """

    fact: KnownFact
    before: KnownFact | None
    reason: str


@dataclass(slots=True)
class _Board:
    """Working state: facts by id as they will be, and as they were."""

    now: dict[MemoryId, KnownFact] = field(default_factory=dict)
    before: dict[MemoryId, KnownFact] = field(default_factory=dict)
    reasons: dict[MemoryId, str] = field(default_factory=dict)

    def put(self, fact: KnownFact, reason: str) -> None:
        if self.now.get(fact.id) != fact:
            self.now[fact.id] = fact
            self.reasons[fact.id] = reason


def strength_of(base: float, proofs: int) -> float:
    """Strength 0…1 of a fact that `proofs` messages prove; order and repetition do not matter."""
    return round(1.0 - (1.0 - base) * _DOUBT_LEFT ** max(proofs - 1, 0), 4)


def plan_facts(
    known: Sequence[KnownFact], accepted: Iterable[tuple[AcceptedFact, MemoryId]], recorded_at: datetime
) -> list[PlannedFact]:
    """What must be written so that the graph holds the accepted facts.

    Args:
        known: every known fact that shares subject, predicate (or its opposite) and slot with an accepted one.
        accepted: facts with the id of the scene that proves them.
        recorded_at: when we learned it.

    Returns:
        New and changed facts only, ordered by id; empty when everything was known.
    """
    board = _Board(now={fact.id: fact for fact in known}, before={fact.id: fact for fact in known})
    ordered = sorted(accepted, key=lambda pair: (pair[0].valid_at, pair[0].closes, pair[0].statement, pair[1]))
    for fact, scene in ordered:
        if fact.closes:
            _close_same(board, fact)
        else:
            _assert(board, fact, scene, recorded_at)
    changed = sorted(board.reasons)
    return [
        PlannedFact(fact=board.now[name], before=board.before.get(name), reason=board.reasons[name])
        for name in changed
        if board.now[name] != board.before.get(name)
    ]


def same_slot(fact: AcceptedFact, known: KnownFact) -> bool:
    """Whether the two say the same thing, perhaps at different times."""
    return (
        known.subject_id == fact.subject.id
        and known.predicate == fact.predicate
        and known.relation == fact.relation
        and known.object_id == fact.object.id
    )


def contradicts(fact: AcceptedFact, known: KnownFact) -> bool:
    """Whether both cannot hold at the same time."""
    if known.subject_id != fact.subject.id:
        return False
    if known.predicate == fact.predicate:
        other_object = known.object_id != fact.object.id
        return other_object and known.relation == fact.relation and holds_one(fact.predicate, fact.relation)
    opposite = whitelist()[fact.predicate].opposite == known.predicate
    return opposite and known.object_id == fact.object.id


def _assert(board: _Board, fact: AcceptedFact, scene: MemoryId, recorded_at: datetime) -> None:
    same = sorted((k for k in board.now.values() if same_slot(fact, k)), key=lambda k: k.slot)
    holder = _holder(same, fact)
    if holder is not None:
        merged = _merge(holder, fact, scene)
        board.put(merged, "said again")
    else:
        slot = same[-1].slot + 1 if same else 0
        merged = _new(fact, scene, slot)
        board.put(merged, "read from a scene")
    if merged.invalid_at is None:
        _settle(board, fact, merged)


def _holder(same: Sequence[KnownFact], fact: AcceptedFact) -> KnownFact | None:
    """The spell of the same fact that this proof belongs to; None when a new spell begins."""
    proofs = {proof.message_id for proof in fact.proofs}
    for known in same:
        if proofs & set(known.evidence):
            return known
    for known in same:
        if known.invalid_at is None or fact.valid_at < known.invalid_at:
            return known
    return None


def _settle(board: _Board, fact: AcceptedFact, mine: KnownFact) -> None:
    """Closes what the fact contradicts, or the fact itself when a newer truth is known already."""
    for known in sorted(board.now.values(), key=lambda k: (k.valid_at, k.id)):
        if known.invalid_at is not None or known.id == mine.id or not contradicts(fact, known):
            continue
        if known.valid_at <= mine.valid_at:
            board.put(_closed(known, mine.valid_at, mine.id), "closed by a newer fact")
        elif mine.invalid_at is None:
            mine = _closed(mine, known.valid_at, known.id)
            board.put(mine, "older than what is known")


def _close_same(board: _Board, fact: AcceptedFact) -> None:
    """The text says that something no longer holds: closes every open spell of it that began before."""
    for known in sorted(board.now.values(), key=lambda k: k.id):
        about_it = (
            known.subject_id == fact.subject.id
            and known.predicate == fact.predicate
            and known.object_id == fact.object.id
            and (fact.relation is None or known.relation == fact.relation)
        )
        if about_it and known.invalid_at is None and known.valid_at <= fact.valid_at:
            board.put(_closed(known, fact.valid_at, None), "said to be over")


def _new(fact: AcceptedFact, scene: MemoryId, slot: int) -> KnownFact:
    uri = fact_uri(fact.subject.uri, fact.predicate, fact.relation, fact.object.id, slot)
    evidence = tuple(sorted({proof.message_id for proof in fact.proofs}))
    return KnownFact(
        id=memory_id(uri),
        uri=uri,
        subject_id=fact.subject.id,
        object_id=fact.object.id,
        predicate=fact.predicate,
        relation=fact.relation,
        slot=slot,
        statement=fact.statement,
        base_strength=fact.strength,
        strength=strength_of(fact.strength, len(evidence)),
        confidence=fact.confidence,
        first_seen=fact.said_at,
        last_seen=fact.said_last,
        valid_at=fact.valid_at,
        invalid_at=fact.invalid_at,
        closed_by=None,
        trigger_emotion=fact.trigger_emotion,
        evidence=evidence,
        scenes=(scene,),
        quotes=_quotes(fact.proofs),
        reader=fact.reader,
        importance=fact.importance,
        detail=fact.detail,
    )


def _merge(known: KnownFact, fact: AcceptedFact, scene: MemoryId) -> KnownFact:
    evidence = tuple(sorted({*known.evidence, *(proof.message_id for proof in fact.proofs)}))
    base = max(known.base_strength, fact.strength)
    earlier = fact.valid_at < known.valid_at
    return replace(
        known,
        evidence=evidence,
        scenes=tuple(sorted({*known.scenes, scene})),
        quotes=tuple(sorted({*known.quotes, *_quotes(fact.proofs)})),
        base_strength=base,
        strength=strength_of(base, len(evidence)),
        confidence=max(known.confidence, fact.confidence),
        first_seen=min(known.first_seen, fact.said_at),
        last_seen=max(known.last_seen, fact.said_last),
        valid_at=min(known.valid_at, fact.valid_at),
        statement=fact.statement if earlier else known.statement,
        trigger_emotion=known.trigger_emotion or fact.trigger_emotion,
        importance=max(known.importance, fact.importance),
        detail=known.detail.joined(fact.detail, first=not earlier),
    )


def _closed(fact: KnownFact, at: datetime, by: MemoryId | None) -> KnownFact:
    return replace(fact, invalid_at=max(at, fact.valid_at), closed_by=by)


def _quotes(proofs: Iterable[Proof]) -> tuple[str, ...]:
    marked = {f"{p.message_id}:{p.quote_start}:{p.quote_end}" for p in proofs if p.quote_start is not None}
    return tuple(sorted(marked))


def plan_mentions(
    known: Mapping[MemoryId, KnownFact],
    scene: MemoryId,
    scene_uri: str,
    named: Mapping[MemoryId, Sequence[tuple[MemoryId, datetime]]],
) -> list[PlannedFact]:
    """The MENTIONED edges of one scene.

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
