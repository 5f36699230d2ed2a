"""Test that random GraphQL operations are answered or refused and never fail."""

from graph_service.graph.store import Graph
from tests.benchmarks.graphql_fuzz import fuzzed


async def test_random_operations_are_answered_or_refused_with_a_code(graph: Graph, tenant: str) -> None:
    codes = await fuzzed(graph, tenant, seed=20261121, cases=60)
    assert sum(codes.values()) >= 60
    assert codes["answered"] >= 5
