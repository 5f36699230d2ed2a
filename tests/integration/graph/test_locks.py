"""Test that writers of one user's memory are serialized and lose no update."""

import asyncio

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.jobs.outbox import JobClaim, JobKind, SessionJobs, finish_jobs
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId
from tests.integration.memory.worker.test_crash import change_numbers
from tests.support.builders import NOON, a_job_context

WRITERS, TURNS = 6, 15


async def test_concurrent_digests_and_vector_writes_lose_no_revision(graph: Graph, tenant: str) -> None:
    """A digest commits only if the revision is the one it was planned on; a lost update would let two commit."""
    user = {"tenant": tenant, "user_node_id": "u"}
    make = "CREATE (:Memory:User {tenant: $tenant, id: 'u', last_seen: $seen})"
    async with graph._driver.session() as session:
        await (await session.run(make, tenant=tenant, seen=NOON)).consume()

    async def digest(writing: Writing) -> None:
        await writing.run(statement("consolidation/lock_user"), {**user, "revision": 0, "seen": NOON, "names": {}})

    async def forgetting(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), user)

    async def vectors(writing: Writing) -> None:
        await writing.run(statement("locks/lock_users"), {"tenant": tenant, "user_node_ids": ["u"]})

    async def turns(number: int) -> None:
        for _ in range(TURNS):
            await graph.write((digest, forgetting, vectors)[number % 3])

    await asyncio.gather(*(turns(number) for number in range(WRITERS)))
    query = "MATCH (v:Revision {tenant: $tenant, id: 'u'}) RETURN v.revision AS revision"
    async with graph._driver.session() as session:
        rows = await (await session.run(query, tenant=tenant)).data()
    assert rows == [{"revision": WRITERS * 2 // 3 * TURNS}]


async def test_concurrent_writers_get_distinct_sequence_numbers(graph: Graph, tenant: str) -> None:
    async with graph._driver.session() as session:
        await (await session.run("CREATE (:Tenant {id: $tenant, seq: 0})", tenant=tenant)).consume()
    change = Change(op=Op.NODE_DROP, element_id=MemoryId("x"), body={}, reason="a test")

    async def turns() -> None:
        for _ in range(TURNS):
            await graph.write(lambda writing: append_changes(writing, TenantId(tenant), "u", [change] * 2, at=NOON))

    await asyncio.gather(*(turns() for _ in range(WRITERS)))
    assert await change_numbers(graph, tenant) == list(range(1, WRITERS * TURNS * 2 + 1))


async def test_job_enqueued_while_it_is_finished_stays_open(graph: Graph, tenant: str) -> None:
    """The job is enqueued under the lock; finishing waits for the lock and must then see the new request."""
    whose, asked, finishing = TenantId(tenant), asyncio.Event(), asyncio.Event()
    make = (
        "CREATE (:Job {tenant: $tenant, id: 's/extract', "
        "kind: 'extract', session: 's', enqueue_count: 1, open: true, lease: 'w'})"
    )
    async with graph._driver.session() as session:
        await (await session.run(make, tenant=tenant)).consume()
    held = JobClaim(
        tenant=whose, id="s/extract", kind=JobKind.EXTRACT, session="s", enqueue_count=1, attempts=0, lease="w"
    )

    async def ask(writing: Writing) -> None:
        rows = [{"session": "s", "kind": "extract"}]
        await writing.run(statement("jobs/enqueue"), {"tenant": tenant, "rows": rows, "now_ms": 0})
        asked.set()
        await finishing.wait()
        # The other one is about to wait for the lock; there is no way to observe that.
        await asyncio.sleep(0.3)

    async def end(writing: Writing) -> None:
        await asked.wait()
        finishing.set()
        await finish_jobs(writing, [held], more=False, now_ms=0)

    await asyncio.gather(graph.write(ask), graph.write(end))
    assert await SessionJobs(graph, a_job_context()).is_open(whose, "s", JobKind.EXTRACT)
