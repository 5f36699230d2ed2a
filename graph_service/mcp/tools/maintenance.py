"""The tools that tell texts by URI, list sessions, and look after a memory: layers, index, end of a session, status."""

from datetime import datetime

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.summaries.service import Level
from schema.errors import InputError, UnavailableError
from schema.session import CloseReason, SessionState, SessionView


class ReadMemoryArguments(Arguments):
    """What `read_memory` takes."""

    uri: str = Field(description="Of a scene, session or message, as recall and list_sessions tell it.")
    level: Level | None = Field(
        None, description="L0: 100 tokens; L1: overview, the default; L2: word for word, at most 1,000 messages."
    )
    after: str | None = Field(None, description="`after` of the L2 text before: what was said behind it.")


class LayerAnswer(Result):
    """One text of one memory."""

    uri: str
    level: Level
    title: str | None = None
    text: str
    made_by: str = Field(description="`extractive`, `caller`, a model's name, or `said`.")
    tokens: int
    after: str | None = Field(None, description="Only where L2 was cut: hand it in as `after`.")


class ListSessionsArguments(Arguments):
    """What `list_sessions` takes."""

    user_id: UserId = None
    limit: int = Field(20, description="At most so many, 1 to 100.")


class SessionAnswer(Result):
    """One conversation and where it stands."""

    session_id: str
    uri: str
    state: SessionState
    opened_at: datetime
    last_at: datetime
    closed_at: datetime | None = None
    why: CloseReason | None = Field(None, description="Who asked for its end.")
    messages: int
    scenes: int
    unread: int = Field(0, description="Messages that no scene holds yet.")
    problem: str | None = None


class SessionsAnswer(Result):
    """Conversations, the latest first."""

    sessions: list[SessionAnswer]


class GenerateLayersArguments(Arguments):
    """What `generate_layers` takes."""

    user_id: UserId = None
    session_id: str | None = Field(None, description="Only this session; all of the user if left out.")
    all_users: bool = Field(False, description="The sessions of every user.")


class LayersAnswer(Result):
    """Of how many sessions texts were made."""

    sessions: int
    made: int
    kept: int = Field(description="Nothing had changed in them.")
    failed: int = Field(description="Ask again later.")


class IndexMemoriesArguments(Arguments):
    """What `index_memories` takes."""

    dry_run: bool = Field(False, description="Look only, mend nothing.")


class IndexAnswer(Result):
    """What was looked at and mended."""

    total: int
    indexed: int = Field(description="Mended, or being mended in the background.")
    skipped: int = Field(description="As they should be.")
    errors: int
    found: dict[str, int] = Field({}, description="Problems by kind.")


class CloseSessionArguments(Arguments):
    """What `close_session` takes."""

    session_id: str = Field(description="Your id of the conversation.")
    user_id: UserId = None


class StatusArguments(Arguments):
    """What `status` takes: nothing."""


class StatusAnswer(Result):
    """Whether the memory works, and what is still being read."""

    database: str = Field(description="`up`, or `away`: then messages are kept on disk and answers are degraded.")
    waiting: int = Field(description="Pieces of work to do: facts of the latest messages may be missing still.")
    in_work: int = 0
    given_up: int = Field(0, description="Failed too often; an operator can retry them.")
    spooled: int = Field(0, description="Calls of remember that wait on disk.")
    tenant: str
    user_id: str | None = Field(None, description="Whose memory is meant when a call does not say it.")
    reader: str = Field(description="Who reads facts: `rules`, or a model.")
    embedder: str = Field(description="Who makes vectors; `none`: searched by words only.")
    embedder_problem: str | None = None
    version: str


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
        raise InputError("all_users goes with neither user_id nor session_id; leave one of them out")
    user_id = None if given.all_users else caller.user_of(given.user_id)
    report = await context.memory.layers.generate(caller.tenant, user_id=user_id, session_id=given.session_id)
    return LayersAnswer.model_validate(report, from_attributes=True)


async def _index_memories(context: ToolContext, caller: Caller, given: IndexMemoriesArguments) -> IndexAnswer:
    report = await context.memory.sync(caller.tenant, dry_run=given.dry_run)
    found = {problem.value: count for problem, count in sorted(report.found.items()) if count}
    return IndexAnswer(
        total=report.total, indexed=report.indexed, skipped=report.skipped, errors=report.errors, found=found
    )


async def status_answer(context: ToolContext, caller: Caller) -> StatusAnswer:
    """Return how the memory of a caller's tenant does; answers while the database is away, too."""
    about, depth = context.about, await context.memory.spool_admin.depth(caller.tenant)
    said = StatusAnswer(
        database="away",
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
        work = await context.memory.backlog(caller.tenant)
    except UnavailableError:
        return said
    counts = {"waiting": work.waiting, "in_work": work.leased, "given_up": work.dead}
    return said.model_copy(update={"database": "up", **counts})


async def _status(context: ToolContext, caller: Caller, given: StatusArguments) -> StatusAnswer:
    return await status_answer(context, caller)


READ_MEMORY = Tool(
    name="read_memory",
    title="Read a scene, session or message",
    description=(
        "The text behind a URI: a scene, session or message in about 100 tokens (L0), as an overview (L1) or word for"
        " word (L2). A missing text is made first. Start with L0 or L1; read L2 only when you need the exact words."
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
    description="A user's conversations, the latest first, with where they stand and their URIs for read_memory.",
    arguments=ListSessionsArguments,
    answer=SessionsAnswer,
    effect=Effect.READS,
    act=_list_sessions,
)
GENERATE_LAYERS = Tool(
    name="generate_layers",
    title="Bring summaries up to date",
    description=(
        "Make the missing abstracts (L0) and overviews (L1) of a session, or of all sessions of a user. What did not"
        " change costs nothing. Rarely needed: they are made in the background and whenever they are read."
    ),
    arguments=GenerateLayersArguments,
    answer=LayersAnswer,
    effect=Effect.REPAIRS,
    act=_generate_layers,
)
INDEX_MEMORIES = Tool(
    name="index_memories",
    title="Check and repair the index",
    description=(
        "Compare all texts, vectors, scenes, facts and work of this memory and mend what does not fit together."
        " Rarely needed: messages are indexed when they come in. Use it when search seems to miss what was said."
    ),
    arguments=IndexMemoriesArguments,
    answer=IndexAnswer,
    effect=Effect.REPAIRS,
    act=_index_memories,
    administers=lambda _given: True,
)
CLOSE_SESSION = Tool(
    name="close_session",
    title="End a conversation",
    description=(
        "Say that a conversation is over, so that everything in it is read and summed up now instead of after half an"
        " hour of silence. A new message opens it again. Asking twice changes nothing."
    ),
    arguments=CloseSessionArguments,
    answer=SessionAnswer,
    effect=Effect.REPAIRS,
    act=_close_session,
)
STATUS = Tool(
    name="status",
    title="State of the memory",
    description="Whether the memory works, and what is still being read. Call it when something seems wrong.",
    arguments=StatusArguments,
    answer=StatusAnswer,
    effect=Effect.READS,
    act=_status,
)
