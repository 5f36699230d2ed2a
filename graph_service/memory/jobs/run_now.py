"""Work of one session that somebody waits for, done at once instead of when the worker comes to it."""

import asyncio
from collections.abc import Awaitable, Callable

from graph_service.graph.store import Graph
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, claim_of_session, give_back, is_open, release
from schema.failure import failure_of
from schema.ids import TenantId

# Between two looks at work of the session that another worker holds.
_LOOK_AGAIN_S = 0.1

# Does claimed work; True when a rest of it is left.
RunJob = Callable[[JobClaim], Awaitable[bool]]


async def run_session_jobs(
    graph: Graph,
    doing: RunJob,
    tenant: TenantId,
    session: str,
    kind: JobKind,
    job_context: JobContext,
    *,
    even_if_done: bool,
) -> None:
    """Do one kind of a session's work until none is left, or wait while another worker does it.

    Args:
        even_if_done: once, although no such work is open.

    Raises:
        MnemographError: as `doing` does; the work was given back.
    """
    wanted = even_if_done
    while wanted or await is_open(graph, tenant, session, kind):
        mine = await claim_of_session(
            graph, tenant, session, kind, even_if_done=wanted, lease=job_context.word(), now_ms=job_context.now_ms()
        )
        if mine is None:
            await asyncio.sleep(_LOOK_AGAIN_S)
            continue
        try:
            wanted = await doing(mine)
        except Exception as error:
            # Whatever it is: nobody else may have to wait for the end of the lease, and the work must not try for ever.
            await give_back(graph, mine, error=str(failure_of(error)), now_ms=job_context.now_ms())
            raise
        except asyncio.CancelledError:
            # Whoever works next need not wait for the lease to end.
            await release(graph, [mine], due_ms=job_context.now_ms())
            raise
