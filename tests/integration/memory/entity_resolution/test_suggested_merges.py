"""Test suggested merges on a real Neo4j; rejected pairs are not suggested again."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.errors import InputError, NotFoundError
from schema.ids import TenantId
from tests.integration.api.test_graphql_identity import run_operation
from tests.integration.memory.entity_resolution.test_merges import an_id, merge, say
from tests.support.builders import a_memory
from tests.support.graph_hash import graph_rows

SAID = [
    ("Bob", "RELATES_TO", "Acme", "works at"),
    ("Robert", "RELATES_TO", "Acme", "works at"),
    ("小红", "PREFERS", "茶", None),
    ("王小红", "PREFERS", "茶", None),
    ("Anna", "RELATES_TO", "Annie", "sister"),
]
SUGGEST = "query($u: String) { suggestedMerges(userId: $u) { firstName secondName score reasons } }"
REJECT = 'mutation($a: String!, $b: String!) { rejectMerge(firstId: $a, secondId: $b, reason: "two men") }'


async def suggested(graph: Graph, tenant: str, user: str | None = None) -> list[set[str]]:
    found: Any = (await run_operation(graph, tenant, SUGGEST, u=user)).data
    assert all(0 < pair["score"] < 1 and pair["reasons"] for pair in found["suggestedMerges"])
    return [{pair["firstName"], pair["secondName"]} for pair in found["suggestedMerges"]]


async def test_duplicates_are_suggested_but_not_merged_automatically(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, *SAID, session="s1")
    await say(graph, tenant, ("Rob", "PREFERS", "茶", None), session="s1", user="zoe")
    before = await graph_rows(graph, tenant)
    both = [{"Bob", "Robert"}, {"小红", "王小红"}]
    assert sorted(map(sorted, await suggested(graph, tenant))) == sorted(map(sorted, both))
    assert len(await suggested(graph, tenant, "alice")) == 2
    assert await suggested(graph, tenant, "zoe") == []
    assert await graph_rows(graph, tenant) == before


async def test_rejected_pair_is_not_suggested_again(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, *SAID, session="s1")
    done = await run_operation(graph, tenant, REJECT, a=an_id(tenant, "Robert"), b=an_id(tenant, "Bob"))
    assert done.errors is None
    again = await run_operation(graph, tenant, REJECT, a=an_id(tenant, "Bob"), b=an_id(tenant, "Robert"))
    assert again.data == done.data
    assert await suggested(graph, tenant) == [{"小红", "王小红"}]
    await say(graph, tenant, ("Robert", "PREFERS", "茶", None), ("Bob", "PREFERS", "茶", None), session="s2")
    await merge(a_memory(graph), tenant, "Bob", "Acme")
    assert {"Bob", "Robert"} not in await suggested(graph, tenant)


async def test_suggestions_and_rejections_stay_within_their_tenant(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    await say(graph, tenant, *SAID, session="s1")
    await say(graph, other, *SAID[2:], session="s1")
    memory = a_memory(graph)
    with pytest.raises(NotFoundError):
        await memory.merges.reject(TenantId(other), an_id(tenant, "Bob"), an_id(tenant, "Robert"), "not ours")
    with pytest.raises(InputError):
        await memory.entities.suggested_merges(TenantId(other), None, limit=101)
    await memory.merges.reject(TenantId(tenant), an_id(tenant, "小红"), an_id(tenant, "王小红"), "两个人")
    assert await suggested(graph, other) == [{"小红", "王小红"}]
    assert await suggested(graph, tenant) == [{"Bob", "Robert"}]
