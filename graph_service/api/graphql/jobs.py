"""GraphQL: background jobs, dead letters, and the messages that wait on disk for Neo4j."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus
from graph_service.memory.jobs import dead_letters
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.repair.checks import Problem
from graph_service.memory.repair.repair import SyncReport

strawberry.enum(JobKind, name="JobKind", description="Kind of a background job.")

strawberry.enum(Problem, name="SyncProblem", description="A kind of inconsistency that `sync` finds.")

IdsArgument = Annotated[list[strawberry.ID], strawberry.argument(description="Ids of jobs.")]
RetriedArgument = Annotated[
    list[strawberry.ID] | None, strawberry.argument(description="Ids of dead letters; all of the tenant if omitted.")
]


@strawberry.type(description="A background job that failed too often; no message is lost.")
class DeadLetter:
    """A background job that failed too often."""

    id: strawberry.ID
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str = strawberry.field(description="Error of the last attempt.")
    attempts: int = strawberry.field(description="Number of failed attempts.")
    failed_at: datetime | None = strawberry.field(description="Time of the last attempt.")
    unavailable_service: str | None = strawberry.field(
        description="The unavailable service, `embedder` or `model`, if that was the cause; retried automatically then."
    )


@strawberry.type(description="Number of inconsistencies of one kind.")
class ProblemCount:
    """Number of inconsistencies of one kind."""

    problem: Problem
    count: int


@strawberry.type(description="The result of a consistency check.")
class SyncResult:
    """The result of a consistency check."""

    total: int = strawberry.field(description="Number of checked messages, nodes and sessions.")
    indexed: int = strawberry.field(description="Repaired problems; vectors and extraction follow in the background.")
    skipped: int = strawberry.field(description="Elements without problems.")
    errors: int = strawberry.field(description="Problems that could not be repaired.")
    found: list[ProblemCount]


@strawberry.type
class JobsQuery:
    """Queries for dead letters."""

    @strawberry.field(description="Jobs that failed too often, latest first.")
    async def dead_letters(
        self, info: Info[Any, None], first: FirstArgument = 100, after: AfterCursor = None
    ) -> Connection[DeadLetter]:
        """Return jobs that failed too often."""
        check_limit(first)
        letters = await memory_of(info).dead_letters.listed(info.context["tenant"], limit=first + 1, after=after)
        return Connection(
            **page_parts(letters, first, after, cursor=dead_letters.letter_cursor, view=partial(view_of, DeadLetter))
        )


@strawberry.type
class JobsMutation:
    """Retry and cancel jobs, repair the index."""

    @strawberry.mutation(description="Retry dead letters; returns their number.")
    async def retry_dead_letters(self, info: Info[Any, None], ids: RetriedArgument = None) -> int:
        """Retry dead letters."""
        return await memory_of(info).retry_jobs(info.context["tenant"], ids)

    @strawberry.mutation(description="Retry one dead letter.")
    async def retry_dead_letter(
        self,
        info: Info[Any, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="The dead letter's id.")],  # noqa: A002  the API's word
    ) -> bool:
        """Retry one dead letter."""
        return await memory_of(info).retry_jobs(info.context["tenant"], [id]) == 1

    @strawberry.mutation(
        description="Check texts, vectors, scenes, facts and jobs of the tenant for consistency, and repair them."
    )
    async def sync(
        self,
        info: Info[Any, None],
        dry_run: Annotated[bool, strawberry.argument(description="Report problems without repairing them.")] = False,
    ) -> SyncResult:
        """Check and repair the tenant."""
        return _result(await memory_of(info).sync(info.context["tenant"], dry_run=dry_run))

    @strawberry.mutation(description="Cancel jobs, including running ones; returns their number. Messages stay.")
    async def cancel_jobs(self, info: Info[Any, None], ids: IdsArgument) -> int:
        """Cancel jobs."""
        return await memory_of(info).dead_letters.cancel(info.context["tenant"], ids)


def _result(report: SyncReport) -> SyncResult:
    found = [ProblemCount(problem=problem, count=count) for problem, count in sorted(report.found.items())]
    return view_of(SyncResult, report, found=found)


strawberry.enum(SpoolState, name="SpoolState", description="The state of a spooled call of remember.")

NumberArgument = Annotated[int, strawberry.argument(description="The number of a refused episode.")]


@strawberry.type(description="A message on disk.")
class SpooledMessage:
    """A message on disk."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@strawberry.type(description="A call of remember on disk.")
class SpooledEpisode:
    """A call of remember on disk."""

    number: int = strawberry.field(description="Its sequence number, for retrySpooled and dropSpooled.")
    state: SpoolState
    user_id: str
    session_id: str
    received_at: datetime
    error: str | None = strawberry.field(description="Why Neo4j refused it.")
    messages: list[SpooledMessage]


@strawberry.type(name="Spool", description="The tenant's spool.")
class SpoolView:
    """The tenant's spool."""

    waiting: int = strawberry.field(description="Number of calls that wait for Neo4j.")
    refused: int = strawberry.field(description="Number of calls that Neo4j refused; retry or drop them.")
    paused: bool = strawberry.field(description="True if writing to Neo4j is paused, for all tenants.")
    episodes: list[SpooledEpisode] = strawberry.field(description="The oldest 1,000, in order.")


@strawberry.type
class SpoolQuery:
    """Queries for the spool."""

    @strawberry.field(
        description="Messages on the service's disk that wait for Neo4j; works while Neo4j is unavailable."
    )
    async def spool(self, info: Info[Any, None]) -> SpoolView:
        """Return the spool."""
        return await _spool_view(info)


@strawberry.type
class SpoolMutation:
    """Pause the spool, retry or drop refused episodes."""

    @strawberry.mutation(description="Pause or resume writing the spool to Neo4j.")
    async def pause_spool(
        self,
        info: Info[Any, None],
        paused: Annotated[bool, strawberry.argument(description="False resumes.")] = True,
    ) -> SpoolView:
        """Pause or resume for all tenants."""
        await memory_of(info).spool_admin.pause(paused)
        return await _spool_view(info)

    @strawberry.mutation(description="Retry a refused call of remember.")
    async def retry_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Retry a refused episode."""
        await memory_of(info).spool_admin.retry(info.context["tenant"], number)
        return await _spool_view(info)

    @strawberry.mutation(description="Delete a refused call of remember with its messages.")
    async def drop_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Delete a refused episode."""
        await memory_of(info).spool_admin.drop(info.context["tenant"], number)
        return await _spool_view(info)


async def _spool_view(info: Info[Any, None]) -> SpoolView:
    status: SpoolStatus = await memory_of(info).spool_admin.status(info.context["tenant"])
    return view_of(
        SpoolView, status.depth, paused=status.paused, episodes=[_episode_view(one) for one in status.episodes]
    )


def _episode_view(spooled: SpoolEntry) -> SpooledEpisode:
    messages = [view_of(SpooledMessage, one, role=one.role.value) for one in spooled.episode.messages]
    own = {"number": spooled.number, "state": spooled.state, "error": spooled.error}
    return view_of(SpooledEpisode, spooled.episode, messages=messages, **own)
