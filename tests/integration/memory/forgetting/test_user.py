"""Test that forgetting a user deletes everything of that user."""

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.forgetting.user import begin_user_erasure
from schema.errors import NotFoundError, UnavailableError
from schema.ids import TenantId, UserId, memory_id, user_uri
from tests.integration.memory.forgetting.test_forgetting import CHINESE, ENGLISH, Line, memory_of, store_lines
from tests.integration.memory.worker.test_crash import change_numbers
from tests.support.builders import a_memory, a_worker
from tests.support.slow import slow_but

NODES = "MATCH (n {tenant: $tenant}) RETURN labels(n) AS labels, properties(n) AS properties"


async def nodes_of(graph: Graph, tenant: str) -> list[tuple[list[str], dict[str, object]]]:
    async with graph._driver.session() as session:
        rows = await (await session.run(NODES, tenant=tenant)).data()
    return [(row["labels"], row["properties"]) for row in rows]


@pytest.mark.parametrize("story", slow_but([ENGLISH], [ENGLISH, CHINESE]))
async def test_forgotten_user_is_deleted_completely_and_others_stay(
    graph: Graph, tenant: str, story: list[Line]
) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_lines(graph, tenant, story[:3], user="zoe")
    others = await memory_of(graph, tenant)
    await store_lines(graph, tenant, story)
    done = await memory.forgetting.user(here, "alice")
    await a_worker(graph).drain()
    assert done.messages == len(story)
    assert min(done.scenes, done.facts, done.entities) > 0
    assert await memory_of(graph, tenant) == others
    mine = memory_id(user_uri(tenant, "alice"))
    left = [node for node in await nodes_of(graph, tenant) if "alice" in str(node) or mine in str(node)]
    # The records that tell other processes stay for a day.
    assert {label for labels, _ in left for label in labels} <= {"Change", "Forgetting"}
    changes = [node for labels, node in left if "Change" in labels]
    assert not [node for node in changes if node.get("body") or node["reason"] != "forgotten"]
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))
    with pytest.raises(NotFoundError):
        await memory.forgetting.user(here, "alice")


async def test_forgotten_user_can_start_anew(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH[:3])
    before = await memory_of(graph, tenant)
    await a_memory(graph).forgetting.user(TenantId(tenant), "alice")
    await store_lines(graph, tenant, ENGLISH[:3])
    assert await memory_of(graph, tenant) == before


async def test_messages_of_a_user_being_forgotten_are_not_stored(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH[:3])
    here, node_id = TenantId(tenant), memory_id(user_uri(tenant, "alice"))
    fence = {"id": "a-mark", "kind": "user", "user_node_id": None, "at_ms": 0}
    await begin_user_erasure(graph, here, UserId("alice"), node_id, fence, now_ms=0)
    with pytest.raises(UnavailableError):
        await store_lines(graph, tenant, ENGLISH[3:4])
    await a_worker(graph).drain()
    assert await memory_of(graph, tenant) == []
    await store_lines(graph, tenant, ENGLISH[3:4])


async def test_forgetting_a_user_of_another_tenant_is_refused(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    await store_lines(graph, tenant, ENGLISH[:3])
    await store_lines(graph, other, ENGLISH[:1], user="zoe")
    before = await memory_of(graph, tenant)
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.user(TenantId(other), "alice")
    assert await memory_of(graph, tenant) == before
