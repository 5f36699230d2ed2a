"""Core Memory: what is always to be known of a user, whatever is asked; one round trip."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.profile.selection import ProfileFact, standing_out
from schema.fact import FactKind
from schema.ids import TenantId, memory_id, user_uri
from schema.importance import importance_of_strength
from schema.profile import Category, profile_uri
from schema.timespan import as_utc, moment_of

# More than any budget takes; the most important come first.
_FACTS_MAX: Final = 300
_TRIGGERS_MAX: Final = 50
_CLOSED_MAX: Final = 50
# A taste is stable when it was told of more than one occasion, or strongly; and by somebody who should know.
_SURE_MIN: Final = 0.6
_STRONG_MIN: Final = 0.8
_IMPORTANT_MIN: Final = 8
_OCCASIONS_MIN: Final = 2


class CoreKind(StrEnum):
    """What a line of Core Memory tells."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    TRIGGER = "trigger"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFact:
    """A fact of Core Memory.

    Attributes:
        uri: of a profile fact where it stands in the profile, of others the fact's own.
        worth: 0…1, how much it is worth knowing whatever is asked.
        until: when it ceased to hold.
        evidence: ids of the messages that prove it.
    """

    kind: CoreKind
    id: str
    uri: str
    statement: str
    worth: float
    since: datetime
    until: datetime | None
    emotion: str | None
    evidence: frozenset[str]
    relation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One list of `profile/core_memory`, given names."""

    uri: str
    statement: str
    strength: float
    since: datetime
    until: datetime | None
    emotion: str | None
    evidence: tuple[str, ...]
    scenes: int
    fact: ProfileFact


async def core_memory(
    graph: Graph, tenant: TenantId, user_id: str, *, moments: AsOf, now: bool
) -> tuple[CoreFact, ...]:
    """Return what is always to be known of a user, and what was before; nothing for a user whom nobody knows.

    Args:
        now: the moments are those of now, so the marks of the profile hold.
    """
    root = user_uri(tenant, user_id)
    rows = await graph.read(
        statement("profile/core_memory"),
        {
            "tenant": tenant,
            "user_id": user_id,
            "user_node_id": memory_id(root),
            "valid_at": as_utc(moments.valid_at),
            "known_at": None if moments.known_at is None else as_utc(moments.known_at),
            "as_marked": now,
            "facts_max": _FACTS_MAX,
            "triggers_max": _TRIGGERS_MAX,
            "closed_max": _CLOSED_MAX,
        },
    )
    if not rows:
        return ()
    held, causes, closed = ([_row(values) for values in rows[0][name]] for name in ("facts", "triggers", "closed"))
    return (
        *chosen_of_profile(held, root),
        *(_core(one, CoreKind.TRIGGER, one.uri) for one in causes if lasting(one)),
        *(_core(one, CoreKind.EARLIER, one.uri) for one in closed),
    )


def chosen_of_profile(rows: Sequence[_Row], root: str) -> list[CoreFact]:
    """Of the facts that hold about a user those that belong into every prompt: weak tastes told once do not."""
    out = standing_out(row.fact for row in rows)
    chosen = []
    for row in rows:
        category = row.fact.category
        uri = profile_uri(root, category, row.fact.id)
        if row.fact.id in out:
            continue
        if row.emotion is not None or row.fact.predicate == "CAUSED_BY":
            if lasting(row):
                chosen.append(_core(row, CoreKind.TRIGGER, uri))
        elif category is not Category.PREFERENCES:
            chosen.append(_core(row, CoreKind.PROFILE, uri))
        elif stable(row):
            chosen.append(_core(row, CoreKind.PREFERENCE, uri))
    return chosen


def stable(row: _Row) -> bool:
    """Return whether a taste is more than a passing word: sure, and strong or told on several occasions."""
    told_often = max(row.scenes, 1) >= _OCCASIONS_MIN
    strong = row.strength >= _STRONG_MIN or row.fact.importance >= _IMPORTANT_MIN
    return row.fact.confidence >= _SURE_MIN and (strong or told_often)


def lasting(row: _Row) -> bool:
    """Return whether a trigger is sure enough to be kept in mind; short moods are not read at all (requirement B4)."""
    return row.fact.confidence >= _SURE_MIN


def _core(row: _Row, kind: CoreKind, uri: str) -> CoreFact:
    often = 1.0 - 0.5 ** max(row.scenes - 1, 0)
    worth = 0.45 * row.fact.importance / 10 + 0.25 * row.fact.confidence + 0.15 * row.strength + 0.15 * often
    return CoreFact(
        kind=kind,
        id=row.fact.id,
        uri=uri,
        statement=row.statement,
        worth=worth,
        since=row.since,
        until=row.until,
        emotion=row.emotion,
        evidence=frozenset(row.evidence),
        relation=row.fact.relation,
    )


def _row(values: Sequence[Any]) -> _Row:
    name, uri, words, predicate, relation, object_id, kind, importance, base, strength, sure, first, last = values[:13]
    valid_ms, invalid_ms, emotion, evidence, scenes = values[13:]
    return _Row(
        uri=uri,
        statement=words,
        strength=strength,
        since=moment_of(valid_ms),
        until=None if invalid_ms is None else moment_of(invalid_ms),
        emotion=emotion,
        evidence=tuple(evidence),
        scenes=scenes or 1,
        fact=ProfileFact(
            id=name,
            predicate=predicate,
            relation=relation,
            object_id=object_id,
            kind=FactKind(kind or FactKind.FACT),
            importance=importance or importance_of_strength(base),
            confidence=sure,
            first_seen=first,
            last_seen=last,
        ),
    )
