"""GraphQL: background jobs, the spool, use of models, quarantine, export and import."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry

from graph_service.api.graphql.fields import (
    AfterCursor,
    Call,
    Connection,
    FirstArgument,
    UserId,
    about,
    argument,
    expose,
    field,
    mutation,
    output,
    page_of,
    view_of,
)
from graph_service.api.secret_filter import UNFILTERED_KEY
from graph_service.auth.quarantine import Quarantine, QuarantineMode, QuarantineState
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.consolidation.readers import DayUsage, UsageReport
from graph_service.memory.export_import.importer import ImportResult
from graph_service.memory.export_import.service import ExportFormat, ExportText
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus
from graph_service.memory.jobs.outbox import DeadLetter, JobKind, letter_cursor
from graph_service.memory.mindmap.graph_queries import Row, job_cursor
from graph_service.memory.repair.checks import Problem
from schema.errors import UnavailableError
from schema.message import Message

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


expose(
    Message,
    "SpooledMessage",
    "id uri role speaker text said_at",
    texts={"": "A message on disk.", "speaker": None, "said_at": None},
    types={"role": str},
)
expose(
    SpoolEntry,
    "SpooledEpisode",
    "number state user_id session_id received_at error messages",
    inside="episode",
    texts={"received_at": None},
)
expose(SpoolStatus, "Spool", "waiting refused paused episodes", inside="depth")

GraphFormat = strawberry.enum(
    ExportFormat,
    name="GraphFormat",
    description="JSONL is complete and can be imported; GRAPHML contains the mind map, for other programs.",
)


expose(ExportText, "GraphExport", "text nodes edges bytes sha256", inside="result", types={"bytes": float})


@strawberry.enum(description="The state of a job.")
class JobState(Enum):
    """The state of a job."""

    OPEN = "open"
    LEASED = "leased"
    DEAD = "dead"


@output()
class Job:
    """An unfinished background job."""

    id: strawberry.ID = about("Its id, for cancelJobs.")
    kind: JobKind = about("What it does.")
    state: JobState = about("Its state.")
    user_id: str | None = about("The user's id.")
    session_id: str | None = about("The session's id.")
    attempts: int = about("Number of failed attempts.")
    due_at: datetime = about("When it is tried next.")
    error: str | None = about("Error of the last attempt.")


@field
async def jobs(
    info: Call,
    state: Annotated[JobState | None, argument("Only jobs in this state.")] = None,
    first: FirstArgument = 50,
    after: AfterCursor = None,
) -> Connection[Job]:
    """Unfinished background jobs, next due first, dead letters last."""
    rows = await info.memory.reads.jobs(info.tenant, state.value if state else None, first=first, after=after)
    return page_of(rows, first, after, cursor=job_cursor, view=_job)


@field
async def spool(info: Call) -> SpoolStatus:
    """Messages on the service's disk that wait for Neo4j; works while Neo4j is unavailable."""
    return await info.memory.spool.status(info.tenant)


@field
async def usage(info: Call, days: Annotated[int, argument("Number of days, 1 to 366.")] = 30) -> UsageReport:
    """The tenant's token usage per day."""
    return await info.memory.usage(info.tenant, days=days)


@field
async def dead_letters(info: Call, first: FirstArgument = 100, after: AfterCursor = None) -> Connection[DeadLetter]:
    """Jobs that failed too often, latest first."""
    check_limit(first, name="first")
    letters = await info.memory.dead_letters.listed(info.tenant, limit=first + 1, after=after)
    return page_of(letters, first, after, cursor=letter_cursor)


@field
async def quarantine(info: Call) -> QuarantineState | None:
    """The quarantine of the tenant; null if there is none. Requires admin."""
    return _quarantine(info).of(info.tenant)


@mutation
async def pause_spool(info: Call, paused: Annotated[bool, argument("False resumes.")] = True) -> SpoolStatus:
    """Pause or resume writing the spool to Neo4j."""
    await info.memory.spool.pause(paused)
    return await info.memory.spool.status(info.tenant)


