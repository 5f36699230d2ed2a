"""GraphQL: background jobs, the spool, use of models, quarantine, export and import."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, expose, field, mutation, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.api.secret_filter import UNFILTERED_KEY
from graph_service.auth.quarantine import Quarantine, QuarantineMode, QuarantineState
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.consolidation.token_budget import DayUsage, UsageReport
from graph_service.memory.export_import.importer import ImportResult
from graph_service.memory.export_import.service import ExportFormat
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus
from graph_service.memory.jobs.dead_letters import DeadLetter, letter_cursor
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.repair.checks import Problem
from graph_service.memory.repair.repair import SyncReport
from schema.errors import UnavailableError

strawberry.enum(JobKind, name="JobKind", description="Kind of a background job.")
strawberry.enum(Problem, name="SyncProblem", description="A kind of inconsistency that `sync` finds.")
strawberry.enum(SpoolState, name="SpoolState", description="The state of a spooled call of remember.")
strawberry.enum(
    QuarantineMode,
    name="QuarantineMode",
    description="READ_ONLY: writes are refused; CLOSED: reads and writes are refused; EMBEDDING: no request is "
    "refused, only the computation of vectors waits.",
)
expose(DeadLetter, ids=("id",))
expose(DayUsage)
expose(UsageReport, "Usage")
expose(QuarantineState, "Quarantine")
expose(ImportResult, "GraphImport")

IdsArgument = Annotated[list[strawberry.ID], argument("Ids of jobs.")]
RetriedArgument = Annotated[list[strawberry.ID] | None, argument("Ids of dead letters; all of the tenant if omitted.")]
NumberArgument = Annotated[int, argument("The number of a refused episode.")]


@output()
class ProblemCount:
    """Number of inconsistencies of one kind."""

    problem: Problem
    count: int


@output()
class SyncResult:
    """The result of a consistency check."""

    total: int = about("Number of checked messages, nodes and sessions.")
    indexed: int = about("Repaired problems; vectors and extraction follow in the background.")
    skipped: int = about("Elements without problems.")
    errors: int = about("Problems that could not be repaired.")
    found: list[ProblemCount]


@output()
class SpooledMessage:
    """A message on disk."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@output()
class SpooledEpisode:
    """A call of remember on disk."""

    number: int = about("Its sequence number, for retrySpooled and dropSpooled.")
    state: SpoolState
    user_id: str
    session_id: str
    received_at: datetime
    error: str | None = about("Why Neo4j refused it.")
    messages: list[SpooledMessage]


@output(name="Spool")
class SpoolView:
    """The tenant's spool."""

    waiting: int = about("Number of calls that wait for Neo4j.")
    refused: int = about("Number of calls that Neo4j refused; retry or drop them.")
    paused: bool = about("True if writing to Neo4j is paused, for all tenants.")
    episodes: list[SpooledEpisode] = about("The oldest 1,000, in order.")


GraphFormat = strawberry.enum(
    ExportFormat,
    name="GraphFormat",
    description="JSONL is complete and can be imported; GRAPHML contains the mind map, for other programs.",
)


@output()
class GraphExport:
    """An exported memory."""

    text: str = about("The content of the export.")
    nodes: int = about("Number of nodes.")
    edges: int = about("Number of edges and links.")
    bytes: float = about("Size in bytes.")
    sha256: str = about("SHA-256 of its lines; the last line of JSONL repeats it.")


@field
async def spool(info: Info[Any, None]) -> SpoolView:
    """Messages on the service's disk that wait for Neo4j; works while Neo4j is unavailable."""
    return await _spool_view(info)


@field
async def usage(info: Info[Any, None], days: Annotated[int, argument("Number of days, 1 to 366.")] = 30) -> UsageReport:
    """The tenant's token usage per day."""
    return await memory_of(info).usage(info.context["tenant"], days=days)


@field
async def dead_letters(
    info: Info[Any, None], first: FirstArgument = 100, after: AfterCursor = None
) -> Connection[DeadLetter]:
    """Jobs that failed too often, latest first."""
    check_limit(first)
    letters = await memory_of(info).dead_letters.listed(info.context["tenant"], limit=first + 1, after=after)
    return Connection(**page_parts(letters, first, after, cursor=letter_cursor))


@field
async def quarantine(info: Info[Any, None]) -> QuarantineState | None:
    """The quarantine of the tenant; null if there is none. Requires admin."""
    return _quarantine(info).of(info.context["tenant"])


@mutation
async def pause_spool(info: Info[Any, None], paused: Annotated[bool, argument("False resumes.")] = True) -> SpoolView:
    """Pause or resume writing the spool to Neo4j."""
    await memory_of(info).spool.pause(paused)
    return await _spool_view(info)


