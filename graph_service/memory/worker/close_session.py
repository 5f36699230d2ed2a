"""Ending a session: vectors for all it holds, then a reading of all that waited; the work `close`.

closing → indexing → extracting → closed. Each step is a commit of its own and may be repeated, so a process that dies
anywhere leaves the session in the state it had reached, and the next one goes on from there.
"""

from dataclasses import dataclass

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, finish
from graph_service.memory.jobs.run_now import RunJob, run_session_jobs
from graph_service.memory.summaries.session_summary import tell_session
from schema.session import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWork:
    """How the work of one session is done.

    Attributes:
        embed: None without an embedder; vectors then wait for one, and the session closes without them.
        read_all: reads what is unread and every scene that waits for its reading.
    """

    embed: RunJob | None
    read_all: RunJob


async def close_session(graph: Graph, work: SessionWork, held: JobClaim, job_context: JobContext) -> None:
    """End a session, unless a new message has made it active again; then nothing is done.

    Raises:
        UnavailableError: Neo4j, the embedder or the model is away; the session stays in the state it had reached.
        ConflictError: the lease was lost.
    """
    closing, indexing, extracting = SessionState.CLOSING, SessionState.INDEXING, SessionState.EXTRACTING
    going = await _advance(graph, held, job_context, (closing, indexing, extracting), indexing)
    if going:
        job_context.step("close indexing")
        await _all_vectors(graph, work, held, job_context)
        going = await _advance(graph, held, job_context, (indexing,), extracting)
    if going:
        job_context.step("close extracting")
        await run_session_jobs(
            graph, work.read_all, held.tenant, held.session, JobKind.READ, job_context, even_if_done=True
        )
        await tell_session(graph, held.tenant, held.session, now=job_context.clock())
        job_context.step("close told")
        await _all_vectors(graph, work, held, job_context)
    now_ms = job_context.now_ms()

    async def steps(writing: Writing) -> None:
        if going:
            await writing.run(
                statement("sessions/set_state"), _state(held, job_context, (extracting,), SessionState.CLOSED)
            )
        await finish(writing, [held], more=False, now_ms=now_ms)

    await graph.write(steps)
    job_context.step("close committed")


async def _all_vectors(graph: Graph, work: SessionWork, held: JobClaim, job_context: JobContext) -> None:
    if work.embed is not None:
        await run_session_jobs(
            graph, work.embed, held.tenant, held.session, JobKind.EMBED, job_context, even_if_done=False
        )


async def _advance(
    graph: Graph, held: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> bool:
    """Return whether the session is in the state now."""
    parameters = _state(held, job_context, before, state)

    async def steps(writing: Writing) -> bool:
        return bool(await writing.run(statement("sessions/set_state"), parameters))

    return await graph.write(steps)


def _state(
    held: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> dict[str, object]:
    return {
        "tenant": held.tenant,
        "session": held.session,
        "lease": held.lease,
        "before": [one.value for one in before],
        "state": state.value,
        "now": job_context.clock(),
        "now_ms": job_context.now_ms(),
    }
