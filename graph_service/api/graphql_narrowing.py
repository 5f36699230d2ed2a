"""GraphQL: how a question is narrowed, in which mode it is answered, and what of an answer comes next."""

from dataclasses import replace
from typing import Annotated

import strawberry

import graph_service.api.graphql_types  # noqa: F401  it names the roles
from graph_service.memory.narrowing import EVERYTHING, Mode, Narrowing
from schema.labels import Role

strawberry.enum(
    Mode,
    name="RecallMode",
    description="BEST measures best; LAYERED weighs the layers 0.2/0.3/0.5; SIMILARITY_IMPORTANCE these 0.7/0.3.",
)


@strawberry.input(description="A part of a user's memory.")
class RecallFilter:
    """A part of a user's memory."""

    in_session: str | None = strawberry.field(
        default=None, description="Only this conversation, and facts that it proves."
    )
    agent_id: str | None = strawberry.field(default=None, description="Only conversations with this agent.")
    roles: list[Role] = strawberry.field(default_factory=list, description="Only what these said; all when empty.")
    entities: list[str] = strawberry.field(default_factory=list, description="Only what names one of these.")
    min_score: float | None = strawberry.field(default=None, description="Only hits with at least this score.")


ModeArgument = Annotated[
    Mode | None, strawberry.argument(description="How hits are ranked; as the settings say when left out.")
]
OnlyArgument = Annotated[RecallFilter | None, strawberry.argument(description="Only a part of the memory.")]
AfterArgument = Annotated[
    str | None, strawberry.argument(description="The `cursor` of the last answer to the same question: the next hits.")
]


def narrowing(only: RecallFilter | None, after: str | None) -> Narrowing:
    """The wishes in our own words."""
    if only is None:
        return replace(EVERYTHING, after=after)
    return Narrowing(
        session_id=only.in_session,
        agent_id=only.agent_id,
        roles=tuple(only.roles),
        entities=tuple(only.entities),
        score_min=only.min_score,
        after=after,
    )
