"""GraphQL: background jobs, dead letters, and the messages that wait on disk for Neo4j."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus
from graph_service.memory.jobs import dead_letters
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.repair.checks import Problem
from graph_service.memory.repair.repair import SyncReport

strawberry.enum(JobKind, name="JobKind", description="Kind of a background job.")

strawberry.enum(Problem, name="SyncProblem", description="A kind of inconsistency that `sync` finds.")

IdsArgument = Annotated[list[strawberry.ID], argument("Ids of jobs.")]
RetriedArgument = Annotated[list[strawberry.ID] | None, argument("Ids of dead letters; all of the tenant if omitted.")]


@output()
class DeadLetter:
    """A background job that failed too often; no message is lost."""

    id: strawberry.ID
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str = about("Error of the last attempt.")
    attempts: int = about("Number of failed attempts.")
    failed_at: datetime | None = about("Time of the last attempt.")
    unavailable_service: str | None = about(
        "The unavailable service, `embedder` or `model`, if that was the cause; retried automatically then."
    )


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


@strawberry.type
class JobsQuery:
    """Queries for dead letters."""

    @field
    async def dead_letters(
        self, info: Info[Any, None], first: FirstArgument = 100, after: AfterCursor = None
    ) -> Connection[DeadLetter]:
        """Jobs that failed too often, latest first."""
        check_limit(first)
        letters = await memory_of(info).dead_letters.listed(info.context["tenant"], limit=first + 1, after=after)
        return Connection(
            **page_parts(letters, first, after, cursor=dead_letters.letter_cursor, view=partial(view_of, DeadLetter))
        )


@strawberry.type
class JobsMutation:
    """Retry and cancel jobs, repair the index."""

    @mutation
    async def retry_dead_letters(self, info: Info[Any, None], ids: RetriedArgument = None) -> int:
        """Retry dead letters; returns their number."""
        return await memory_of(info).retry_jobs(info.context["tenant"], ids)

    @mutation
    async def retry_dead_letter(
        self,
        info: Info[Any, None],
        id: Annotated[strawberry.ID, argument("The dead letter's id.")],  # noqa: A002  the API's word
    ) -> bool:
        """Retry one dead letter."""
        return await memory_of(info).retry_jobs(info.context["tenant"], [id]) == 1

    @mutation
    async def sync(
        self,
        info: Info[Any, None],
        dry_run: Annotated[bool, argument("Report problems without repairing them.")] = False,
    ) -> SyncResult:
        """Check texts, vectors, scenes, facts and jobs of the tenant for consistency, and repair them."""
        return _result(await memory_of(info).sync(info.context["tenant"], dry_run=dry_run))

    @mutation
    async def cancel_jobs(self, info: Info[Any, None], ids: IdsArgument) -> int:
        """Cancel jobs, including running ones; returns their number. Messages stay."""
        return await memory_of(info).dead_letters.cancel(info.context["tenant"], ids)


def _result(report: SyncReport) -> SyncResult:
    found = [ProblemCount(problem=problem, count=count) for problem, count in sorted(report.found.items())]
    return view_of(SyncResult, report, found=found)


strawberry.enum(SpoolState, name="SpoolState", description="The state of a spooled call of remember.")

NumberArgument = Annotated[int, argument("The number of a refused episode.")]


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


@strawberry.type
class SpoolQuery:
    """Queries for the spool."""

    @field
    async def spool(self, info: Info[Any, None]) -> SpoolView:
        """Messages on the service's disk that wait for Neo4j; works while Neo4j is unavailable."""
        return await _spool_view(info)


@strawberry.type
class SpoolMutation:
    """Pause the spool, retry or drop refused episodes."""

    @mutation
    async def pause_spool(
        self, info: Info[Any, None], paused: Annotated[bool, argument("False resumes.")] = True
    ) -> SpoolView:
        """Pause or resume writing the spool to Neo4j."""
        await memory_of(info).spool_admin.pause(paused)
        return await _spool_view(info)

    @mutation
    async def retry_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Retry a refused call of remember."""
        await memory_of(info).spool_admin.retry(info.context["tenant"], number)
        return await _spool_view(info)

    @mutation
    async def drop_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Delete a refused call of remember with its messages."""
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
