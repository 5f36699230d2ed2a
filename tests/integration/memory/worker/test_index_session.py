"""Test indexing of one session on request while a worker processes the same session."""

import asyncio

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.jobs.outbox import JobKind, SessionJobs
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.worker.worker import Worker
from schema.ids import TenantId, memory_id, session_uri
from tests.support.builders import a_job_context, a_memory, a_worker, an_incoming
from tests.support.readers import read_with_tags


def a_deferring_worker(graph: Graph) -> Worker:
    """Return a worker that reads scenes only on request."""
    return a_worker(graph, readers=Readers(first=read_with_tags, fallback=read_with_tags, extracts=False))


async def test_a_scene_that_a_loop_defers_meanwhile_is_read_once_all_the_same(graph: Graph, tenant: str) -> None:
    """A loop holds the job of the session when indexing is requested, and then defers what it found."""
    memory, worker, whose = a_memory(graph), a_deferring_worker(graph), TenantId(tenant)
    await memory.remember(whose, an_incoming("I love jasmine tea."))
    session = memory_id(session_uri(tenant, "alice", "s1"))
    held = await SessionJobs(graph, a_job_context()).claim(whose, session, JobKind.EXTRACT, even_if_done=False)
    assert held is not None
    refused, read_n = asyncio.Event(), 0

    def observe(statement: Statement) -> None:
        nonlocal read_n
        if statement.name == "jobs/claim_for_session":
            refused.set()
        read_n += statement.name == "consolidation/lock_user"

    graph.observer = observe
    try:
        indexing = asyncio.create_task(worker.index_session(whose, session))
        async with asyncio.timeout(60):
            await refused.wait()
        await worker._run_jobs([held])
        async with asyncio.timeout(60):
            deferred_n = await indexing
    finally:
        graph.observer = None
    assert deferred_n == 1
    assert read_n == 2
    question = Question(user_id="alice", text="Which tea does she love?", kinds=(HitKind.FACT,))
    assert ["tea" in hit.candidate.text for hit in (await memory.recall(whose, question)).hits] == [True]
