"""Test that neighbouring messages come with a hit, and none of another user's session of the same name."""

from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming

ASKED = Question(user_id="alice", text="lighthouse", limit=50, kinds=(HitKind.MESSAGE,))
TOLD = ("Morning.", "We saw the lighthouse.", "It was closed.", "Pity.", "Bye.")


async def test_hit_has_two_messages_on_each_side(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    memory._embedder = None
    await memory.remember(TenantId(tenant), an_incoming(*TOLD))
    answer = await memory.recall(TenantId(tenant), ASKED)
    assert {hit.candidate.text for hit in answer.hits} >= set(TOLD[:4])


async def test_neighbours_belong_to_the_same_tenant_and_user(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    others = [f"Not for alice {place}." for place in range(5)]
    await memory.remember(TenantId(tenant), an_incoming(*TOLD))
    await memory.remember(TenantId(f"{tenant}-other"), an_incoming(*others))
    await memory.remember(TenantId(tenant), an_incoming(*others, user="bob"))
    await a_worker(graph).drain()
    found = {hit.candidate.text for hit in (await memory.recall(TenantId(tenant), ASKED)).hits}
    assert found == set(TOLD)
    theirs = await memory.recall(TenantId(f"{tenant}-other"), ASKED)
    assert {hit.candidate.text for hit in theirs.hits} <= set(others)
