"""Random operations with values nobody should send are answered or refused, never a failure. Requirements E1 and F6."""

from graph_service.graph.store import Graph
from tests.benchmarks.graphql_fuzz import fuzzed


async def test_random_operations_are_answered_or_refused_with_a_code(graph: Graph, tenant: str) -> None:
    codes = await fuzzed(graph, tenant, seed=20261121, cases=60)
    assert sum(codes.values()) >= 60
    assert codes["answered"] >= 5
