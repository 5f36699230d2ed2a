"""The profile of a user or agent: its categories and their limits."""

from enum import StrEnum
from typing import Final

from schema.ids import Uri


class Category(StrEnum):
    """Category of a profile fact."""

    PERSONAL = "personal"
    WORK = "work"
    PREFERENCES = "preferences"
    RELATIONSHIPS = "relationships"
    GOALS = "goals"


# Facts per category.
ITEMS_MAX: Final = {
    Category.PERSONAL: 50,
    Category.WORK: 100,
    Category.PREFERENCES: 200,
    Category.RELATIONSHIPS: 50,
    Category.GOALS: 50,
}


def profile_uri(subject: str, category: Category, fact_id: str) -> Uri:
    """Return the URI of a fact in a profile: `memory://{tenant}/user/{id}/profile/{category}/{fact}`."""
    return Uri(f"{subject}/profile/{category.value}/{fact_id}")
