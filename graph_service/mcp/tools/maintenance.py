"""Tools to read texts by URI, list and close sessions, and maintain a memory: layers, index, status."""

from datetime import datetime
from typing import Final

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.summaries.service import Level
from schema.errors import InputError, UnavailableError
from schema.session import CloseReason, SessionState, SessionView

_EVENTS_MAX: Final = 100


class ReadMemoryArguments(Arguments):
    """Arguments of `read_memory`."""

    uri: str = Field(description="URI from recall or list_sessions, or `memory://TENANT/user/ID`.")
    level: Level | None = Field(None, description="Default: L1. L2 has at most 1,000 messages.")
    after: str | None = Field(None, description="`next_cursor` of the previous L2 text, to continue.")


class LayerAnswer(Result):
    """A text at one level of detail."""

    uri: str
    level: Level
    title: str | None = None
    text: str
    generated_by: str = Field(description="`extractive`, `caller`, a model's name, or `said`.")
    tokens: int
    next_cursor: str | None = Field(None, description="If L2 is incomplete: pass it as `after`.")
    start: datetime | None = Field(None, description="When the scene began, or the message was said.")
    end: datetime | None = Field(None, description="When the scene ended.")
    mentioned_start: datetime | None = Field(None, description="Start of the time that it is about, if it names one.")
    mentioned_end: datetime | None = None
    zone: str | None = None
    emotion: str | None = None
    participants: list[str] = Field([], description="Of a scene: who spoke or took part.")


class ListSessionsArguments(Arguments):
    """Arguments of `list_sessions`."""

    user_id: UserId = None
    limit: int = Field(20, description="Maximum number, 1 to 100.")


class SessionAnswer(Result):
    """A session and its state."""

    session_id: str
    uri: str
    state: SessionState
    opened_at: datetime
    last_at: datetime
    closed_at: datetime | None = None
    close_reason: CloseReason | None = Field(None, description="Why it was closed.")
    messages: int
    scenes: int
    unread: int = Field(0, description="Number of messages without a scene.")
    problem: str | None = None


class SessionsAnswer(Result):
    """Sessions, latest first."""

    sessions: list[SessionAnswer]


class GenerateLayersArguments(Arguments):
    """Arguments of `generate_layers`."""

    user_id: UserId = None
    session_id: str | None = Field(None, description="Default: all of the user.")
    all_users: bool = False


class LayersAnswer(Result):
    """Counts of sessions by outcome."""

    sessions: int
    created: int
    unchanged: int = Field(description="Sessions without changes.")
    failed: int = Field(description="Try again later.")


class IndexMemoriesArguments(Arguments):
    """Arguments of `index_memories`."""

    session_id: str | None = Field(None, description="Only this conversation.")
    user_id: UserId = None
    dry_run: bool = False


class IndexAnswer(Result):
    """Counts of checked and repaired elements."""

    total: int
    indexed: int = Field(description="Repaired, or being repaired in the background.")
    skipped: int = Field(description="Without problems.")
    errors: int
    found: dict[str, int] = Field({}, description="Problems by kind.")


class CloseSessionArguments(Arguments):
    """Arguments of `close_session`."""

    session_id: str
    user_id: UserId = None


class StatusArguments(Arguments):
    """Arguments of `status`."""

    session_id: str | None = Field(None, description="Also report on the facts of this conversation.")
    user_id: UserId = None


class FactEventAnswer(Result):
    """The result of reconciling one fact."""

    kind: FactEventKind = Field(
        description="add, update (it ended `known_id`), merge or ignore (`known_id` says the same)."
    )
    reason: str
    fact_id: str | None = None
    known_id: str | None = None
    message_ids: list[str] = Field([], description="Its evidence messages.")


class StatusAnswer(Result):
    """The status of the memory."""

    database: str = Field(description="`up`, or `down`: messages are then stored on disk, and answers are degraded.")
    waiting: int = Field(description="Number of waiting jobs; facts of the latest messages may still be missing.")
    leased: int = Field(0, description="Jobs in progress.")
    dead: int = Field(0, description="Jobs that failed too often; an operator can retry them.")
    spooled: int = Field(0, description="Calls of remember that wait on disk.")
    tenant: str
    user_id: str | None = Field(None, description="The default user.")
    reader: str = Field(description="What extracts facts: `rules`, or a model's name.")
    embedder: str = Field(description="The embedding model; `none`: keyword search only.")
    embedder_problem: str | None = None
    version: str
    events: list[FactEventAnswer] = Field([], description="What became of the facts of `session_id`, latest first.")


async def _read_memory(context: ToolContext, caller: Caller, given: ReadMemoryArguments) -> LayerAnswer:
    found = await context.memory.layers.layer(caller.tenant, given.uri, given.level, after=given.after)
    return LayerAnswer.model_validate(found, from_attributes=True)


async def _list_sessions(context: ToolContext, caller: Caller, given: ListSessionsArguments) -> SessionsAnswer:
    found = await context.memory.sessions.latest(caller.tenant, caller.user_of(given.user_id), limit=given.limit)
    return SessionsAnswer(sessions=[_session(view) for view in found])


