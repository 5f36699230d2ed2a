"""The job `reextract`: extract from a user's sessions again, in the order of the messages, after some were forgotten.

Conflict resolution depends on the order, so sessions alternate: each is processed up to the first unread message of the
next one. Each part is a commit and is not repeated, so a crash loses nothing.
"""

from collections.abc import Awaitable, Callable

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, finish_jobs
from graph_service.memory.jobs.run_now import run_session_job

# Extracts from a claimed session up to a time in milliseconds since 1970; None for all of it.
ExtractUntil = Callable[[JobClaim, int | None], Awaitable[bool]]


async def reread_sessions(graph: Graph, read: ExtractUntil, claim: JobClaim, job_context: JobContext) -> None:
    """Extract until nothing is left in the sessions of the job.

    Raises:
        UnavailableError: Neo4j or the model does not answer; the parts committed so far remain.
        ConflictError: a lease was lost.
    """
    while part := await _next_part(graph, claim):
        session, until_ms = part

        async def run(read_claim: JobClaim, until_ms: int | None = until_ms) -> bool:
            return await read(read_claim, until_ms)

        left = await run_session_job(graph, run, claim.tenant, session, JobKind.EXTRACT, job_context, even_if_done=True)
        if left is not None:
            job_context.step("reextract session done")
    now_ms = job_context.now_ms()

    async def steps(writing: Writing) -> None:
        await finish_jobs(writing, [claim], more=False, now_ms=now_ms)

    await graph.write(steps)
    job_context.step("reextract committed")


async def _next_part(graph: Graph, claim: JobClaim) -> tuple[str, int | None] | None:
    """Return the node id of the session to process next, and the end of its part in ms; None when nothing is left."""
    rows = await graph.read(statement("forgetting/sessions_to_reread"), {"tenant": claim.tenant, "id": claim.id})
    if not rows:
        return None
    first_ms = rows[0]["first_ms"]
    return rows[0]["session"], max(rows[1]["first_ms"], first_ms + 1) if len(rows) > 1 else None
