"""GraphQL: sessions, their state and closing, and their last turns."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.sessions.lifecycle import session_cursor
from graph_service.memory.sessions.short_term_window import Source
from schema.labels import Role
from schema.session import CloseReason, SessionState

strawberry.enum(Source, name="TurnSource", description="Where turns of the short-term window come from.")
strawberry.enum(SessionState, name="SessionState", description="The state of a session.")
strawberry.enum(CloseReason, name="SessionCloseReason", description="Why a session was closed.")
strawberry.enum(FactEventKind, name="FactEventKind", description="What became of a fact.")

_UserId = Annotated[str, argument("The user's id.")]
_SessionId = Annotated[str, argument("The session's id.")]


@output(name="Turn")
class TurnView:
    """One message of the short-term window."""

    message_id: str = about("The id that remember returned.")
    role: Role = about("The speaker's role.")
    speaker: str | None = about("The speaker's name, if known.")
    text: str = about("What was said, at most 4,000 characters.")
    said_at: datetime = about("When it was said.")
    truncated: bool = about("True if the text was truncated; the message contains all of it.")


@output()
class ShortTerm:
    """The last turns of a session."""

    turns: list[TurnView] = about("Oldest first.")
    sources: list[Source] = about("Where they come from; empty without turns.")


@output(name="Session")
class SessionAnswer:
    """A conversation of a user."""

    uri: str = about("Its URI.")
    user_id: str = about("The user's id.")
    session_id: str = about("Your id of the session.")
    state: SessionState = about("Its state; a new message reactivates it.")
    opened_at: datetime = about("When its first message arrived.")
    last_at: datetime = about("When its latest message arrived.")
    closing_at: datetime | None = about("When closing was requested.")
    closed_at: datetime | None = about("When closing was complete.")
    close_reason: CloseReason | None = about("Why it was closed.")
    messages: int = about("Number of messages.")
    scenes: int = about("Number of scenes.")
    unread: int = about("Number of messages without a scene.")
    unembedded: int = about("Number of messages without a vector.")
    unextracted: int = about("Number of scenes not extracted yet.")
    problem: str | None = about("Error of the last attempt to close it.")
    zone: str | None = about("Time zone of its latest message.")


@output(name="FactEvent")
class FactEventView:
    """The outcome of one extracted or provided fact, with its reason."""

    kind: FactEventKind = about(
        "ADD: a new fact; UPDATE: it ended a known one; MERGE: it is part of a known one; IGNORE: nothing."
    )
    reason: str = about("Why.")
    fact_id: str | None = about("The fact that states it now; null if it was rejected.")
    known_id: str | None = about("The known fact that it ended (UPDATE), or that says the same (MERGE, IGNORE).")
    message_ids: list[str] = about("Its evidence messages, at most ten.")
    scene_uri: str = about("The scene that states it.")
    read_by: str | None = about("The model's name, `rules`, or `caller`.")
    at: datetime = about("When the scene ended.")


@output()
class IndexResult:
    """The result of indexing a session."""

    messages: int = about("Number of its messages.")
    indexed: int = about("Messages that had no scene or vector, and have both now.")
    skipped: int = about("Messages that had both.")
    failed: int = about("Messages that lack one still; try again later.")
    deferred_scenes: int = about("Scenes that were read now because `automation.auto_extract` is off.")


@strawberry.type
class SessionsQuery:
    """Queries for sessions, their last turns, and what became of their facts."""

    @field
    async def sessions(
        self, info: Info[Any, None], user_id: _UserId, first: FirstArgument = 50, after: AfterCursor = None
    ) -> Connection[SessionAnswer]:
        """Sessions of a user, latest first."""
        memory = memory_of(info)
        rows = await memory.sessions.page(info.context["tenant"], user_id, first=first, after=after)
        return Connection(**page_parts(rows, first, after, cursor=session_cursor, view=partial(view_of, SessionAnswer)))

    @field
    async def session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """A session and its state."""
        memory = memory_of(info)
        return view_of(SessionAnswer, await memory.sessions.one(info.context["tenant"], user_id, session_id))

    @field
    async def fact_events(
        self,
        info: Info[Any, None],
        user_id: _UserId,
        session_id: _SessionId,
        first: Annotated[int, argument("Maximum number, 1 to 1,000.")] = 100,
    ) -> list[FactEventView]:
        """The outcomes of the extracted facts of a session, latest scene first."""
        memory = memory_of(info)
        events = await memory.fact_events(info.context["tenant"], user_id, session_id, first=first)
        return [view_of(FactEventView, one) for one in events]

    @field
    async def short_term(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        session_id: Annotated[str, argument("The session's id.")],
        turns: Annotated[int, argument("Maximum number of turns, 1 to 200.")] = 20,
    ) -> ShortTerm:
        """The last turns of a session, from Redis or memory, completed from the database."""
        memory = memory_of(info)
        recent = await memory.short_term(info.context["tenant"], user_id, session_id, turns=turns)
        return view_of(ShortTerm, recent, turns=[view_of(TurnView, one, message_id=one.id) for one in recent.turns])


@strawberry.type
class SessionsMutation:
    """Index and close sessions."""

    @mutation
    async def close_session(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionAnswer:
        """Close a session: compute missing vectors, then extract all pending messages. Idempotent."""
        memory = memory_of(info)
        return view_of(SessionAnswer, await memory.sessions.close(info.context["tenant"], user_id, session_id))

    @mutation
    async def index_memories(self, info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> IndexResult:
        """Index a session now: extract pending messages, also if automatic extraction is off, update its layers, and
        compute missing vectors. Idempotent.
        """
        memory = memory_of(info)
        report = await memory.sessions.index(info.context["tenant"], user_id, session_id)
        return view_of(IndexResult, report)