@mutation
async def retry_spooled(info: Call, number: NumberArgument) -> SpoolStatus:
    """Retry a refused call of remember."""
    await info.memory.spool.retry(info.tenant, number)
    return await info.memory.spool.status(info.tenant)


@mutation
async def drop_spooled(info: Call, number: NumberArgument) -> SpoolStatus:
    """Delete a refused call of remember with its messages."""
    await info.memory.spool.drop(info.tenant, number)
    return await info.memory.spool.status(info.tenant)


@mutation
async def reextract_scenes(
    info: Call, user_id: UserId, scenes: Annotated[int, argument("Maximum number of scenes, 1 to 1,000.")] = 100
) -> int:
    """Re-extract with the model scenes that were extracted by rules because the budget was spent, oldest first, in
    the background; returns their number.
    """
    return await info.memory.reextract_scenes(info.tenant, user_id, scenes=scenes)


@mutation
async def retry_dead_letters(info: Call, ids: RetriedArgument = None) -> int:
    """Retry dead letters; returns their number."""
    return await info.memory.retry_jobs(info.tenant, ids)


@mutation
async def retry_dead_letter(info: Call, id: Annotated[strawberry.ID, argument("The dead letter's id.")]) -> bool:
    """Retry one dead letter."""
    return await info.memory.retry_jobs(info.tenant, [id]) == 1


@mutation
async def sync(
    info: Call, dry_run: Annotated[bool, argument("Report problems without repairing them.")] = False
) -> SyncResult:
    """Check texts, vectors, scenes, facts and jobs of the tenant for consistency, and repair them."""
    report = await info.memory.sync(info.tenant, dry_run=dry_run)
    found = [ProblemCount(problem=problem, count=count) for problem, count in sorted(report.found.items())]
    return view_of(SyncResult, report, found=found)


@mutation
async def cancel_jobs(info: Call, ids: IdsArgument) -> int:
    """Cancel jobs, including running ones; returns their number. Messages stay."""
    return await info.memory.dead_letters.cancel(info.tenant, ids)


@mutation
async def begin_quarantine(
    info: Call,
    mode: Annotated[QuarantineMode, argument("Which requests are refused.")],
    reason: Annotated[str, argument("Why, as free text.")],
) -> QuarantineState:
    """Put the tenant into quarantine: requests are refused with QUARANTINED, and its background jobs wait; or pause
    only its embedding. Nothing is deleted. Requires admin of every tenant.
    """
    return await _quarantine(info).begin(info.tenant, mode, reason)


@mutation
async def end_quarantine(info: Call) -> bool:
    """End the quarantine of the tenant; false if there was none. Requires admin of every tenant."""
    return await _quarantine(info).end(info.tenant)


@mutation
async def export_graph(
    info: Call,
    format: Annotated[ExportFormat, argument("The file format.")] = ExportFormat.JSONL,
    vectors: Annotated[bool, argument("Include vectors; otherwise the import computes them.")] = False,
) -> ExportText:
    """Export the tenant's memory, at most 16 MB; `mnemoscene export` has no such limit. Requires admin."""
    # An import restores exactly what was exported, so nothing in it is hidden.
    request = info.context.get("request")
    if request is not None:
        request.scope[UNFILTERED_KEY] = True
    return await info.memory.transfer.export_text(info.tenant, format, vectors=vectors)


@mutation
async def import_graph(info: Call, text: Annotated[str, argument("The text from exportGraph.")]) -> ImportResult:
    """Import a JSONL export into the tenant, which must be empty; nothing is written if it is invalid. Requires
    admin.
    """
    return await info.memory.transfer.import_text(info.tenant, text)


def _quarantine(info: Call) -> Quarantine:
    found = None if info.auth is None else info.auth.quarantine
    if found is None:
        raise UnavailableError("this server has no quarantine; connect to a running service")
    return found


def _job(row: Row) -> Job:
    names = ("id", "kind", "state", "user_id", "session_id", "attempts", "error")
    return Job(due_at=row["due"], **{name: row[name] for name in names})
