"""The profile of a user or agent: what is always to be known of them, in five categories with limits."""

from enum import StrEnum
from typing import Final

from schema.ids import Uri


class Category(StrEnum):
    """What a fact of a profile is about."""

    PERSONAL = "personal"
    WORK = "work"
    PREFERENCES = "preferences"
    RELATIONSHIPS = "relationships"
    GOALS = "goals"


# Source: requirements.md B7.
ITEMS_MAX: Final = {
    Category.PERSONAL: 50,
    Category.WORK: 100,
    Category.PREFERENCES: 200,
    Category.RELATIONSHIPS: 50,
    Category.GOALS: 50,
}


def profile_uri(subject: str, category: Category, fact_id: str) -> Uri:
    """Return where a fact stands in a profile: `memory://{tenant}/user/{id}/profile/{category}/{fact}`."""
    return Uri(f"{subject}/profile/{category.value}/{fact_id}")