async def _close_session(context: ToolContext, caller: Caller, given: CloseSessionArguments) -> SessionAnswer:
    return _session(await context.memory.sessions.close(caller.tenant, caller.user_of(given.user_id), given.session_id))


def _session(view: SessionView) -> SessionAnswer:
    return SessionAnswer.model_validate(view, from_attributes=True)


async def _generate_layers(context: ToolContext, caller: Caller, given: GenerateLayersArguments) -> LayersAnswer:
    if given.all_users and (given.user_id or given.session_id):
        raise InputError("all_users cannot be combined with user_id or session_id; omit one of them")
    user_id = None if given.all_users else caller.user_of(given.user_id)
    report = await context.memory.layers.generate(caller.tenant, user_id=user_id, session_id=given.session_id)
    return LayersAnswer.model_validate(report, from_attributes=True)


async def _index_memories(context: ToolContext, caller: Caller, given: IndexMemoriesArguments) -> IndexAnswer:
    if given.session_id is not None:
        return await _index_session(context, caller, given, given.session_id)
    report = await context.memory.sync(caller.tenant, dry_run=given.dry_run)
    found = {problem.value: count for problem, count in sorted(report.found.items()) if count}
    return IndexAnswer(
        total=report.total, indexed=report.indexed, skipped=report.skipped, errors=report.errors, found=found
    )


async def _index_session(
    context: ToolContext, caller: Caller, given: IndexMemoriesArguments, session_id: str
) -> IndexAnswer:
    if given.dry_run:
        raise InputError("dry_run cannot be combined with session_id; omit one of them")
    done = await context.memory.sessions.index(caller.tenant, caller.user_of(given.user_id), session_id)
    found = {"deferred_scenes": done.deferred_scenes} if done.deferred_scenes else {}
    return IndexAnswer(total=done.messages, indexed=done.indexed, skipped=done.skipped, errors=done.failed, found=found)


async def status_answer(context: ToolContext, caller: Caller) -> StatusAnswer:
    """Return the status of the caller's memory; works while the database is unavailable."""
    about, depth = context.about, await context.memory.spool_admin.depth(caller.tenant)
    answer = StatusAnswer(
        database="down",
        waiting=0,
        spooled=depth.waiting,
        tenant=caller.tenant,
        user_id=caller.user_id,
        reader=about.reader,
        embedder=about.embedder,
        embedder_problem=about.embedder_problem,
        version=about.version,
    )
    try:
        backlog = await context.memory.backlog(caller.tenant)
    except UnavailableError:
        return answer
    counts = {"waiting": backlog.waiting, "leased": backlog.leased, "dead": backlog.dead}
    return answer.model_copy(update={"database": "up", **counts})


async def _status(context: ToolContext, caller: Caller, given: StatusArguments) -> StatusAnswer:
    answer = await status_answer(context, caller)
    if given.session_id is None or answer.database != "up":
        return answer
    user_id = caller.user_of(given.user_id)
    found = await context.memory.fact_events(caller.tenant, user_id, given.session_id, first=_EVENTS_MAX)
    events = [FactEventAnswer.model_validate(one, from_attributes=True) for one in found]
    return answer.model_copy(update={"events": events})


READ_MEMORY = Tool(
    name="read_memory",
    title="Read a scene, session, message or user",
    description=(
        "Return the text of a scene, session, message or user by URI: abstract of about 100 tokens (L0), overview (L1)"
        " or full text (L2). Prefer L0 or L1."
    ),
    arguments=ReadMemoryArguments,
    answer=LayerAnswer,
    effect=Effect.READS,
    act=_read_memory,
    prose=lambda answer: answer.text,
)
LIST_SESSIONS = Tool(
    name="list_sessions",
    title="List conversations",
    description="List a user's conversations, latest first, with their state and their URIs for read_memory.",
    arguments=ListSessionsArguments,
    answer=SessionsAnswer,
    effect=Effect.READS,
    act=_list_sessions,
)
GENERATE_LAYERS = Tool(
    name="generate_layers",
    title="Bring summaries up to date",
    description=(
        "Create missing abstracts (L0) and overviews (L1) of a session, or of all of a user. Rarely needed: they are"
        " created in the background."
    ),
    arguments=GenerateLayersArguments,
    answer=LayersAnswer,
    effect=Effect.REPAIRS,
    act=_generate_layers,
)
INDEX_MEMORIES = Tool(
    name="index_memories",
    title="Check and repair the index",
    description=("Check and repair this memory, or index one conversation. Use it when search misses messages."),
    arguments=IndexMemoriesArguments,
    answer=IndexAnswer,
    effect=Effect.REPAIRS,
    act=_index_memories,
    administers=lambda given: given.session_id is None,
)
CLOSE_SESSION = Tool(
    name="close_session",
    title="End a conversation",
    description=(
        "Close a conversation, so that it is extracted and summarized now instead of after half an hour of silence."
    ),
    arguments=CloseSessionArguments,
    answer=SessionAnswer,
    effect=Effect.REPAIRS,
    act=_close_session,
)
STATUS = Tool(
    name="status",
    title="State of the memory",
    description=("Report whether the memory works, and what is pending."),
    arguments=StatusArguments,
    answer=StatusAnswer,
    effect=Effect.READS,
    act=_status,
)
