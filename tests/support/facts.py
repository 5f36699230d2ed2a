"""Stored facts with given times, about nothing in particular."""

from datetime import datetime

from graph_service.memory.facts.stored import FactEnd, FactWithEnds
from schema.assertion import Assertion
from schema.fact import Fact
from schema.ids import MemoryId, Uri, UserId

_END = FactEnd(name="tea", labels=frozenset(), entity_type=None)


def a_stored_fact(
    *,
    valid_at: datetime,
    known_at: datetime,
    invalid_at: datetime | None = None,
    closing_known_at: datetime | None = None,
) -> FactWithEnds:
    """Return a fact that one message states, received at `known_at`."""
    told = Assertion(
        message_id=MemoryId("m"),
        scene_id=MemoryId("s"),
        valid_at=valid_at,
        valid_by=valid_at,
        said_at=known_at,
        heard_at=known_at,
    )
    fact = Fact(
        id=MemoryId("f"),
        uri=Uri("memory://t/f"),
        subject_id=MemoryId("ann"),
        object_id=MemoryId("tea"),
        predicate="PREFERS",
        relation=None,
        slot=0,
        statement="Ann likes tea.",
        base_strength=0.5,
        strength=0.5,
        confidence=1.0,
        first_seen=known_at,
        last_seen=known_at,
        valid_at=valid_at,
        invalid_at=invalid_at,
        closed_by=None,
        trigger_emotion=None,
        evidence=(MemoryId("m"),),
        scenes=(MemoryId("s"),),
        quotes=(),
        reader="rules",
        assertions=(told,),
        closing_known_at=closing_known_at,
    )
    return FactWithEnds(
        fact=fact,
        subject=_END,
        object=_END,
        user_id=UserId("ann"),
        known_at=known_at,
        recorded_at=known_at,
        merged=False,
    )
