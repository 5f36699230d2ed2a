"""Test token usage and fact details over GraphQL."""

from typing import Any

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import REMEMBER, Door, _said, door
from tests.support.builders import a_worker

__all__ = ["door"]

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


async def test_usage_is_told_for_ones_own_tenant_only(door: Door, graph: Graph, tenant: str) -> None:
    await door.ask(REMEMBER, input=_said())
    await a_worker(graph).drain()
    told = (await door.ask(USAGE))["data"]["usage"]
    assert (told["tokensPerDay"], told["tokensLeft"]) == (None, None)
    assert [(day["calls"], day["scenesByModel"], day["scenesByRules"]) for day in told["days"]] == [(0, 0, 1)]
    stranger = Door(door._client, f"{tenant}-2")
    assert (await stranger.ask(USAGE))["data"]["usage"]["days"] == []


async def test_a_brought_decision_comes_back_as_one(door: Door, graph: Graph) -> None:
    await door.ask(REMEMBER, input={**_said("Let us take Postgres."), "facts": [DECISION]})
    await a_worker(graph).drain()
    (hit,) = (await door.ask(FACTS))["data"]["recall"]["hits"]
    assert hit == {"object": "Postgres", "factKind": "DECISION", "rationale": "The team knows it.", "steps": []}


async def test_days_out_of_bounds_are_the_callers_mistake(door: Door) -> None:
    answer = await door.ask("{ usage(days: 0) { days { day } } }")
    assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"
