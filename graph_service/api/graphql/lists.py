"""GraphQL: paged lists of scenes and jobs, and counts."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts
from graph_service.api.graphql.nodes import MemoryNode, node_answer
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.mindmap.graph_queries import Row, job_cursor


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


@output()
class MemoryStats:
    """Counts of the elements of a memory."""

    messages: int = about("Messages.")
    sessions: int = about("Sessions.")
    scenes: int = about("Scenes.")
    entities: int = about("Entities.")
    users: int = about("Users.")
    agents: int = about("Agents.")
    facts: int = about("Valid facts.")
    closed_facts: int = about("Facts that are no longer valid.")
    items: int = about("Items that have not expired, of the tenant and of users.")


@field
async def scenes(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    session_id: Annotated[str | None, argument("Only this session.")] = None,
    tags: Annotated[list[str] | None, argument("Only scenes with a message that has one of these tags.")] = None,
    first: FirstArgument = 20,
    after: AfterCursor = None,
) -> Connection[MemoryNode]:
    """The scenes of a user or session, latest first."""
    rows = await memory_of(info).reads.scenes(
        info.context["tenant"], user_id, session_id, first=first, after=after, tags=tags or ()
    )
    page = page_parts(rows, first, after, cursor=lambda row: row[1], view=lambda row: node_answer(row[0]))
    return Connection(**page)


@field
async def jobs(
    info: Info[Any, None],
    state: Annotated[JobState | None, argument("Only jobs in this state.")] = None,
    first: FirstArgument = 50,
    after: AfterCursor = None,
) -> Connection[Job]:
    """Unfinished background jobs, next due first, dead letters last."""
    reads = memory_of(info).reads
    rows = await reads.jobs(info.context["tenant"], state.value if state else None, first=first, after=after)
    return Connection(**page_parts(rows, first, after, cursor=job_cursor, view=_job))


@field
async def stats(
    info: Info[Any, None],
    user_id: Annotated[str | None, argument("The user's id; all users if omitted.")] = None,
) -> MemoryStats:
    """Counts of the elements in the memory of the tenant, or of one user."""
    return MemoryStats(**await memory_of(info).reads.stats(info.context["tenant"], user_id))


def _job(row: Row) -> Job:
    names = ("id", "user_id", "session_id", "attempts", "error")
    return Job(
        kind=JobKind(row["kind"]),
        state=JobState(row["state"]),
        due_at=row["due"],
        **{name: row[name] for name in names},
    )
