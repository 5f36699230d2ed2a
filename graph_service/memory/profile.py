"""The profile of a user or agent: reading it, and marking in each digest what leaves it and what comes back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.profile_rules import Out, ProfileFact, category_of, standing_out
from graph_service.memory.views import edge_body, edge_view
from schema.change import Change, Op
from schema.fact import FactKind
from schema.ids import MemoryId, TenantId
from schema.importance import importance_of_strength
from schema.profile import ITEMS_MAX, Category, profile_uri

_REASONS = {
    Out.FULL: "no longer in the profile: what matters more fills it",
    Out.OVERWRITTEN: "no longer in the profile: another fact says it with more confidence, or later",
    None: "in the profile again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileItem:
    """A fact of a profile.

    Attributes:
        uri: where it stands in the profile.
    """

    id: MemoryId
    uri: str
    statement: str
    predicate: str
    relation: str | None
    object: str
    importance: int
    confidence: float
    valid_at: datetime
    last_seen: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePart:
    """One category of a profile, the most important items first.

    Attributes:
        items_max: how many there may be.
        out: how many facts that hold are not in it, because it is full or another says the same.
    """

    category: Category
    items_max: int
    items: tuple[ProfileItem, ...]
    out: int


async def profile_of(
    graph: Graph, tenant: TenantId, node_id: MemoryId, *, at: datetime, category: Category | None = None
) -> list[ProfilePart]:
    """The profile of a user or agent, every category of it or one; empty categories too."""
    rows = await graph.read(statement("read/profile_facts"), {"tenant": tenant, "ids": [node_id], "at": at})
    out = standing_out(_fact(row) for row in rows)
    return [_part(one, rows, out) for one in Category if category in (None, one)]


async def settle_profile(
    writing: Writing, tenant: TenantId, node_ids: Iterable[MemoryId], *, at: datetime
) -> list[Change]:
    """Marks, inside a commit, what leaves the profiles of some users and agents; returns what viewers must be told."""
    wanted = {"tenant": tenant, "ids": sorted(node_ids), "at": at}
    by_subject: dict[str, list[ProfileFact]] = {}
    for row in await writing.run(statement("read/profile_facts"), wanted):
        by_subject.setdefault(row["subject_id"], []).append(_fact(row))
    rows: list[dict[str, Any]] = []
    for subject, facts in by_subject.items():
        out = standing_out(facts)
        rows += [
            {"subject_id": subject, "id": fact.id, "out": out.get(fact.id)}
            for fact in facts
            if fact.out != out.get(fact.id)
        ]
    if not rows:
        return []
    rows.sort(key=lambda row: str(row["id"]))
    marked = await writing.run(statement("write/mark_profile"), {"tenant": tenant, "rows": rows})
    return [_change(row) for row in marked]


def subjects_in(facts: Sequence[Mapping[str, Any]], *nodes: MemoryId) -> set[MemoryId]:
    """Which of some users and agents the rows of facts are about."""
    return {row["subject_id"] for row in facts} & set(nodes)


def _fact(row: Row) -> ProfileFact:
    fact = row["fact"]
    return ProfileFact(
        id=fact["id"],
        predicate=row["predicate"],
        relation=fact["relation"],
        object_id=row["object_id"],
        kind=FactKind(fact["kind"] or FactKind.FACT),
        importance=_importance(fact),
        confidence=fact["confidence"],
        first_seen=fact["first_seen"],
        last_seen=fact["last_seen"],
        out=Out(fact["profile_out"]) if fact["profile_out"] else None,
    )


def _importance(fact: Mapping[str, Any]) -> int:
    """Facts of older versions have none; their strength stands for it."""
    return int(fact["importance"] or importance_of_strength(fact["base_strength"]))


def _part(category: Category, rows: Sequence[Row], out: Mapping[str, Out]) -> ProfilePart:
    mine = [
        row
        for row in rows
        if category_of(row["predicate"], row["fact"]["relation"], FactKind(row["fact"]["kind"] or FactKind.FACT))
        is category
    ]
    inside = [row for row in mine if row["fact"]["id"] not in out]
    return ProfilePart(
        category=category,
        items_max=ITEMS_MAX[category],
        items=tuple(_item(row, category) for row in inside),
        out=len(mine) - len(inside),
    )


def _item(row: Row, category: Category) -> ProfileItem:
    fact = row["fact"]
    return ProfileItem(
        id=fact["id"],
        uri=profile_uri(row["subject_uri"], category, fact["id"]),
        statement=fact["statement"],
        predicate=row["predicate"],
        relation=fact["relation"],
        object=row["object"],
        importance=_importance(fact),
        confidence=fact["confidence"],
        valid_at=fact["valid_at"],
        last_seen=fact["last_seen"],
    )


def _change(row: Row) -> Change:
    properties = row["properties"]
    view = edge_view(properties, row["subject_id"], row["object_id"], row["predicate"])
    out = properties.get("profile_out")
    reason = _REASONS[Out(out) if out else None]
    return Change(op=Op.EDGE_PUT, element_id=MemoryId(properties["id"]), body=edge_body(view), reason=reason)
