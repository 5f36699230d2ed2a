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


def category_uri(subject: str, category: Category) -> Uri:
    """Return the URI of one category of a profile: `memory://{tenant}/user/{id}/profile/{category}`."""
    return Uri(f"{subject}/profile/{category.value}")


def category_in(uri: str) -> tuple[str, Category | None]:
    """Return the URI of the user or agent, and the category; of another URI itself and None."""
    subject, _, name = uri.rpartition("/profile/")
    return (subject, Category(name)) if subject and name in tuple(Category) else (uri, None)
