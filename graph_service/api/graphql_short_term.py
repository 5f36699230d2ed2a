"""GraphQL: the last turns of a session."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

import graph_service.api.graphql_types  # noqa: F401  names Role for GraphQL
from graph_service.memory.service import Memory
from graph_service.memory.window import Heard, Source, Turn
from schema.labels import Role

strawberry.enum(Source, name="TurnSource", description="Where turns of the short-term window came from.")


@strawberry.type(name="Turn", description="One message of the short-term window.")
class TurnView:
    """One message of the short-term window."""

    message_id: str = strawberry.field(description="The id that remember returned.")
    role: Role = strawberry.field(description="Who speaks.")
    speaker: str | None = strawberry.field(description="The speaker's name, when it is known.")
    text: str = strawberry.field(description="What was said, at most 4,000 characters.")
    said_at: datetime = strawberry.field(description="When it was said.")
    cut: bool = strawberry.field(description="The text was longer; the rest is in the message itself.")


@strawberry.type(description="The last turns of a session.")
class ShortTerm:
    """The last turns of a session."""

    turns: list[TurnView] = strawberry.field(description="Oldest first.")
    sources: list[Source] = strawberry.field(description="Where they came from; empty when there are none.")


@strawberry.type
class ShortTermQuery:
    """What can be asked of the short-term window."""

    @strawberry.field(
        description="The last turns of a session, from Redis or memory; what those lack comes from the database."
    )
    async def short_term(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose session.")],
        session_id: Annotated[str, strawberry.argument(description="Which session.")],
        turns: Annotated[int, strawberry.argument(description="At most so many turns, 1 to 200.")] = 20,
    ) -> ShortTerm:
        """The last turns of a session."""
        memory: Memory = info.context["memory"]
        heard = await memory.short_term(info.context["tenant"], user_id, session_id, turns=turns)
        return _heard_view(heard)


def _heard_view(heard: Heard) -> ShortTerm:
    return ShortTerm(turns=[_turn_view(turn) for turn in heard.turns], sources=list(heard.sources))


def _turn_view(turn: Turn) -> TurnView:
    return TurnView(
        message_id=turn.id,
        role=turn.role,
        speaker=turn.speaker,
        text=turn.text,
        said_at=turn.said_at,
        cut=turn.cut,
    )
