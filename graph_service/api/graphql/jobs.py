"""Given up work over GraphQL: what it was, why it failed, and how it is tried again or cancelled."""

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

strawberry.enum(JobKind, name="WorkKind", description="What is to be done for a session.")

strawberry.enum(Problem, name="SyncProblem", description="What a sync finds.")

IdsArgument = Annotated[list[strawberry.ID], strawberry.argument(description="Ids of work, as deadLetters tells them.")]
RetriedArgument = Annotated[
    list[strawberry.ID] | None, strawberry.argument(description="Ids of dead letters; all of the tenant when left out.")
]


@strawberry.type(description="Background work that was given up after too many failures; no message is lost by it.")
class DeadLetter:
    """Background work that was given up."""

    id: strawberry.ID
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str = strawberry.field(description="Of the last try.")
    attempts: int = strawberry.field(description="How often it failed.")
    failed_at: datetime | None = strawberry.field(description="The last time.")
    away: str | None = strawberry.field(
        description="What was away outside, `embedder` or `model`, when that was why; then it is tried again by itself."
    )


@strawberry.type(description="How often a sync found one problem.")
class ProblemCount:
    """How often a sync found one problem."""

    problem: Problem
    count: int


@strawberry.type(description="What a sync found and did.")
class SyncResult:
    """What a sync found and did."""

    total: int = strawberry.field(description="Messages, nodes and sessions that were looked at.")
    indexed: int = strawberry.field(description="Problems mended; vectors and readings follow in the background.")
    skipped: int = strawberry.field(description="Things that were as they should be.")
    errors: int = strawberry.field(description="Problems that could not be mended.")
    found: list[ProblemCount]


@strawberry.type
class WorkQuery:
    """What can be asked of given up work."""

    @strawberry.field(description="Work that was given up, the latest first.")
    async def dead_letters(
        self, info: Info[Any, None], first: FirstArgument = 100, after: AfterCursor = None
    ) -> Connection[DeadLetter]:
        """Work that was given up."""
        check_limit(first)
        letters = await memory_of(info).dead_letters.listed(info.context["tenant"], limit=first + 1, after=after)
        return Connection(**page_parts(letters, first, after, cursor=dead_letters.letter_cursor, view=_view))


@strawberry.type
class WorkMutation:
    """What can be done with given up work."""

    @strawberry.mutation(description="Has given up work done again; answers how much.")
    async def retry_dead_letters(self, info: Info[Any, None], ids: RetriedArgument = None) -> int:
        """Have given up work done again."""
        return await memory_of(info).retry_work(info.context["tenant"], ids)

    @strawberry.mutation(description="Has one piece of given up work done again.")
    async def retry_dead_letter(
        self,
        info: Info[Any, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="As deadLetters tells it.")],  # noqa: A002  the API's word
    ) -> bool:
        """Have one piece of given up work done again."""
        return await memory_of(info).retry_work(info.context["tenant"], [id]) == 1

    @strawberry.mutation(
        description="Compares texts, vectors, scenes, facts and work of the tenant; mends what does not fit together."
    )
    async def sync(
        self,
        info: Info[Any, None],
        dry_run: Annotated[bool, strawberry.argument(description="Look only.")] = False,
    ) -> SyncResult:
        """Compare and mend."""
        return _result(await memory_of(info).sync(info.context["tenant"], dry_run=dry_run))

    @strawberry.mutation(description="The same as sync, under the name that agents know it by.")
    async def index_memories(
        self,
        info: Info[Any, None],
        dry_run: Annotated[bool, strawberry.argument(description="Look only.")] = False,
    ) -> SyncResult:
        """Return the same as `sync`."""
        return _result(await memory_of(info).sync(info.context["tenant"], dry_run=dry_run))

    @strawberry.mutation(description="Gives up work for good, also work under way; answers how much. Messages stay.")
    async def cancel_work(self, info: Info[Any, None], ids: IdsArgument) -> int:
        """Give up work for good."""
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
        away=letter.away,
    )
