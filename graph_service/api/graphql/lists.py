"""GraphQL: lists page by page (scenes, work, changes), and how much there is."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts
from graph_service.api.graphql.nodes import MemoryNode, node_answer
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.mindmap.graph_queries import Row, job_cursor
from schema.change import NumberedChange
from schema.errors import InputError

CHANGES_MAX: Final = 500


@strawberry.type(description="One change of the graph.")
class GraphChange:
    """One change of the graph."""

    seq: float = strawberry.field(description="Its number; numbers have no gaps within a tenant.")
    at: datetime = strawberry.field(description="When it was written.")
    user_id: str = strawberry.field(description="Whose memory.")
    op: str = strawberry.field(description="`node+`, `edge+`, `node-` or `edge-`.")
    element_id: strawberry.ID = strawberry.field(description="The node or line.")
    reason: str = strawberry.field(description="Why, for people.")
    body: JSON | None = strawberry.field(description="The element as it is since; null when it went.")


@strawberry.type(description="Changes after a number, the lowest first.")
class ChangeConnection(Connection[GraphChange]):
    """Changes after a number."""

    epoch: str = strawberry.field(description="The life of the log; when it is another, fetch the graph anew.")
    head: float = strawberry.field(description="The number of the last change there is.")
    complete: bool = strawberry.field(description="False: the log reaches not back so far; fetch the graph anew.")


@strawberry.enum(description="Where work stands.")
class JobState(Enum):
    """Where work stands."""

    OPEN = "open"
    LEASED = "leased"
    DEAD = "dead"


@strawberry.type(description="Work of the background worker that is not done.")
class JobRow:
    """Work that is not done."""

    id: strawberry.ID = strawberry.field(description="Its id; cancelWork takes it.")
    kind: str = strawberry.field(description="embed, read, close, anew or forget.")
    state: JobState = strawberry.field(description="Where it stands.")
    user_id: str | None = strawberry.field(description="Whose memory.")
    session_id: str | None = strawberry.field(description="For which session.")
    attempts: int = strawberry.field(description="How often it failed.")
    due: datetime = strawberry.field(description="When it is tried next.")
    error: str | None = strawberry.field(description="Why it failed last.")


@strawberry.type(description="How much there is.")
class MemoryStats:
    """How much there is."""

    messages: int = strawberry.field(description="Messages.")
    sessions: int = strawberry.field(description="Sessions.")
    scenes: int = strawberry.field(description="Scenes.")
    entities: int = strawberry.field(description="Entities.")
    users: int = strawberry.field(description="Users.")
    agents: int = strawberry.field(description="Agents.")
    facts: int = strawberry.field(description="Facts that hold.")
    closed_facts: int = strawberry.field(description="Facts that hold no more.")


@strawberry.type
class ListsQuery:
    """Lists, and how much there is."""

    @strawberry.field(
        description="What changed in the graph after a number, in order; graphChanged goes on from there."
    )
    async def changes_since(
        self,
        info: Info[Any, None],
        seq: Annotated[float, strawberry.argument(description="The last change that is known; 0 for all.")],
        first: Annotated[int, strawberry.argument(description="At most so many, 1 to 500.")] = 100,
        after: AfterCursor = None,
    ) -> ChangeConnection:
        """Return what changed after a number."""
        log, tenant = memory_of(info).changes, info.context["tenant"]
        if not 1 <= first <= CHANGES_MAX:
            raise InputError(f"first is {first}; use 1 to {CHANGES_MAX}")
        (place,) = decode_cursor(ListName.CHANGES, after)
        known = int(max(0.0, min(seq, 2.0**53))) if place is None else max(place, 0)
        head = await log.head(tenant)
        found = await log.since(tenant, known, rows_max=first + 1)
        page = page_parts(
            found, first, after, cursor=lambda one: encode_cursor(ListName.CHANGES, one.seq), view=change_view
        )
        complete = not found or found[0].seq == known + 1
        return ChangeConnection(epoch=head.epoch, head=head.seq, complete=complete, **page)

    @strawberry.field(description="The scenes of a user, or of one session, the latest first.")
    async def scenes(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose memory.")],
        session_id: Annotated[str | None, strawberry.argument(description="Only this session.")] = None,
        first: FirstArgument = 20,
        after: AfterCursor = None,
    ) -> Connection[MemoryNode]:
        """Return the scenes of a user."""
        rows = await memory_of(info).reads.scenes(info.context["tenant"], user_id, session_id, first=first, after=after)
        page = page_parts(rows, first, after, cursor=lambda row: row[1], view=lambda row: node_answer(row[0]))
        return Connection(**page)

    @strawberry.field(description="Work in the background that is not done, the next first; what was given up last.")
    async def jobs(
        self,
        info: Info[Any, None],
        state: Annotated[JobState | None, strawberry.argument(description="Only such work.")] = None,
        first: FirstArgument = 50,
        after: AfterCursor = None,
    ) -> Connection[JobRow]:
        """Work that is not done."""
        reads = memory_of(info).reads
        rows = await reads.jobs(info.context["tenant"], state.value if state else None, first=first, after=after)
        return Connection(**page_parts(rows, first, after, cursor=job_cursor, view=_job))

    @strawberry.field(description="How much the tenant, or one user of it, remembers.")
    async def stats(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="Whose memory; everybody's without it.")] = None,
    ) -> MemoryStats:
        """Return how much there is."""
        return MemoryStats(**await memory_of(info).reads.stats(info.context["tenant"], user_id))


def change_view(one: NumberedChange) -> GraphChange:
    """Return a change as the API shows it."""
    return GraphChange(
        seq=one.seq,
        at=datetime.fromisoformat(one.at),
        user_id=one.user_id,
        op=one.change.op.value,
        element_id=strawberry.ID(one.change.element_id),
        reason=one.change.reason,
        body=JSON(one.change.body) if one.change.body else None,
    )


def _job(row: Row) -> JobRow:
    names = ("id", "kind", "user_id", "session_id", "attempts", "due", "error")
    return JobRow(state=JobState(row["state"]), **{name: row[name] for name in names})
