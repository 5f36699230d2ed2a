"""GraphQL: sessions, where they stand, and their end."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql_pages import AfterCursor, Connection, FirstArgument, page_parts
from graph_service.memory.service import Memory
from graph_service.memory.session_life import session_cursor
from schema.session import CloseReason, SessionState, SessionView

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
        """Sessions of a user."""
        memory: Memory = info.context["memory"]
        rows = await memory.sessions.page(info.context["tenant"], user_id, first=first, after=after)
        return Connection(**page_parts(rows, first, after, cursor=session_cursor, view=_answer))

    @strawberry.field(description="One session and where it stands.")
    async def session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """One session."""
        memory: Memory = info.context["memory"]
        return _answer(await memory.sessions.one(info.context["tenant"], user_id, session_id))


@strawberry.type
class SessionsMutation:
    """What can be done with sessions."""

    @strawberry.mutation(
        description="Ends a session: vectors for all of it, then everything that waits in it is read. Safe to repeat."
    )
    async def close_session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """Ends a session."""
        memory: Memory = info.context["memory"]
        return _answer(await memory.sessions.close(info.context["tenant"], user_id, session_id))


def _answer(view: SessionView) -> SessionAnswer:
    return SessionAnswer(**{name: getattr(view, name) for name in SessionView.__dataclass_fields__})
