"""Who and what scenes mention → the edges that say so. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from graph_service.memory.claims import PlannedFact, strength_of
from schema.fact import KnownFact
from schema.ids import MemoryId, fact_uri, memory_id
from schema.importance import importance_of_strength


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
