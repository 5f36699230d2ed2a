"""Test that two workers leave the same graph as one, with consecutive change numbers."""

import asyncio

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.memory.worker.test_crash import change_numbers, comparable_graph
from tests.support.builders import a_memory, a_worker, an_incoming

CALLS = [
    an_incoming(f"I love {thing}.", "My sister Anna works at Acme.", f"I visited {place}.", session=f"s{number}")
    for number, (thing, place) in enumerate(
        [("tea", "Oslo"), ("jazz", "Rome"), ("tea", "Paris"), ("hiking", "Oslo"), ("chess", "Lima"), ("jazz", "Rome")]
    )
]


async def test_two_workers_leave_the_same_graph_as_one(graph: Graph, tenant: str) -> None:
    for name in (tenant, f"{tenant}-alone"):
        for call in CALLS:
            await a_memory(graph).remember(TenantId(name), call)
        workers = [a_worker(graph) for _ in range(2 if name == tenant else 1)]
        await asyncio.gather(*(worker.drain() for worker in workers))
    together = await comparable_graph(graph, tenant)
    assert together == await comparable_graph(graph, f"{tenant}-alone")
    assert not any("dead" in row for row in together)
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))
