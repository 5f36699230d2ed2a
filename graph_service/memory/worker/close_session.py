"""The job `close`: embed the texts of a session, then extract from its remaining messages.

The session's states are closing → indexing → extracting → closed. Each step is a commit and may be repeated, so after a
crash the next worker continues from the stored state.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, finish_jobs
from graph_service.memory.jobs.run_now import RunJob, run_session_jobs
from schema.ids import TenantId
from schema.session import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseJobs:
    """The functions that run the other jobs of the session.

    Attributes:
        embed: None without an embedder; the session then closes without vectors, which are added later.
        extract: extracts from unread messages and from every unextracted scene.
        summarises: update the summary of the session.
        summarize: updates the layers of the session, if those of its scenes changed.
    """

    embed: RunJob | None
    extract: RunJob
    summarize: Callable[[TenantId, str], Awaitable[bool]]
    summarises: bool = True


async def close_session(graph: Graph, jobs: CloseJobs, claim: JobClaim, job_context: JobContext) -> None:
    """Close a session; does nothing if a new message has made it active again.

    Raises:
        UnavailableError: Neo4j, the embedder or the model does not answer; the session keeps its current state.
        ConflictError: the lease was lost.
    """
    closing, indexing, extracting = SessionState.CLOSING, SessionState.INDEXING, SessionState.EXTRACTING
    active = not await _advance(graph, claim, job_context, (closing, indexing, extracting), indexing)
    if not active:
        job_context.step("close indexing")
        await _embed(graph, jobs, claim, job_context)
        active = not await _advance(graph, claim, job_context, (indexing,), extracting)
    if not active:
        job_context.step("close extracting")
        await run_session_jobs(
            graph, jobs.extract, claim.tenant, claim.session, JobKind.EXTRACT, job_context, even_if_done=True
        )
        if jobs.summarises:
            await jobs.summarize(claim.tenant, claim.session)
        job_context.step("close summarised")
        await _embed(graph, jobs, claim, job_context)
    now_ms = job_context.now_ms()

    async def steps(writing: Writing) -> None:
        if not active:
            parameters = _state_parameters(claim, job_context, (extracting,), SessionState.CLOSED)
            await writing.run(statement("sessions/set_state"), parameters)
        await finish_jobs(writing, [claim], more=False, now_ms=now_ms)

    await graph.write(steps)
    job_context.step("close committed")


async def _embed(graph: Graph, jobs: CloseJobs, claim: JobClaim, job_context: JobContext) -> None:
    if jobs.embed is not None:
        await run_session_jobs(
            graph, jobs.embed, claim.tenant, claim.session, JobKind.EMBED, job_context, even_if_done=False
        )


async def _advance(
    graph: Graph, claim: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> bool:
    """Set the session's state if the current one is in `before`; return whether it was set."""
    parameters = _state_parameters(claim, job_context, before, state)

    async def steps(writing: Writing) -> bool:
        return bool(await writing.run(statement("sessions/set_state"), parameters))

    return await graph.write(steps)


def _state_parameters(
    claim: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> dict[str, object]:
    return {
        "tenant": claim.tenant,
        "session": claim.session,
        "lease": claim.lease,
        "before": [one.value for one in before],
        "state": state.value,
        "now": job_context.clock(),
        "now_ms": job_context.now_ms(),
    }
