"""Test token usage and fact details over GraphQL."""

from typing import Any

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import REMEMBER, Api, _said, api
from tests.support.builders import a_worker

__all__ = ["api"]

USAGE = """{ usage(days: 2) {
  tokensPerDay tokensLeft days { day calls tokensIn scenesByModel scenesByRules scenesOverBudget } } }"""
FACTS = """{ recall(userId: "alice", query: "Postgres", kinds: [FACT]) {
  hits { object factKind rationale steps } } }"""
DECISION: dict[str, Any] = {
    "subject": "user",
    "predicate": "CARES_ABOUT",
    "object": "Postgres",
    "statement": "Alice decided to use Postgres.",
    "kind": "DECISION",
    "rationale": "The team knows it.",
    "importance": 9,
}


async def test_usage_is_reported_for_the_own_tenant_only(api: Api, graph: Graph, tenant: str) -> None:
    await api.ask(REMEMBER, input=_said())
    await a_worker(graph).drain()
    told = (await api.ask(USAGE))["data"]["usage"]
    assert (told["tokensPerDay"], told["tokensLeft"]) == (None, None)
    assert [(day["calls"], day["scenesByModel"], day["scenesByRules"]) for day in told["days"]] == [(0, 0, 1)]
    stranger = Api(api._client, f"{tenant}-2")
    assert (await stranger.ask(USAGE))["data"]["usage"]["days"] == []


async def test_provided_decision_is_returned_as_a_decision(api: Api, graph: Graph) -> None:
    await api.ask(REMEMBER, input={**_said("Let us take Postgres."), "facts": [DECISION]})
    await a_worker(graph).drain()
    (hit,) = (await api.ask(FACTS))["data"]["recall"]["hits"]
    assert hit == {"object": "Postgres", "factKind": "DECISION", "rationale": "The team knows it.", "steps": []}


async def test_days_out_of_bounds_are_an_input_error(api: Api) -> None:
    answer = await api.ask("{ usage(days: 0) { days { day } } }")
    assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"
