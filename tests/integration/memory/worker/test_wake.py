"""Jobs are found by waking the worker, without polling, also while one tenant occupies its loops."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from extraction.embeddings.embedder import Embedded
from graph_service.graph.store import Graph
from graph_service.memory.jobs.outbox import JobKind, backlog
from graph_service.memory.worker.worker import Worker, WorkerRules
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

LONG_S = 60.0
# No test waits so long: what is found was not found by polling.
NEVER_S = 3_600.0


class BlockedEmbedder(HashedWords):
    """Embeds texts that contain "stone" only after `released` is set."""

    def __init__(self) -> None:
        self.started, self.released = asyncio.Event(), asyncio.Event()

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        if any("stone" in text for text in texts):
            self.started.set()
            await self.released.wait()
        return await super().embed_with_tokens(texts, asked=asked)


@asynccontextmanager
async def _running(worker: Worker, embedder: BlockedEmbedder) -> AsyncIterator[None]:
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        yield
    finally:
        embedder.released.set()
        stop.set()
        await task


async def _work_left(graph: Graph, tenant: str) -> int:
    left = await backlog(graph, TenantId(tenant), (JobKind.EMBED, JobKind.EXTRACT))
    return left.waiting + left.leased


async def _all_done(graph: Graph, tenant: str) -> None:
    async with asyncio.timeout(LONG_S):
        while await _work_left(graph, tenant):  # noqa: ASYNC110  another task does it
            await asyncio.sleep(0.05)


async def test_wake_while_a_tenant_is_embedded_serves_other_tenants_and_its_own_later_message(
    graph: Graph, tenant: str
) -> None:
    memory, embedder, other = a_memory(graph), BlockedEmbedder(), f"{tenant}-other"
    await a_worker(graph).drain()
    worker = a_worker(graph, embedder=embedder, rules=WorkerRules(poll_s=NEVER_S))
    await memory.remember(TenantId(tenant), an_incoming("I skip a stone.", session="s1"))
    async with _running(worker, embedder):
        async with asyncio.timeout(LONG_S):
            await embedder.started.wait()
        await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea.", session="s2"))
        worker.wake()
        await memory.remember(TenantId(other), an_incoming("I moved to Oslo."))
        worker.wake()
        await _all_done(graph, other)
        assert await _work_left(graph, tenant)
        embedder.released.set()
        await _all_done(graph, tenant)


async def test_an_idle_worker_reads_which_kinds_are_due_and_claims_none(graph: Graph) -> None:
    await a_worker(graph).drain()
    stop, sent, worker = asyncio.Event(), Counter[str](), a_worker(graph, rules=WorkerRules(poll_s=0.01))
    graph.observer = lambda one: sent.update([one.name])

    async def looked() -> None:
        sent.clear()
        while sent["jobs/due_kinds"] < 20:  # noqa: ASYNC110  the worker reads
            await asyncio.sleep(0.01)

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(worker.run(stop))
            # Each loop claims once before it waits.
            await looked()
            await looked()
            stop.set()
    finally:
        graph.observer = None
    assert not sent["jobs/claim"]
