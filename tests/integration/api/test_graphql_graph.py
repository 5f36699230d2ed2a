"""Test nodes and facts over GraphQL: nested fields, pages, paths, changes and round trips to Neo4j."""

from datetime import timedelta
from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.round_trips import counted
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming

_FACTS = """query ($id: String!, $first: Int!, $after: String, $asOf: DateTime) { user(userId: $id) {
  facts(first: $first, after: $after, asOf: $asOf) { pageInfo { hasNextPage endCursor }
    edges { cursor node { id statement validAt subject { name kind } object { name } evidence { text } } } } } }"""
_SAID = ("I love jasmine tea.", "I like coffee.", "My sister Anna works at Acme.", "I live in Paris.", "我喜欢猫。")


async def run_query(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
    assert not answer.errors, answer.errors
    assert answer.data is not None
    return answer.data


async def store(graph: Graph, tenant: str) -> None:
    messages = tuple(a_message(text, time=NOON + timedelta(days=day)) for day, text in enumerate(_SAID))
    await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=messages))
    await a_worker(graph).drain()


async def test_pages_contain_every_fact_once_despite_concurrent_writes(graph: Graph, tenant: str) -> None:
    await store(graph, tenant)
    whole = (await run_query(graph, tenant, _FACTS, id="alice", first=100))["user"]["facts"]
    assert whole["pageInfo"]["hasNextPage"] is False
    every = [edge["node"]["id"] for edge in whole["edges"]]
    seen: list[str] = []
    after = None
    for _ in every:
        page = (await run_query(graph, tenant, _FACTS, id="alice", first=2, after=after))["user"]["facts"]
        seen += [edge["node"]["id"] for edge in page["edges"]]
        if after is None:
            # These sort before everything else and must not shift the pages.
            later = a_message("I love opera.", time=NOON + timedelta(days=30))
            await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(later,), session="s2"))
            await a_worker(graph).drain()
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == every
    assert len(every) >= 4


async def test_query_of_depth_three_takes_three_round_trips_at_any_width(graph: Graph, tenant: str) -> None:
    await store(graph, tenant)
    with counted() as trips:
        found = await run_query(graph, tenant, _FACTS, id="alice", first=50)
    nodes = [edge["node"] for edge in found["user"]["facts"]["edges"]]
    assert len({node["object"]["name"] for node in nodes}) >= 4
    assert all(node["evidence"][0]["text"] in _SAID for node in nodes)
    # Round trips: the user; their facts with both ends; the evidence of all facts.
    assert trips.sent <= 3
    deep = '{ user(userId: "alice") { facts { nodes { object { facts { nodes { statement } } } } } } }'
    with counted() as trips:
        await run_query(graph, tenant, deep)
    assert trips.sent <= 3


async def test_facts_by_valid_time_and_transaction_time(graph: Graph, tenant: str) -> None:
    await store(graph, tenant)
    before = (NOON - timedelta(days=1)).isoformat()
    assert (await run_query(graph, tenant, _FACTS, id="alice", first=9, asOf=before))["user"]["facts"]["edges"] == []
    line = await run_query(graph, tenant, '{ facts(userId: "alice", first: 2) { nodes { statement validAt } } }')
    assert [one["validAt"][:10] for one in line["facts"]["nodes"]] == ["2026-03-05", "2026-03-04"]


async def test_nodes_link_to_neighbours_paths_changes_and_counts(graph: Graph, tenant: str) -> None:
    await store(graph, tenant)
    user = (await run_query(graph, tenant, '{ user(userId: "alice") { id kind name } }'))["user"]
    graph_now = (
        await run_query(graph, tenant, "{ graph { epoch seq nodes { id name kind } edges { sourceId targetId } } }")
    )["graph"]
    acme = next(node for node in graph_now["nodes"] if node["name"] == "Acme")
    near = await run_query(
        graph,
        tenant,
        "query ($id: String!) { neighbors(id: $id) { nodes { name } edges { predicate } } }",
        id=acme["id"],
    )
    assert {"Acme", "Anna"} <= {node["name"] for node in near["neighbors"]["nodes"]}
    way = await run_query(
        graph,
        tenant,
        "query ($a: String!, $b: String!) { path(source: $a, target: $b) { paths } }",
        a=user["id"],
        b=acme["id"],
    )
    assert way["path"]["paths"][0][-1] == acme["id"]
    log = (
        await run_query(
            graph, tenant, "{ changesSince(seq: 1, first: 5) { epoch head complete nodes { seq op body } } }"
        )
    )["changesSince"]
    assert (log["epoch"], log["complete"], [one["seq"] for one in log["nodes"]]) == (
        graph_now["epoch"],
        True,
        [2, 3, 4, 5, 6],
    )
    told_of = await run_query(
        graph, tenant, "{ stats { messages sessions entities facts users } jobs { nodes { kind state } } }"
    )
    assert (told_of["stats"]["messages"], told_of["stats"]["sessions"], told_of["stats"]["users"]) == (5, 1, 1)
    assert told_of["jobs"]["nodes"] == []
    named = await run_query(
        graph, tenant, "query ($id: String!) { entity(id: $id) { name facts { nodes { statement } } } }", id=acme["id"]
    )
    assert named["entity"]["name"] == "Acme"


@pytest.mark.parametrize("field", ["entity", "scene", "node", "neighbors"])
async def test_elements_of_another_tenant_are_not_found(graph: Graph, tenant: str, field: str) -> None:
    await store(graph, tenant)
    user = (await run_query(graph, tenant, '{ user(userId: "alice") { id } }'))["user"]["id"]
    inner = "{ total }" if field == "neighbors" else "{ name }"
    context = {"memory": a_memory(graph), "tenant": TenantId(f"{tenant}-other")}
    kind = "ID" if field == "node" else "String"
    answer = await graphql_schema.execute(
        f"query ($id: {kind}!) {{ {field}(id: $id) {inner} }}", variable_values={"id": user}, context_value=context
    )
    assert answer.errors is not None
    assert [error.extensions["code"] for error in answer.errors if error.extensions] == ["NOT_FOUND"]
