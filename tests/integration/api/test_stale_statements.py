"""Test over GraphQL that statements sink below newer ones about the same, however often they were asked for."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import Api, api
from tests.support.builders import a_worker

__all__ = ["api"]

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
RECALL = 'query ($q: String!) { recall(userId: "ana", query: $q, kinds: [MESSAGE]) { hits { text } } }'
STORIES = {
    "en": (
        ("I keep my bike in the cellar.", "I keep my bike in the hallway.", "My cat sleeps all day."),
        "Where does she keep her bike now?",
    ),
    "zh": (("我的自行车停在地下室。", "我的自行车停在走廊里。", "我的猫整天睡觉。"), "她的自行车现在停在哪里？"),
}


async def ask(api: Api, query: str, **variables: Any) -> Any:
    answer = await api.ask(query, **variables)
    assert "errors" not in answer, answer
    return answer["data"]


@pytest.mark.parametrize("language", STORIES)
async def test_older_statements_sink_below_newer_ones(api: Api, graph: Graph, language: str) -> None:
    """B5: use does not keep a stale statement up (docs/decisions/0005-use-and-age.md)."""
    (old, new, other), question = STORIES[language]
    for month, text in (("01", old), ("09", new), ("10", other)):
        message = {"role": "USER", "text": text, "time": f"2025-{month}-03T12:00:00Z"}
        given = {"userId": "ana", "sessionId": f"s{month}", "messages": [message]}
        await ask(api, REMEMBER, i=given)
        if text == old:
            # While it is the only answer it is used, which is recorded.
            for _ in range(3):
                assert (await ask(api, RECALL, q=question))["recall"]["hits"][0]["text"] == old
    await a_worker(graph).drain()
    found = [hit["text"] for hit in (await ask(api, RECALL, q=question))["recall"]["hits"]]
    assert found[:2] == [new, old]


@pytest.mark.parametrize(
    ("wrong", "right", "question", "fact"),
    [
        ("I weigh 82 kilos.", "Oops, I meant 72.", "How much do I weigh?", "72 kilos"),
        ("我体重82公斤。", "写错了，是72。", "我体重多少？", "72公斤"),
    ],
)
async def test_correction_in_the_next_message_ranks_above_it_and_replaces_its_facts(
    api: Api, graph: Graph, wrong: str, right: str, question: str, fact: str
) -> None:
    turns = (("USER", wrong), ("ASSISTANT", "OK."), ("USER", right))
    messages = [
        {"role": role, "text": text, "time": f"2026-10-01T10:0{minute}:00Z"}
        for minute, (role, text) in enumerate(turns)
    ]
    await ask(api, REMEMBER, i={"userId": "ana", "sessionId": "s", "messages": messages})
    recall = RECALL.replace("{ text }", "{ id text overtakenBy }")
    for _ in range(2):
        # Before its session is read, and after.
        hits = (await ask(api, recall, q=question))["recall"]["hits"]
        assert hits[0]["text"] == right
        assert [hit["overtakenBy"] for hit in hits if hit["text"] == wrong] == [hits[0]["id"]]
        await a_worker(graph).drain()
    facts = '{ facts(userId: "ana", first: 9, includeClosed: true) { nodes { object { name } } } }'
    objects = [node["object"]["name"] for node in (await ask(api, facts))["facts"]["nodes"]]
    assert fact in objects
    assert not any(value in wrong for value in objects if any(char.isdigit() for char in value))


@pytest.mark.parametrize(
    ("wrong", "right", "values"),
    [
        ("My locker code at the gym is 4711.", "Oops, the code is 4717.", ("4711", "4717")),
        ("我住在杭州。", "打错了，是苏州。", ("杭州", "苏州")),
        ("Der Code vom Spind ist 4711.", "Ups, der Code ist 4717.", ("4711", "4717")),
    ],
)
async def test_correction_of_a_message_that_was_read_before_withdraws_its_fact(
    api: Api, graph: Graph, wrong: str, right: str, values: tuple[str, str]
) -> None:
    for minute, text in enumerate((wrong, right)):
        message = {"role": "USER", "text": text, "time": f"2026-10-01T10:0{minute}:00Z"}
        await ask(api, REMEMBER, i={"userId": "ana", "sessionId": "s", "messages": [message]})
        await a_worker(graph).drain()
    facts = '{ facts(userId: "ana", first: 9, includeClosed: true) { nodes { object { name } invalidAt } } }'
    nodes = (await ask(api, facts))["facts"]["nodes"]
    valid = {node["object"]["name"]: node["invalidAt"] is None for node in nodes if node["object"]["name"] in values}
    assert valid == {values[1]: True}
