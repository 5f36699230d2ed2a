"""GraphQL: sessions, their state and closing, and their last turns."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, expose, field, mutation, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.facts.fact_events import StoredFactEvent
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.sessions.lifecycle import IndexReport, session_cursor
from graph_service.memory.sessions.short_term_window import Source
from schema.labels import Role
from schema.session import CloseReason, SessionState, SessionView

strawberry.enum(Source, name="TurnSource", description="Where turns of the short-term window come from.")
strawberry.enum(SessionState, name="SessionState", description="The state of a session.")
strawberry.enum(CloseReason, name="SessionCloseReason", description="Why a session was closed.")
strawberry.enum(FactEventKind, name="FactEventKind", description="What became of a fact.")
expose(SessionView, "Session")
expose(StoredFactEvent, "FactEvent")
expose(IndexReport, "IndexResult")

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


@field
async def sessions(
    info: Info[Any, None], user_id: _UserId, first: FirstArgument = 50, after: AfterCursor = None
) -> Connection[SessionView]:
    """Sessions of a user, latest first."""
    memory = memory_of(info)
    rows = await memory.sessions.page(info.context["tenant"], user_id, first=first, after=after)
    return Connection(**page_parts(rows, first, after, cursor=session_cursor))


@field
async def session(info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionView:
    """A session and its state."""
    memory = memory_of(info)
    return await memory.sessions.one(info.context["tenant"], user_id, session_id)


@field
async def fact_events(
    info: Info[Any, None],
    user_id: _UserId,
    session_id: _SessionId,
    first: Annotated[int, argument("Maximum number, 1 to 1,000.")] = 100,
) -> list[StoredFactEvent]:
    """The outcomes of the extracted facts of a session, latest scene first."""
    return await memory_of(info).fact_events(info.context["tenant"], user_id, session_id, first=first)


@field
async def short_term(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    session_id: Annotated[str, argument("The session's id.")],
    turns: Annotated[int, argument("Maximum number of turns, 1 to 200.")] = 20,
) -> ShortTerm:
    """The last turns of a session, from Redis or memory, completed from the database."""
    memory = memory_of(info)
    recent = await memory.short_term(info.context["tenant"], user_id, session_id, turns=turns)
    return view_of(ShortTerm, recent, turns=[view_of(TurnView, one, message_id=one.id) for one in recent.turns])


@mutation
async def close_session(info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> SessionView:
    """Close a session: compute missing vectors, then extract all pending messages. Idempotent."""
    memory = memory_of(info)
    return await memory.sessions.close(info.context["tenant"], user_id, session_id)


@mutation
async def index_memories(info: Info[Any, None], user_id: _UserId, session_id: _SessionId) -> IndexReport:
    """Index a session now: extract pending messages, also if automatic extraction is off, update its layers, and
    compute missing vectors. Idempotent.
    """
    return await memory_of(info).sessions.index(info.context["tenant"], user_id, session_id)
