"""Reading what is left of a user's sessions after something was forgotten, in the order it was said; the work `anew`.

What closes what depends on the order, so sessions take turns: each is read up to where the next one has something to
read. Every turn is a commit of its own, and what was read need not be read again, so a dead process loses nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, claim_of_session, finish, give_back, release
from schema.failure import failure_of

# Between two looks at a session that another worker holds.
_LOOK_AGAIN_S: Final = 0.1

# Reads a claimed session up to a moment, milliseconds since 1970; None for all of it.
ReadUntil = Callable[[JobClaim, int | None], Awaitable[bool]]


async def read_anew(graph: Graph, read: ReadUntil, held: JobClaim, job_context: JobContext) -> None:
    """Read until nothing is left in the sessions that the work is about.

    Raises:
        UnavailableError: Neo4j or the model is away; what was read stays read.
        ConflictError: a lease was lost.
    """
    while turn := await _next_turn(graph, held):
        session, until_ms = turn
        mine = await claim_of_session(
            graph,
            held.tenant,
            session,
            JobKind.READ,
            even_if_done=True,
            lease=job_context.word(),
            now_ms=job_context.now_ms(),
        )
        if mine is None:
            await asyncio.sleep(_LOOK_AGAIN_S)
            continue
        try:
            await read(mine, until_ms)
        except Exception as error:
            # Whatever it is: nobody else may have to wait for the end of the lease, and the work must not try for ever.
            await give_back(graph, mine, error=str(failure_of(error)), now_ms=job_context.now_ms())
            raise
        except asyncio.CancelledError:
            # Whoever works next need not wait for the lease to end.
            await release(graph, [mine], due_ms=job_context.now_ms())
            raise
        job_context.step("anew read")
    now_ms = job_context.now_ms()

    async def steps(writing: Writing) -> None:
        await finish(writing, [held], more=False, now_ms=now_ms)

    await graph.write(steps)
    job_context.step("anew committed")


async def _next_turn(graph: Graph, held: JobClaim) -> tuple[str, int | None] | None:
    rows = await graph.read(statement("forgetting/sessions_to_reread"), {"tenant": held.tenant, "id": held.id})
    if not rows:
        return None
    first_ms = rows[0]["first_ms"]
    return rows[0]["session"], max(rows[1]["first_ms"], first_ms + 1) if len(rows) > 1 else None
