"""Test that one liking told in different ways, sessions and by different callers is one fact, over GraphQL."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql_facts import run_operation
from tests.integration.memory.facts.test_conflict_resolution import say
from tests.support.builders import a_worker

_FACTS = """{ user(userId: "alice") { facts(includeClosed: true) { nodes {
  id statement relation validAt invalidAt object { name } evidence { id text } } } } }"""
_REMEMBER = """mutation ($input: RememberInput!) { remember(input: $input) { closes { id } dropped } }"""
_HISTORY = "query ($id: String!) { factHistory(id: $id) { statement closing { reason factId } } }"
_CONTEXT = 'query ($q: String!) { context(userId: "alice", query: $q) { text } }'


async def facts_of(graph: Graph, tenant: str) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await run_operation(graph, tenant, _FACTS)).data["user"]["facts"]["nodes"]
    return nodes


async def told_by_agent(graph: Graph, tenant: str, day: int, fact: dict[str, str]) -> dict[str, Any]:
    given = {
        "userId": "alice",
        "sessionId": f"agent-{day}",
        "messages": [{"role": "USER", "text": f"Note {day}.", "time": f"2026-03-{day + 1:02}T12:00:00Z"}],
        "facts": [{"subject": "user", "statement": f"Alice: {fact['object']}."} | fact],
    }
    answer = await run_operation(graph, tenant, _REMEMBER, input=given)
    assert answer.errors is None
    await a_worker(graph).drain()
    told: dict[str, Any] = answer.data["remember"]
    return told


_TOLD = [
    ("I love oat milk.", "My favourite milk is oat milk.", {"predicate": "likes", "object": "oat milk"}),
    ("Ramen is my favorite dish.", "My favorite food is ramen.", {"predicate": "RELATES_TO", "relation": "loves"}),
    (
        "我喜欢燕麦奶。",
        "我最喜欢的奶是燕麦奶。",
        {"predicate": "RELATES_TO", "relation": "最喜欢的奶", "object": "燕麦奶"},
    ),
]


@pytest.mark.parametrize(
    ("told", "order"), [(_TOLD[at], order) for at, order in enumerate(((0, 1, 2), (2, 1, 0), (1, 0, 2)))]
)
async def test_one_liking_told_in_several_sessions_and_by_an_agent_is_one_fact(
    graph: Graph, tenant: str, told: tuple[Any, ...], order: tuple[int, ...]
) -> None:
    for day in order:
        if isinstance(told[day], str):
            await say(graph, tenant, told[day], day=day)
        else:
            await told_by_agent(graph, tenant, day, {"object": "ramen"} | told[day])
    [fact] = [one for one in await facts_of(graph, tenant) if one["invalidAt"] is None]
    assert len(fact["evidence"]) == 3
    assert fact["relation"] is not None


@pytest.mark.parametrize(
    ("liked", "favourite", "newer", "names", "question"),
    [
        (
            "I love oat milk.",
            "My favourite milk is oat milk.",
            "My favourite milk is now soy milk.",
            ("oat milk", "soy milk"),
            "What is my favourite milk?",
        ),
        (
            "我喜欢燕麦奶。",
            "燕麦奶是我最喜欢的奶。",
            "我现在最喜欢的奶是豆奶。",
            ("燕麦奶", "豆奶"),
            "我最喜欢的奶是什么？",
        ),
    ],
)
async def test_newer_favourite_ends_the_favourite_and_leaves_the_liking(
    graph: Graph, tenant: str, liked: str, favourite: str, newer: str, names: tuple[str, str], question: str
) -> None:
    await say(graph, tenant, liked, day=0)
    await say(graph, tenant, favourite, day=1)
    [former] = [one for one in await facts_of(graph, tenant) if one["invalidAt"] is None]
    await say(graph, tenant, newer, day=2)
    facts = await facts_of(graph, tenant)
    valid = {one["object"]["name"]: one for one in facts if one["invalidAt"] is None}
    assert set(valid) == set(names)
    assert (valid[names[0]]["relation"], valid[names[1]]["relation"]) == (None, former["relation"])
    history = (await run_operation(graph, tenant, _HISTORY, id=former["id"])).data["factHistory"]
    closings = {one["statement"]: one["closing"] for one in history}
    assert closings[former["statement"]] == {"reason": "REPLACED", "factId": valid[names[1]]["id"]}
    assert closings[valid[names[0]]["statement"]] is None
    text = (await run_operation(graph, tenant, _CONTEXT, q=question)).data["context"]["text"]
    assert [line for line in text.splitlines() if liked in line and "(" in line.partition(liked)[2]] == []


async def test_merged_liking_is_told_as_ended_nowhere(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I love oat milk.", day=0)
    await say(graph, tenant, "My favourite milk is oat milk.", day=1)
    for question in ("What milk do I like?", "What milk did I use to like before?"):
        text = (await run_operation(graph, tenant, _CONTEXT, q=question)).data["context"]["text"]
        assert "oat milk" in text
        assert "no longer" not in text


async def test_forgotten_favourite_leaves_the_liking(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I love oat milk.", day=0)
    await say(graph, tenant, "My favourite milk is oat milk.", day=1)
    [fact] = [one for one in await facts_of(graph, tenant) if one["invalidAt"] is None]
    [favourite] = [one["id"] for one in fact["evidence"] if "favourite" in one["text"]]
    forgot = await run_operation(graph, tenant, f'mutation {{ forgetMessage(id: "{favourite}") {{ messages }} }}')
    assert forgot.errors is None
    await a_worker(graph).drain()
    [left] = await facts_of(graph, tenant)
    assert (left["relation"], left["invalidAt"], len(left["evidence"])) == (None, None, 1)


async def test_provided_liking_of_a_favourite_closes_nothing(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I love oat milk.", day=0)
    told = await told_by_agent(
        graph, tenant, 1, {"predicate": "PREFERS", "relation": "favorite milk", "object": "oat milk"}
    )
    assert told == {"closes": [], "dropped": []}
