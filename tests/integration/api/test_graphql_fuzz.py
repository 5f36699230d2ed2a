"""Test that random GraphQL operations are answered or refused and never fail."""

import pytest

from graph_service.graph.store import Graph
from tests.benchmarks.graphql_fuzz import fuzzed
from tests.support.slow import slow_but


@pytest.mark.parametrize("cases", slow_but([30], [30, 120]))
async def test_random_operations_are_answered_or_refused_with_a_code(graph: Graph, tenant: str, cases: int) -> None:
    codes = await fuzzed(graph, tenant, seed=20261121, cases=cases)
    assert sum(codes.values()) >= cases
    assert codes["answered"] >= 5
