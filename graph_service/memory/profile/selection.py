"""Which facts make up a profile: their category, which of two says it better, and which leave a full one. Pure.

Source: requirements.md B7: higher confidence overwrites, newer wins a tie, a full category replaces its least important
item if the new one matters more. The choice depends on the facts alone, not on the order in which they came.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from graph_service.memory.facts.categories import _TASTES, category_of
from schema.fact import FactKind
from schema.ids import name_key
from schema.profile import ITEMS_MAX, Category


class Out(StrEnum):
    """Why a fact that holds is not in the profile: another says it better, or more important ones fill it."""

    OVERWRITTEN = "overwritten"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """A fact about a user or agent that holds.

    Attributes:
        first_seen, last_seen: microseconds since 1970.
        out: why it is not in the profile, as it is marked now.
    """

    id: str
    predicate: str
    relation: str | None
    object_id: str
    kind: FactKind
    importance: int
    confidence: float
    first_seen: int
    last_seen: int
    out: Out | None = None

    @property
    def category(self) -> Category:
        """Return where it belongs."""
        return category_of(self.predicate, self.relation, self.kind)

    @property
    def item(self) -> tuple[str, ...]:
        """Return what two facts share of which a profile keeps one."""
        relation = "" if self.predicate in _TASTES else name_key(self.relation or "")
        return self.predicate, relation, self.object_id


def standing_out(facts: Iterable[ProfileFact], items_max: Mapping[Category, int] = ITEMS_MAX) -> dict[str, Out]:
    """Return the facts that hold and are not in the profile, with why; all others are in it."""
    out: dict[str, Out] = {}
    items: dict[tuple[str, ...], ProfileFact] = {}
    for fact in sorted(facts, key=lambda one: (-one.confidence, -one.last_seen, one.id)):
        if fact.item in items:
            out[fact.id] = Out.OVERWRITTEN
        else:
            items[fact.item] = fact
    shelves: dict[Category, list[ProfileFact]] = {}
    # Of equally important ones those stay that were there first: a new one must matter more.
    for fact in sorted(items.values(), key=lambda one: (-one.importance, one.first_seen, one.id)):
        shelf = shelves.setdefault(fact.category, [])
        if len(shelf) < items_max[fact.category]:
            shelf.append(fact)
        else:
            out[fact.id] = Out.FULL
    return out
