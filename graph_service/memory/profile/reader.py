"""Read the profile of a user or agent, and mark in each consolidation which facts are excluded from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import edge_body, edge_view
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.profile.selection import Exclusion, ProfileFact, excluded
from schema.change import Change, Op
from schema.fact import FactKind
from schema.ids import MemoryId, TenantId
from schema.profile import Category, profile_uri
from schema.tuning import tuning

# Later consolidations mark the rest, so that none takes long in a large memory.
_MARKS_MAX: Final = 200
_REASONS = {
    Exclusion.FULL: "no longer in the profile: more important facts fill it",
    Exclusion.OVERWRITTEN: "no longer in the profile: a more certain or later fact says the same",
    None: "in the profile again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileItem:
    """A fact of a profile.

    Attributes:
        id: id of the fact.
        uri: its URI in the profile.
        statement: the fact as a sentence.
        relation: the relation in free text.
        object: the object of the fact.
        importance: 1 to 10.
        confidence: 0 to 1.
        valid_at: when it became true.
        last_seen: when it was last mentioned.
        zone: time zone of a message that proves it; None if unknown.
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
    zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePart:
    """One category of a profile.

    Attributes:
        category: the category.
        items_max: maximum number of items.
        items: its items, the most important first.
        omitted: number of facts left out because the category is full or another fact says the same.
    """

    category: Category
    items_max: int
    items: tuple[ProfileItem, ...]
    omitted: int


async def profile_of(
    graph: Graph, tenant: TenantId, node_id: MemoryId, moments: AsOf, *, category: Category | None = None
) -> list[ProfilePart]:
    """Return all categories of a profile, or one of them, including empty ones."""
    parameters = {"tenant": tenant, "ids": [node_id], **asdict(moments)}
    rows = await graph.read(statement("profile/profile_candidates"), parameters)
    facts = [_fact(values) for row in rows for values in row["facts"] if category in (None, _fact(values).category)]
    exclusions = excluded(facts)
    included = sorted(fact.id for fact in facts if fact.id not in exclusions)
    items = await graph.read(statement("profile/profile_facts"), {"tenant": tenant, "id": node_id, "facts": included})
    return [_part(one, facts, items, exclusions) for one in Category if category in (None, one)]


async def settle_profile(
    writing: Writing, tenant: TenantId, node_ids: Iterable[MemoryId], *, at: datetime
) -> list[Change]:
    """Mark within a transaction which facts are excluded from these profiles; return the changes for viewers."""
    profiles = {"tenant": tenant, "ids": sorted(node_ids), **asdict(AsOf(valid_at=at))}
    changes: list[Change] = []
    if not profiles["ids"]:
        return changes
    for row in await writing.run(statement("profile/profile_candidates"), profiles):
        facts = [_fact(values) for values in row["facts"]]
        exclusions = excluded(facts)
        marks = {fact.id: exclusions.get(fact.id) for fact in facts if fact.exclusion != exclusions.get(fact.id)}
        now = sorted(marks)[:_MARKS_MAX]
        if now:
            reasons = {name: mark.value if mark else None for name in now for mark in (marks[name],)}
            parameters = {"tenant": tenant, "id": row["subject_id"], "facts": now, "reasons": reasons}
            changes += [_change(marked) for marked in await writing.run(statement("profile/mark_excluded"), parameters)]
    return changes


def subjects_in(facts: Sequence[Mapping[str, Any]], *nodes: MemoryId) -> set[MemoryId]:
    """Return those of the given users and agents that are subjects of the facts."""
    return {row["subject_id"] for row in facts} & set(nodes)


def _fact(values: Sequence[Any]) -> ProfileFact:
    """Convert the values of one fact from `profile/profile_candidates`, in the order of the fields."""
    fact = dict(zip(ProfileFact.__dataclass_fields__, values, strict=True))
    exclusion = Exclusion(fact["exclusion"]) if fact["exclusion"] else None
    return ProfileFact(**fact | {"kind": FactKind(fact["kind"]), "exclusion": exclusion})


def _part(
    category: Category, facts: Sequence[ProfileFact], items: Sequence[Row], exclusions: Mapping[str, Exclusion]
) -> ProfilePart:
    of_category = {fact.id: fact for fact in facts if fact.category is category}
    return ProfilePart(
        category=category,
        items_max=tuning().items_max[category],
        items=tuple(_item(row, of_category[row["fact"]["id"]]) for row in items if row["fact"]["id"] in of_category),
        omitted=sum(name in exclusions for name in of_category),
    )


def _item(row: Row, known: ProfileFact) -> ProfileItem:
    fact = row["fact"]
    return from_row(
        ProfileItem,
        row | fact,
        uri=profile_uri(row["subject_uri"], known.category, fact["id"]),
        importance=known.importance,
    )


def _change(row: Row) -> Change:
    properties = row["properties"]
    view = edge_view(properties, row["subject_id"], row["object_id"], row["predicate"])
    exclusion = properties.get("profile_exclusion")
    reason = _REASONS[Exclusion(exclusion) if exclusion else None]
    return Change(op=Op.EDGE_PUT, element_id=MemoryId(properties["id"]), body=edge_body(view), reason=reason)
