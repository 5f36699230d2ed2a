"""GraphQL: sessions, where they stand, and their end."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts
from graph_service.memory.sessions.lifecycle import session_cursor
from graph_service.memory.sessions.short_term_window import RecentTurns, Source, Turn
from schema.labels import Role
from schema.session import CloseReason, SessionState, SessionView

# GraphQL: the last turns of a session.

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
        """Return the last turns of a session."""
        memory = memory_of(info)
        heard = await memory.short_term(info.context["tenant"], user_id, session_id, turns=turns)
        return _heard_view(heard)


def _heard_view(heard: RecentTurns) -> ShortTerm:
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


strawberry.enum(SessionState, name="SessionState", description="Where a session stands.")
strawberry.enum(CloseReason, name="CloseReason", description="Who asked for the end of a session.")

_UserId = Annotated[str, strawberry.argument(description="Whose session.")]
_SessionId = Annotated[str, strawberry.argument(description="Which session.")]


@strawberry.type(name="Session", description="One conversation of a user.")
class SessionAnswer:
    """One conversation of a user."""

    uri: str = strawberry.field(description="Its stable name.")
    user_id: str = strawberry.field(description="Whose it is.")
    session_id: str = strawberry.field(description="Your own id of it.")
    state: SessionState = strawberry.field(description="A new message makes it active again.")
    opened_at: datetime = strawberry.field(description="When its first message came in.")
    last_at: datetime = strawberry.field(description="When its latest message came in.")
    closing_at: datetime | None = strawberry.field(description="When its end was asked for.")
    closed_at: datetime | None = strawberry.field(description="When everything in it was worked out.")
    why: CloseReason | None = strawberry.field(description="Who asked for its end.")
    messages: int = strawberry.field(description="Messages in it.")
    scenes: int = strawberry.field(description="Scenes in it.")
    unread: int = strawberry.field(description="Messages that no scene holds yet.")
    unembedded: int = strawberry.field(description="Messages without a vector.")
    unextracted: int = strawberry.field(description="Scenes that are read when they grow no more.")
    problem: str | None = strawberry.field(description="Why closing it failed the last time.")


@strawberry.type
class SessionsQuery:
    """What can be asked about sessions."""

    @strawberry.field(description="Sessions of a user, the latest first.")
    async def sessions(
        self,
        info: Info[Any, None],
        user_id: _UserId,
        first: FirstArgument = 50,
        after: AfterCursor = None,
    ) -> Connection[SessionAnswer]:
        """Return sessions of a user."""
        memory = memory_of(info)
        rows = await memory.sessions.page(info.context["tenant"], user_id, first=first, after=after)
        return Connection(**page_parts(rows, first, after, cursor=session_cursor, view=_answer))

    @strawberry.field(description="One session and where it stands.")
    async def session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """Return one session."""
        memory = memory_of(info)
        return _answer(await memory.sessions.one(info.context["tenant"], user_id, session_id))


@strawberry.type
class SessionsMutation:
    """What can be done with sessions."""

    @strawberry.mutation(
        description="Ends a session: vectors for all of it, then everything that waits in it is read. Safe to repeat."
    )
    async def close_session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """End a session."""
        memory = memory_of(info)
        return _answer(await memory.sessions.close(info.context["tenant"], user_id, session_id))


def _answer(view: SessionView) -> SessionAnswer:
    return SessionAnswer(**{name: getattr(view, name) for name in SessionView.__dataclass_fields__})
