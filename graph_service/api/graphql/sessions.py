"""GraphQL: sessions, their state and closing, and their last turns."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.sessions.lifecycle import session_cursor
from graph_service.memory.sessions.short_term_window import Source
from schema.labels import Role
from schema.session import CloseReason, SessionState

strawberry.enum(Source, name="TurnSource", description="Where turns of the short-term window come from.")


@strawberry.type(name="Turn", description="One message of the short-term window.")
class TurnView:
    """One message of the short-term window."""

    message_id: str = strawberry.field(description="The id that remember returned.")
    role: Role = strawberry.field(description="The speaker's role.")
    speaker: str | None = strawberry.field(description="The speaker's name, if known.")
    text: str = strawberry.field(description="What was said, at most 4,000 characters.")
    said_at: datetime = strawberry.field(description="When it was said.")
    truncated: bool = strawberry.field(description="True if the text was truncated; the message contains all of it.")


@strawberry.type(description="The last turns of a session.")
class ShortTerm:
    """The last turns of a session."""

    turns: list[TurnView] = strawberry.field(description="Oldest first.")
    sources: list[Source] = strawberry.field(description="Where they come from; empty without turns.")


@strawberry.type
class ShortTermQuery:
    """Queries for the short-term window."""

    @strawberry.field(description="The last turns of a session, from Redis or memory, completed from the database.")
    async def short_term(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: Annotated[str, strawberry.argument(description="The session's id.")],
        turns: Annotated[int, strawberry.argument(description="Maximum number of turns, 1 to 200.")] = 20,
    ) -> ShortTerm:
        """Return the last turns of a session."""
        memory = memory_of(info)
        recent = await memory.short_term(info.context["tenant"], user_id, session_id, turns=turns)
        return view_of(ShortTerm, recent, turns=[view_of(TurnView, one, message_id=one.id) for one in recent.turns])


strawberry.enum(SessionState, name="SessionState", description="The state of a session.")
strawberry.enum(CloseReason, name="SessionCloseReason", description="Why a session was closed.")

_UserId = Annotated[str, strawberry.argument(description="The user's id.")]
_SessionId = Annotated[str, strawberry.argument(description="The session's id.")]


@strawberry.type(name="Session", description="A conversation of a user.")
class SessionAnswer:
    """A conversation of a user."""

    uri: str = strawberry.field(description="Its URI.")
    user_id: str = strawberry.field(description="The user's id.")
    session_id: str = strawberry.field(description="Your id of the session.")
    state: SessionState = strawberry.field(description="Its state; a new message reactivates it.")
    opened_at: datetime = strawberry.field(description="When its first message arrived.")
    last_at: datetime = strawberry.field(description="When its latest message arrived.")
    closing_at: datetime | None = strawberry.field(description="When closing was requested.")
    closed_at: datetime | None = strawberry.field(description="When closing was complete.")
    close_reason: CloseReason | None = strawberry.field(description="Why it was closed.")
    messages: int = strawberry.field(description="Number of messages.")
    scenes: int = strawberry.field(description="Number of scenes.")
    unread: int = strawberry.field(description="Number of messages without a scene.")
    unembedded: int = strawberry.field(description="Number of messages without a vector.")
    unextracted: int = strawberry.field(description="Number of scenes not extracted yet.")
    problem: str | None = strawberry.field(description="Error of the last attempt to close it.")
    zone: str | None = strawberry.field(description="Time zone of its latest message.")


@strawberry.type
class SessionsQuery:
    """Queries for sessions."""

    @strawberry.field(description="Sessions of a user, latest first.")
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
        return Connection(**page_parts(rows, first, after, cursor=session_cursor, view=partial(view_of, SessionAnswer)))

    @strawberry.field(description="A session and its state.")
    async def session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """Return a session."""
        memory = memory_of(info)
        return view_of(SessionAnswer, await memory.sessions.one(info.context["tenant"], user_id, session_id))


strawberry.enum(FactEventKind, name="FactEventKind", description="What became of a fact.")


@strawberry.type(name="FactEvent", description="What became of one extracted or provided fact, and why.")
class FactEventView:
    """The result of reconciling one fact."""

    kind: FactEventKind = strawberry.field(
        description="ADD: a new fact; UPDATE: it ended a known one; MERGE: it is part of a known one; IGNORE: nothing."
    )
    reason: str = strawberry.field(description="Why.")
    fact_id: str | None = strawberry.field(description="The fact that states it now; null if it was rejected.")
    known_id: str | None = strawberry.field(
        description="The known fact that it ended (UPDATE), or that says the same (MERGE, IGNORE)."
    )
    message_ids: list[str] = strawberry.field(description="Its evidence messages, at most ten.")
    scene_uri: str = strawberry.field(description="The scene that states it.")
    read_by: str | None = strawberry.field(description="The model's name, `rules`, or `caller`.")
    at: datetime = strawberry.field(description="When the scene ended.")


@strawberry.type
class FactEventsQuery:
    """Queries for the events of facts."""

    @strawberry.field(description="What became of the facts of a session once they were extracted, latest scene first.")
    async def fact_events(
        self,
        info: Info[Any, None],
        user_id: _UserId,
        session_id: _SessionId,
        first: Annotated[int, strawberry.argument(description="Maximum number, 1 to 1,000.")] = 100,
    ) -> list[FactEventView]:
        """Return what became of the facts of a session."""
        memory = memory_of(info)
        events = await memory.fact_events(info.context["tenant"], user_id, session_id, first=first)
        return [view_of(FactEventView, one) for one in events]


@strawberry.type(description="The result of indexing a session.")
class IndexResult:
    """The result of indexing a session."""

    messages: int = strawberry.field(description="Number of its messages.")
    indexed: int = strawberry.field(description="Messages that had no scene or vector, and have both now.")
    skipped: int = strawberry.field(description="Messages that had both.")
    failed: int = strawberry.field(description="Messages that lack one still; try again later.")
    deferred_scenes: int = strawberry.field(
        description="Scenes that were read now because `automation.auto_extract` is off."
    )


@strawberry.type
class SessionsMutation:
    """Index and close sessions."""

    @strawberry.mutation(
        description="Close a session: compute missing vectors, then extract all pending messages. Idempotent."
    )
    async def close_session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """Close a session."""
        memory = memory_of(info)
        return view_of(SessionAnswer, await memory.sessions.close(info.context["tenant"], user_id, session_id))

    @strawberry.mutation(
        description="Index a session now: extract pending messages, also if automatic extraction is off, update its "
        "layers, and compute missing vectors. Idempotent."
    )
    async def index_memories(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> IndexResult:
        """Index a session."""
        memory = memory_of(info)
        report = await memory.sessions.index(info.context["tenant"], user_id, session_id)
        return view_of(IndexResult, report)