@mutation
async def retry_spooled(info: Info[Any, None], number: NumberArgument) -> SpoolView:
    """Retry a refused call of remember."""
    await memory_of(info).spool.retry(info.context["tenant"], number)
    return await _spool_view(info)


@mutation
async def drop_spooled(info: Info[Any, None], number: NumberArgument) -> SpoolView:
    """Delete a refused call of remember with its messages."""
    await memory_of(info).spool.drop(info.context["tenant"], number)
    return await _spool_view(info)


@mutation
async def reextract_scenes(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    scenes: Annotated[int, argument("Maximum number of scenes, 1 to 1,000.")] = 100,
) -> int:
    """Re-extract with the model scenes that were extracted by rules because the budget was spent, oldest first, in
    the background; returns their number.
    """
    memory = memory_of(info)
    return await memory.reextract_scenes(info.context["tenant"], user_id, scenes=scenes)


@mutation
async def retry_dead_letters(info: Info[Any, None], ids: RetriedArgument = None) -> int:
    """Retry dead letters; returns their number."""
    return await memory_of(info).retry_jobs(info.context["tenant"], ids)


@mutation
async def retry_dead_letter(
    info: Info[Any, None], id: Annotated[strawberry.ID, argument("The dead letter's id.")]
) -> bool:
    """Retry one dead letter."""
    return await memory_of(info).retry_jobs(info.context["tenant"], [id]) == 1


@mutation
async def sync(
    info: Info[Any, None],
    dry_run: Annotated[bool, argument("Report problems without repairing them.")] = False,
) -> SyncResult:
    """Check texts, vectors, scenes, facts and jobs of the tenant for consistency, and repair them."""
    return _result(await memory_of(info).sync(info.context["tenant"], dry_run=dry_run))


@mutation
async def cancel_jobs(info: Info[Any, None], ids: IdsArgument) -> int:
    """Cancel jobs, including running ones; returns their number. Messages stay."""
    return await memory_of(info).dead_letters.cancel(info.context["tenant"], ids)


@mutation
async def begin_quarantine(
    info: Info[Any, None],
    mode: Annotated[QuarantineMode, argument("Which requests are refused.")],
    reason: Annotated[str, argument("Why, as free text.")],
) -> QuarantineState:
    """Put the tenant into quarantine: requests are refused with QUARANTINED, and its background jobs wait; or pause
    only its embedding. Nothing is deleted. Requires admin of every tenant.
    """
    return await _quarantine(info).begin(info.context["tenant"], mode, reason)


@mutation
async def end_quarantine(info: Info[Any, None]) -> bool:
    """End the quarantine of the tenant; false if there was none. Requires admin of every tenant."""
    return await _quarantine(info).end(info.context["tenant"])


@mutation
async def export_graph(
    info: Info[Any, None],
    format: Annotated[ExportFormat, argument("The file format.")] = ExportFormat.JSONL,
    vectors: Annotated[bool, argument("Include vectors; otherwise the import computes them.")] = False,
) -> GraphExport:
    """Export the tenant's memory, at most 16 MB; `mnemoscene export` has no such limit. Requires admin."""
    # An import restores exactly what was exported, so nothing in it is hidden.
    request = info.context.get("request")
    if request is not None:
        request.scope[UNFILTERED_KEY] = True
    done = await memory_of(info).transfer.export_text(info.context["tenant"], format, vectors=vectors)
    return view_of(GraphExport, done.result, text=done.text, bytes=float(done.result.bytes))


@mutation
async def import_graph(
    info: Info[Any, None], text: Annotated[str, argument("The text from exportGraph.")]
) -> ImportResult:
    """Import a JSONL export into the tenant, which must be empty; nothing is written if it is invalid. Requires
    admin.
    """
    return await memory_of(info).transfer.import_text(info.context["tenant"], text)


def _result(report: SyncReport) -> SyncResult:
    found = [ProblemCount(problem=problem, count=count) for problem, count in sorted(report.found.items())]
    return view_of(SyncResult, report, found=found)


async def _spool_view(info: Info[Any, None]) -> SpoolView:
    status: SpoolStatus = await memory_of(info).spool.status(info.context["tenant"])
    return view_of(
        SpoolView, status.depth, paused=status.paused, episodes=[_episode_view(one) for one in status.episodes]
    )


def _episode_view(spooled: SpoolEntry) -> SpooledEpisode:
    messages = [view_of(SpooledMessage, one, role=one.role.value) for one in spooled.episode.messages]
    own = {"number": spooled.number, "state": spooled.state, "error": spooled.error}
    return view_of(SpooledEpisode, spooled.episode, messages=messages, **own)


def _quarantine(info: Info[Any, None]) -> Quarantine:
    auth = info.context.get("auth")
    found: Quarantine | None = None if auth is None else auth.quarantine
    if found is None:
        raise UnavailableError("this server has no quarantine; connect to a running service")
    return found
