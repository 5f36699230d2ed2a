"""GraphQL: the profile of a user or agent."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AsOfArgument, ValidAtArgument, memory_of
from graph_service.memory.profile.reader import ProfilePart
from schema.profile import Category

strawberry.enum(Category, name="ProfileCategory", description="What a fact of a profile is about.")


@strawberry.type(name="ProfileItem", description="A fact of a profile.")
class ProfileItemView:
    """A fact of a profile."""

    id: str = strawberry.field(description="The fact.")
    uri: str = strawberry.field(description="Where it stands in the profile.")
    statement: str = strawberry.field(description="The fact in words.")
    predicate: str = strawberry.field(description="PREFERS, RELATES_TO and so on.")
    relation: str | None = strawberry.field(description="How, in free words.")
    object: str = strawberry.field(description="Who or what it is about.")
    importance: int = strawberry.field(description="1 to 10.")
    confidence: float = strawberry.field(description="0 to 1.")
    valid_at: datetime = strawberry.field(description="When it began to hold.")
    last_seen: datetime = strawberry.field(description="When it was last said.")


@strawberry.type(name="ProfilePart", description="One category of a profile.")
class ProfilePartView:
    """One category of a profile."""

    category: Category = strawberry.field(description="What its facts are about.")
    limit: int = strawberry.field(description="How many items there may be.")
    out: int = strawberry.field(description="Facts that hold and are not in it: it is full, or another says the same.")
    items: list[ProfileItemView] = strawberry.field(description="Its items, the most important first.")


@strawberry.type
class ProfileQuery:
    """What can be asked about profiles."""

    @strawberry.field(description="What is always to be known of a user, or of an agent that serves this user.")
    async def profile(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose memory.")],
        agent_id: Annotated[str | None, strawberry.argument(description="The agent instead of the user.")] = None,
        category: Annotated[Category | None, strawberry.argument(description="Only this; all when left out.")] = None,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> list[ProfilePartView]:
        """Return what is always to be known of a user."""
        memory = memory_of(info)
        tenant = info.context["tenant"]
        parts = await memory.facts.profile(
            tenant, user_id, agent_id=agent_id, category=category, valid_at=valid_at, as_of=as_of
        )
        return [_view(part) for part in parts]


def _view(part: ProfilePart) -> ProfilePartView:
    return ProfilePartView(
        category=part.category,
        limit=part.items_max,
        out=part.out,
        items=[
            ProfileItemView(
                id=one.id,
                uri=one.uri,
                statement=one.statement,
                predicate=one.predicate,
                relation=one.relation,
                object=one.object,
                importance=one.importance,
                confidence=one.confidence,
                valid_at=one.valid_at,
                last_seen=one.last_seen,
            )
            for one in part.items
        ],
    )
