"""GraphQL: paged lists of scenes and jobs, and counts."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

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


@strawberry.type(description="An unfinished background job.")
class Job:
    """An unfinished background job."""

    id: strawberry.ID = strawberry.field(description="Its id, for cancelJobs.")
    kind: JobKind = strawberry.field(description="What it does.")
    state: JobState = strawberry.field(description="Its state.")
    user_id: str | None = strawberry.field(description="The user's id.")
    session_id: str | None = strawberry.field(description="The session's id.")
    attempts: int = strawberry.field(description="Number of failed attempts.")
    due_at: datetime = strawberry.field(description="When it is tried next.")
    error: str | None = strawberry.field(description="Error of the last attempt.")


@strawberry.type(description="Counts of the elements of a memory.")
class MemoryStats:
    """Counts of the elements of a memory."""

    messages: int = strawberry.field(description="Messages.")
    sessions: int = strawberry.field(description="Sessions.")
    scenes: int = strawberry.field(description="Scenes.")
    entities: int = strawberry.field(description="Entities.")
    users: int = strawberry.field(description="Users.")
    agents: int = strawberry.field(description="Agents.")
    facts: int = strawberry.field(description="Valid facts.")
    closed_facts: int = strawberry.field(description="Facts that are no longer valid.")
    items: int = strawberry.field(description="Items that have not expired, of the tenant and of users.")


@strawberry.type
class ListsQuery:
    """Paged lists and counts."""

    @strawberry.field(description="The scenes of a user or session, latest first.")
    async def scenes(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: Annotated[str | None, strawberry.argument(description="Only this session.")] = None,
        tags: Annotated[
            list[str] | None, strawberry.argument(description="Only scenes with a message that has one of these tags.")
        ] = None,
        first: FirstArgument = 20,
        after: AfterCursor = None,
    ) -> Connection[MemoryNode]:
        """Return the scenes of a user."""
        rows = await memory_of(info).reads.scenes(
            info.context["tenant"], user_id, session_id, first=first, after=after, tags=tags or ()
        )
        page = page_parts(rows, first, after, cursor=lambda row: row[1], view=lambda row: node_answer(row[0]))
        return Connection(**page)

    @strawberry.field(description="Unfinished background jobs, next due first, dead letters last.")
    async def jobs(
        self,
        info: Info[Any, None],
        state: Annotated[JobState | None, strawberry.argument(description="Only jobs in this state.")] = None,
        first: FirstArgument = 50,
        after: AfterCursor = None,
    ) -> Connection[Job]:
        """Return unfinished jobs."""
        reads = memory_of(info).reads
        rows = await reads.jobs(info.context["tenant"], state.value if state else None, first=first, after=after)
        return Connection(**page_parts(rows, first, after, cursor=job_cursor, view=_job))

    @strawberry.field(description="Counts of the elements in the memory of the tenant, or of one user.")
    async def stats(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
    ) -> MemoryStats:
        """Return the numbers of stored elements and waiting jobs."""
        return MemoryStats(**await memory_of(info).reads.stats(info.context["tenant"], user_id))


def _job(row: Row) -> Job:
    names = ("id", "user_id", "session_id", "attempts", "error")
    return Job(
        kind=JobKind(row["kind"]),
        state=JobState(row["state"]),
        due_at=row["due"],
        **{name: row[name] for name in names},
    )
