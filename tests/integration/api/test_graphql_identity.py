"""Test merging and splitting entities over GraphQL."""

from typing import Any

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from tests.integration.memory.entity_resolution.test_merges import BOTH, an_id, say
from tests.support.builders import a_memory

MERGE = 'mutation($k: String!, $m: String!) { mergeEntities(keepId: $k, mergeId: $m, reason: "said so") { mergeId } }'
SPLIT = "mutation($id: String!) { splitEntity(id: $id) { mergedId } }"
LIST = '{ entities(userId: "alice") { nodes { name aliases merged } } }'


async def run_operation(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    """Return the result of one operation of a tenant."""
    context = {"memory": a_memory(graph), "tenant": tenant}
    return await graphql_schema.execute(query, variable_values=variables, context_value=context)


async def test_merge_over_graphql_is_listed_and_undone(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, *BOTH, session="s1")
    bob, bobby = an_id(tenant, "Bob"), an_id(tenant, "Bobby")
    done = await run_operation(graph, tenant, MERGE, k=bob, m=bobby)
    listed = await run_operation(graph, tenant, LIST)
    assert {"name": "Bob", "aliases": ["Bobby"], "merged": [bobby]} in listed.data["entities"]["nodes"]
    split = await run_operation(graph, tenant, SPLIT, id=done.data["mergeEntities"]["mergeId"])
    assert split.data == {"splitEntity": {"mergedId": bobby}}
    again = await run_operation(graph, tenant, SPLIT, id=bobby)
    assert again.errors[0].extensions["code"] == "CONFLICT"
