"""Run a session's jobs at once, instead of waiting for the worker."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from graph_service.graph.store import Graph
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import (
    JobClaim,
    JobKind,
    claim_session_job,
    fail_job,
    is_job_open,
    release_jobs,
    was_delayed,
)
from schema.failure import failure_of
from schema.ids import TenantId

# Pause before another attempt to claim a job that another worker has leased.
_CLAIM_RETRY_S: Final = 0.1

# Runs a claimed job; True when part of it is left.
RunJob = Callable[[JobClaim], Awaitable[bool]]


async def run_session_jobs(
    graph: Graph,
    run: RunJob,
    tenant: TenantId,
    session: str,
    kind: JobKind,
    job_context: JobContext,
    *,
    even_if_done: bool,
) -> None:
    """Run a session's jobs of one kind until none is left, or wait while another worker runs them.

    Args:
        even_if_done: run the job once even if it is not open.

    Raises:
        MnemosceneError: from `run`; the job was released.
    """
    run_again = even_if_done
    while run_again or await is_job_open(graph, tenant, session, kind):
        left = await run_session_job(graph, run, tenant, session, kind, job_context, even_if_done=run_again)
        if left is not None:
            run_again = left


async def run_session_job(
    graph: Graph,
    run: RunJob,
    tenant: TenantId,
    session: str,
    kind: JobKind,
    job_context: JobContext,
    *,
    even_if_done: bool,
) -> bool | None:
    """Claim one job of a session and run it.

    Returns:
        True when part of the job is left; None, after a short pause, when another worker has leased it.

    Raises:
        MnemosceneError: from `run`; the job was released.
    """
    claim = await claim_session_job(
        graph,
        tenant,
        session,
        kind,
        even_if_done=even_if_done,
        lease=job_context.random_token(),
        now_ms=job_context.now_ms(),
    )
    if claim is None:
        await asyncio.sleep(_CLAIM_RETRY_S)
        return None
    try:
        return await run(claim)
    except Exception as error:
        # Any error: other workers must not wait for the lease to expire, and retries are limited by counted failures.
        if was_delayed(error):
            await release_jobs(graph, [claim], due_ms=job_context.now_ms())
        else:
            await fail_job(graph, claim, error=str(failure_of(error)), now_ms=job_context.now_ms())
        raise
    except asyncio.CancelledError:
        # The next worker need not wait for the lease to expire.
        await release_jobs(graph, [claim], due_ms=job_context.now_ms())
        raise
