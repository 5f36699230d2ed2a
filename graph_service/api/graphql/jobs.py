"""GraphQL: dead letters of background jobs, retrying and cancelling them, and consistency checks."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts
from graph_service.memory.argument_checks import check_limit
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
        return Connection(**page_parts(letters, first, after, cursor=dead_letters.letter_cursor, view=_view))


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
    return SyncResult(
        total=report.total, indexed=report.indexed, skipped=report.skipped, errors=report.errors, found=found
    )


def _view(letter: dead_letters.DeadLetter) -> DeadLetter:
    return DeadLetter(
        id=strawberry.ID(letter.id),
        kind=letter.kind,
        user_id=letter.user_id,
        session_id=letter.session_id,
        error=letter.error,
        attempts=letter.attempts,
        failed_at=letter.failed_at,
        unavailable_service=letter.unavailable_service,
    )
