"""Tools to read texts by URI, list and close sessions, and maintain a memory: layers, index, status."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Result, ToolContext, about, tool
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.summaries.service import LayerText, Level, SummariesReport
from schema.errors import InputError, UnavailableError
from schema.session import CloseReason, SessionState

_EVENTS_MAX: Final = 100


class SessionAnswer(Result):
    """A session and its state."""

    session_id: str
    uri: str
    state: SessionState
    opened_at: datetime
    last_at: datetime
    closed_at: datetime | None = None
    close_reason: Annotated[CloseReason | None, about("Why it was closed.")] = None
    messages: int
    scenes: int
    unread: Annotated[int, about("Number of messages without a scene.")] = 0
    problem: str | None = None


class SessionsAnswer(Result):
    """Sessions, latest first."""

    sessions: list[SessionAnswer]


class IndexAnswer(Result):
    """Counts of checked and repaired elements."""

    total: int
    indexed: Annotated[int, about("Repaired, or being repaired in the background.")]
    skipped: Annotated[int, about("Without problems.")]
    errors: int
    found: Annotated[dict[str, int], about("Problems by kind.")] = Field({})


class FactEventAnswer(Result):
    """The result of reconciling one fact."""

    kind: Annotated[
        FactEventKind, about("add, update (it ended `known_id`), merge or ignore (`known_id` says the same).")
    ]
    reason: str
    fact_id: str | None = None
    known_id: str | None = None
    message_ids: Annotated[list[str], about("Its evidence messages.")] = Field([])


class StatusAnswer(Result):
    """The status of the memory."""

    database: Annotated[str, about("`up`, or `down`: messages are then stored on disk, and answers are degraded.")]
    waiting: Annotated[int, about("Number of waiting jobs; facts of the latest messages may still be missing.")]
    leased: Annotated[int, about("Jobs in progress.")] = 0
    dead: Annotated[int, about("Jobs that failed too often; an operator can retry them.")] = 0
    spooled: Annotated[int, about("Calls of remember that wait on disk.")] = 0
    tenant: str
    user_id: Annotated[str | None, about("The default user.")] = None
    reader: Annotated[str, about("What extracts facts: `rules`, or a model's name.")]
    embedder: Annotated[str, about("The embedding model; `none`: keyword search only.")]
    embedder_problem: str | None = None
    version: str
    events: Annotated[list[FactEventAnswer], about("Results for the facts of `session_id`, latest first.")] = Field([])


@tool(Effect.READS, "Read a scene, session, message or user", prose=lambda answer: answer.text)
async def read_memory(
    context: ToolContext,
    caller: Caller,
    uri: Annotated[str, about("URI from recall or list_sessions, or `memory://TENANT/user/ID`.")],
    level: Annotated[Level | None, about("Default: L1. L2 has at most 1,000 messages.")] = None,
    after: Annotated[str | None, about("`next_cursor` of the previous L2 text, to continue.")] = None,
) -> LayerText:
    """Return the text of a scene, session, message or user by URI: abstract of about 100 tokens (L0), overview (L1) or
    full text (L2). Prefer L0 or L1.
    """
    return await context.memory.layers.layer(caller.tenant, uri, level, after=after)


@tool(Effect.READS, "List conversations")
async def list_sessions(
    context: ToolContext,
    caller: Caller,
    user_id: UserId = None,
    limit: Annotated[int, about("Maximum number, 1 to 100.")] = 20,
) -> SessionsAnswer:
    """List a user's conversations, latest first, with their state and their URIs for read_memory."""
    found = await context.memory.sessions.latest(caller.tenant, caller.user_of(user_id), limit=limit)
    return SessionsAnswer(sessions=[SessionAnswer.of(view) for view in found])


@tool(Effect.REPAIRS, "End a conversation")
async def close_session(context: ToolContext, caller: Caller, session_id: str, user_id: UserId = None) -> SessionAnswer:
    """Close a conversation, so that it is extracted and summarized now instead of after half an hour of silence."""
    return SessionAnswer.of(await context.memory.sessions.close(caller.tenant, caller.user_of(user_id), session_id))


@tool(Effect.REPAIRS, "Bring summaries up to date")
async def generate_layers(
    context: ToolContext,
    caller: Caller,
    user_id: UserId = None,
    session_id: Annotated[str | None, about("Default: all of the user.")] = None,
    all_users: bool = False,
) -> SummariesReport:
    """Create missing abstracts (L0) and overviews (L1) of a session, or of all of a user. Rarely needed: they are
    created in the background.
    """
    if all_users and (user_id or session_id):
        raise InputError("all_users cannot be combined with user_id or session_id; omit one of them")
    user_id = None if all_users else caller.user_of(user_id)
    return await context.memory.layers.generate(caller.tenant, user_id=user_id, session_id=session_id)


@tool(Effect.REPAIRS, "Check and repair the index", administers=lambda given: given.session_id is None)
async def index_memories(
    context: ToolContext,
    caller: Caller,
    session_id: Annotated[str | None, about("Only this conversation.")] = None,
    user_id: UserId = None,
    dry_run: bool = False,
) -> IndexAnswer:
    """Check and repair this memory, or index one conversation. Use it when search misses messages."""
    if session_id is None:
        report = await context.memory.sync(caller.tenant, dry_run=dry_run)
        found = {problem.value: count for problem, count in sorted(report.found.items()) if count}
        return IndexAnswer.of(report, found=found)
    if dry_run:
        raise InputError("dry_run cannot be combined with session_id; omit one of them")
    done = await context.memory.sessions.index(caller.tenant, caller.user_of(user_id), session_id)
    found = {"deferred_scenes": done.deferred_scenes} if done.deferred_scenes else {}
    return IndexAnswer(total=done.messages, indexed=done.indexed, skipped=done.skipped, errors=done.failed, found=found)


async def status_answer(context: ToolContext, caller: Caller) -> StatusAnswer:
    """Return the status of the caller's memory; works while the database is unavailable."""
    depth = await context.memory.spool.depth(caller.tenant)
    try:
        backlog = await context.memory.backlog(caller.tenant)
        counts = {"database": "up", "waiting": backlog.waiting, "leased": backlog.leased, "dead": backlog.dead}
    except UnavailableError:
        counts = {"database": "down", "waiting": 0}
    known = {"tenant": caller.tenant, "user_id": caller.user_id, "spooled": depth.waiting}
    return StatusAnswer.model_validate({**asdict(context.about), **known, **counts})


@tool(Effect.READS, "State of the memory")
async def status(
    context: ToolContext,
    caller: Caller,
    session_id: Annotated[str | None, about("Also report on the facts of this conversation.")] = None,
    user_id: UserId = None,
) -> StatusAnswer:
    """Report whether the memory works, and what is pending."""
    answer = await status_answer(context, caller)
    if session_id is None or answer.database != "up":
        return answer
    found = await context.memory.fact_events(caller.tenant, caller.user_of(user_id), session_id, first=_EVENTS_MAX)
    events = [FactEventAnswer.of(one) for one in found]
    return answer.model_copy(update={"events": events})
