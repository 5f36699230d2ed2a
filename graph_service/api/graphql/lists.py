"""GraphQL: paged lists of scenes, jobs and changes, and counts."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.api.graphql.nodes import MemoryNode, node_answer
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.mindmap.graph_queries import Row, job_cursor
from schema.change import NumberedChange
from schema.errors import InputError

CHANGES_MAX: Final = 500


@strawberry.type(description="A change of the graph.")
class GraphChange:
    """A change of the graph."""

    seq: float = strawberry.field(description="Sequence number, without gaps within a tenant.")
    at: datetime = strawberry.field(description="When it was committed.")
    user_id: str = strawberry.field(description="The user's id.")
    op: str = strawberry.field(description="`node+`, `edge+`, `node-` or `edge-`.")
    element_id: strawberry.ID = strawberry.field(description="Id of the node or edge.")
    reason: str = strawberry.field(description="The reason, as free text.")
    body: JSON | None = strawberry.field(description="The element after the change; null if it was deleted.")


@strawberry.type(description="Changes after a sequence number, in order.")
class ChangeConnection(Connection[GraphChange]):
    """Changes after a sequence number."""

    epoch: str = strawberry.field(
        description="Epoch of the change log; if it differs from yours, fetch the graph again."
    )
    head: float = strawberry.field(description="Sequence number of the latest change.")
    complete: bool = strawberry.field(
        description="False if the log no longer contains all changes; fetch the graph again."
    )


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

    @strawberry.field(
        description="Changes of the graph after a sequence number, in order; graphChanged continues from there."
    )
    async def changes_since(
        self,
        info: Info[Any, None],
        seq: Annotated[float, strawberry.argument(description="Sequence number of the last known change; 0 for all.")],
        first: Annotated[int, strawberry.argument(description="Page size, 1 to 500.")] = 100,
        after: AfterCursor = None,
    ) -> ChangeConnection:
        """Return the changes after a sequence number."""
        log, tenant = memory_of(info).changes, info.context["tenant"]
        if not 1 <= first <= CHANGES_MAX:
            raise InputError(f"first is {first}; use 1 to {CHANGES_MAX}")
        (position,) = decode_cursor(ListName.CHANGES, after)
        known = int(max(0.0, min(seq, 2.0**53))) if position is None else max(position, 0)
        head = await log.head(tenant)
        found = await log.since(tenant, known, rows_max=first + 1)
        page = page_parts(
            found, first, after, cursor=lambda one: encode_cursor(ListName.CHANGES, one.seq), view=change_view
        )
        complete = not found or found[0].seq == known + 1
        return ChangeConnection(epoch=head.epoch, head=head.seq, complete=complete, **page)

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


def change_view(one: NumberedChange) -> GraphChange:
    """Convert a change to its API type."""
    change = one.change
    own = {"seq": one.seq, "at": datetime.fromisoformat(one.at), "user_id": one.user_id}
    return view_of(GraphChange, change, op=change.op.value, body=JSON(change.body) if change.body else None, **own)


def _job(row: Row) -> Job:
    names = ("id", "user_id", "session_id", "attempts", "error")
    return Job(
        kind=JobKind(row["kind"]),
        state=JobState(row["state"]),
        due_at=row["due"],
        **{name: row[name] for name in names},
    )
