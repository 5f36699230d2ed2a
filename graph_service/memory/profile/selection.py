"""Select the facts of a profile. Pure.

Of facts that say the same, the most confident is kept, and of equally confident ones the newest. In a full category, a
more important fact replaces the least important one. The selection does not depend on the order of the facts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from graph_service.memory.facts.categories import category_of
from schema.fact import FactKind
from schema.ids import name_key
from schema.predicates import TASTES
from schema.profile import Category
from schema.tuning import tuning


class Exclusion(StrEnum):
    """Reason why a valid fact is not in the profile: a better one says the same, or the category is full."""

    OVERWRITTEN = "overwritten"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """A valid fact about a user or agent, with the values that decide whether it is in the profile.

    Not a `Fact`: each context reads hundreds, and converting their times and assertions would take most of its time.

    Attributes:
        first_seen, last_seen: microseconds since 1970.
        exclusion: the stored reason why it is not in the profile; None if it is.
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
    exclusion: Exclusion | None = None

    @property
    def category(self) -> Category:
        """Return the category of the profile that the fact belongs to."""
        return category_of(self.predicate, self.relation, self.kind)

    @property
    def item(self) -> tuple[str, ...]:
        """Return the key that facts share if a profile keeps only one of them."""
        relation = "" if self.predicate in TASTES else name_key(self.relation or "")
        return self.predicate, relation, self.object_id


def excluded(facts: Iterable[ProfileFact]) -> dict[str, Exclusion]:
    """Return the ids of the facts excluded from the profile, with the reason; all others are in it."""
    limits = tuning().items_max
    exclusions: dict[str, Exclusion] = {}
    items: dict[tuple[str, ...], ProfileFact] = {}
    for fact in sorted(facts, key=lambda one: (-one.confidence, -one.last_seen, one.id)):
        if fact.item in items:
            exclusions[fact.id] = Exclusion.OVERWRITTEN
        else:
            items[fact.item] = fact
    by_category: dict[Category, list[ProfileFact]] = {}
    # A fact is replaced only by a more important one, so of equally important facts the first seen stays.
    for fact in sorted(items.values(), key=lambda one: (-one.importance, one.first_seen, one.id)):
        kept = by_category.setdefault(fact.category, [])
        if len(kept) < limits[fact.category]:
            kept.append(fact)
        else:
            exclusions[fact.id] = Exclusion.FULL
    return exclusions
