"""Ending a session: vectors for all it holds, then a reading of all that waited; the work `close`.

closing → indexing → extracting → closed. Each step is a commit of its own and may be repeated, so a process that dies
anywhere leaves the session in the state it had reached, and the next one goes on from there.
"""

from dataclasses import dataclass

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, finish
from graph_service.memory.jobs.run_now import Doing, do_for_session
from graph_service.memory.summaries.session_summary import tell_session
from schema.session import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWork:
    """How the work of one session is done.

    Attributes:
        embed: None without an embedder; vectors then wait for one, and the session closes without them.
        read_all: reads what is unread and every scene that waits for its reading.
    """

    embed: Doing | None
    read_all: Doing


async def close_session(graph: Graph, work: SessionWork, held: JobClaim, pace: JobContext) -> None:
    """End a session, unless a new message has made it active again; then nothing is done.

    Raises:
        UnavailableError: Neo4j, the embedder or the model is away; the session stays in the state it had reached.
        ConflictError: the lease was lost.
    """
    closing, indexing, extracting = SessionState.CLOSING, SessionState.INDEXING, SessionState.EXTRACTING
    going = await _advance(graph, held, pace, (closing, indexing, extracting), indexing)
    if going:
        pace.step("close indexing")
        await _all_vectors(graph, work, held, pace)
        going = await _advance(graph, held, pace, (indexing,), extracting)
    if going:
        pace.step("close extracting")
        await do_for_session(graph, work.read_all, held.tenant, held.session, JobKind.READ, pace, even_if_done=True)
        await tell_session(graph, held.tenant, held.session, now=pace.clock())
        pace.step("close told")
        await _all_vectors(graph, work, held, pace)
    now_ms = pace.now_ms()

    async def steps(writing: Writing) -> None:
        if going:
            await writing.run(statement("sessions/set_state"), _state(held, pace, (extracting,), SessionState.CLOSED))
        await finish(writing, [held], more=False, now_ms=now_ms)

    await graph.write(steps)
    pace.step("close committed")


async def _all_vectors(graph: Graph, work: SessionWork, held: JobClaim, pace: JobContext) -> None:
    if work.embed is not None:
        await do_for_session(graph, work.embed, held.tenant, held.session, JobKind.EMBED, pace, even_if_done=False)


async def _advance(
    graph: Graph, held: JobClaim, pace: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> bool:
    """Return whether the session is in the state now."""
    parameters = _state(held, pace, before, state)

    async def steps(writing: Writing) -> bool:
        return bool(await writing.run(statement("sessions/set_state"), parameters))

    return await graph.write(steps)


def _state(
    held: JobClaim, pace: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> dict[str, object]:
    return {
        "tenant": held.tenant,
        "session": held.session,
        "lease": held.lease,
        "before": [one.value for one in before],
        "state": state.value,
        "now": pace.clock(),
        "now_ms": pace.now_ms(),
    }
