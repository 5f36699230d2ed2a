"""GraphQL: the profile of a user or agent."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, output
from graph_service.api.graphql.arguments import AsOfArgument, OwnerArgument, ValidAtArgument, memory_of, view_of
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.profile.reader import ProfilePart
from schema.predicates import predicate_choice
from schema.profile import Category


@output(name="ProfileItem")
class ProfileItemView:
    """A fact of a profile."""

    id: str = about("Id of the fact.")
    uri: str = about("Its URI in the profile.")
    statement: str = about("The fact as a sentence.")
    predicate: str = about(f"Relation type: {predicate_choice()}.")
    relation: str | None = about("The relation in free text.")
    object: str = about("The object of the fact.")
    importance: int = about("1 to 10.")
    confidence: float = about("0 to 1.")
    valid_at: datetime = about("When it became true.")
    last_seen: datetime = about("When it was last mentioned.")
    zone: str | None = about("Time zone of a message that proves it; null if unknown.")


@output(name="ProfilePart")
class ProfilePartView:
    """One category of a profile."""

    category: Category = about("The category.")
    limit: int = about("Maximum number of items.")
    omitted: int = about("Number of facts left out because the category is full or another fact says the same.")
    items: list[ProfileItemView] = about("Its items, the most important first.")


@strawberry.type
class ProfileQuery:
    """Queries for profiles."""

    @field
    async def profile(
        self,
        info: Info[Any, None],
        user_id: OwnerArgument = None,
        agent_id: Annotated[
            str | None, argument("With `userId`: this agent in the user's memory; without: the agent's own memory.")
        ] = None,
        category: Annotated[Category | None, argument("Only this category.")] = None,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> list[ProfilePartView]:
        """The profile of a user, or of an agent that serves the user."""
        memory = memory_of(info)
        tenant = info.context["tenant"]
        parts = await memory.facts.profile(
            tenant,
            owner_of(user_id, agent_id),
            agent_id=None if user_id is None else agent_id,
            category=category,
            valid_at=valid_at,
            as_of=as_of,
        )
        return [_view(part) for part in parts]


def _view(part: ProfilePart) -> ProfilePartView:
    items = [view_of(ProfileItemView, one) for one in part.items]
    return view_of(ProfilePartView, part, limit=part.items_max, items=items)
