"""Test leases of jobs, and claims repeated with the same lease."""

from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import Claimable, JobKind, claim_jobs, finish_jobs
from schema.ids import TenantId
from tests.support.builders import a_job_context, a_memory, an_incoming, delete_open_jobs

JOBS_MAX = 1_000


async def _claimed(graph: Graph, job_context: JobContext, tenant: str, word: str) -> list[str]:
    claims = await claim_jobs(
        graph, Claimable(kind=JobKind.EXTRACT), jobs_max=JOBS_MAX, lease=word, now_ms=job_context.now_ms()
    )
    return [one.id for one in claims if one.tenant == tenant]


async def test_repeated_claim_with_the_same_lease_gets_the_same_job(graph: Graph, tenant: str) -> None:
    await delete_open_jobs(graph)
    job_context = a_job_context()
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I love jasmine tea.", "我喜欢弹钢琴。"))
    first = await _claimed(graph, job_context, tenant, "one")
    assert len(first) == 1
    assert await _claimed(graph, job_context, tenant, "two") == []
    assert await _claimed(graph, job_context, tenant, "one") == first


async def test_finished_job_is_not_claimed_again_by_its_lease(graph: Graph, tenant: str) -> None:
    await delete_open_jobs(graph)
    job_context = a_job_context()
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    held = await claim_jobs(
        graph, Claimable(kind=JobKind.EXTRACT), jobs_max=1, lease="word", now_ms=job_context.now_ms()
    )

    async def steps(writing: Writing) -> None:
        await finish_jobs(writing, held, more=False, now_ms=job_context.now_ms())

    await graph.write(steps)
    assert await _claimed(graph, job_context, tenant, "word") == []
