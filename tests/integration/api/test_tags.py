"""Test tags of messages: bounded, normalised, and filters of recall and lists at every interface."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from graph_service.api.graphql.schema import graphql_schema
from graph_service.cli.main import app
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker
from tests.support.mcp_service import McpService, serving

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
RECALL = """query ($q: String!, $f: RecallFilter, $k: [HitKind!]) {
  recall(userId: "ana", query: $q, filter: $f, kinds: $k, evidence: 1, limit: 20) { hits { text tags } } }"""
SCENES = """query ($t: [String!]) { scenes(userId: "ana", tags: $t) { nodes { summary
  facts { nodes { statement tags evidence { tags } } } } } }"""
FACTS = """{ user(userId: "ana") { facts { nodes { statement tags evidence { text tags } } } } }"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph)) as running:
        yield running


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
    assert answer.errors is None, answer.errors
    return answer.data


async def tell(graph: Graph, tenant: str, text: str, *tags: str, day: int = 1, session: str = "s") -> None:
    message = {"role": "USER", "text": text, "time": f"2026-03-{day:02}T12:00:00Z", "tags": list(tags)}
    await ask(graph, tenant, REMEMBER, i={"userId": "ana", "sessionId": f"{session}{day}", "messages": [message]})


async def texts(graph: Graph, tenant: str, question: str, *tags: str, kind: str = "MESSAGE") -> list[str]:
    found = await ask(graph, tenant, RECALL, q=question, f={"tags": list(tags)}, k=[kind])
    return [hit["text"] for hit in found["recall"]["hits"]]


async def test_recall_returns_only_messages_scenes_and_facts_with_a_tag(graph: Graph, tenant: str) -> None:
    """Also when its words and meaning are far from the question."""
    await tell(graph, tenant, "I love jasmine tea. The harbour café sells it.", "Lisbon Trip", "#Food", day=1)
    await tell(graph, tenant, "I love green tea.", "work", day=2)
    await tell(graph, tenant, "我喜欢茉莉花茶。", "旅行", day=3)
    await tell(graph, tenant, "The tram was late again.", "lisbon trip", day=4)
    await a_worker(graph).drain()
    assert await texts(graph, tenant, "Which tea do I love?", "LISBON  trip") == [
        "I love jasmine tea. The harbour café sells it.",
        "The tram was late again.",
    ]
    assert await texts(graph, tenant, "Which tea do I love?", "#food", "旅行") == [
        "I love jasmine tea. The harbour café sells it.",
        "我喜欢茉莉花茶。",
    ]
    assert await texts(graph, tenant, "Which tea do I love?", "unknown") == []
    facts = await texts(graph, tenant, "Which tea do I love?", "work", kind="FACT")
    assert facts, "a fact has the tags of its evidence"
    assert all("green tea" in fact for fact in facts)
    assert await texts(graph, tenant, "tea", "旅行", kind="SCENE") == ["我喜欢茉莉花茶。"]
    unfiltered = await ask(graph, tenant, RECALL, q="Which tea of the harbour do I love?", f=None, k=["MESSAGE"])
    assert ["food", "lisbon trip"] in [hit["tags"] for hit in unfiltered["recall"]["hits"]]
    assert await texts(graph, f"{tenant}-2", "Which tea do I love?", "work") == []


async def test_scenes_and_facts_show_their_tags(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "I love jasmine tea.", "Food", day=1)
    await tell(graph, tenant, "I hate coffee.", day=2)
    await a_worker(graph).drain()
    tagged = (await ask(graph, tenant, SCENES, t=["food"]))["scenes"]["nodes"]
    assert [scene["summary"] for scene in tagged] == ["I love jasmine tea."]
    assert len((await ask(graph, tenant, SCENES, t=None))["scenes"]["nodes"]) == 2
    facts = (await ask(graph, tenant, FACTS))["user"]["facts"]["nodes"]
    tags = {"jasmine" in fact["statement"]: fact["tags"] for fact in facts}
    assert tags == {True: ["food"], False: []}


@pytest.mark.parametrize(
    ("tags", "problem"),
    [
        (["x" * 61], "at most 60"),
        ([f"t{number}" for number in range(21)], "at most 20"),
        (["!!!"], "letters or digits"),
        (["a\x07b"], "control characters"),
    ],
)
async def test_tags_out_of_bounds_are_refused(graph: Graph, tenant: str, tags: list[str], problem: str) -> None:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    message = {"role": "USER", "text": "I love tea.", "tags": tags}
    given = {"i": {"userId": "ana", "sessionId": "s", "messages": [message]}}
    told = await graphql_schema.execute(REMEMBER, variable_values=given, context_value=context)
    asked = await graphql_schema.execute(
        RECALL, variable_values={"q": "tea", "f": {"tags": tags}}, context_value=context
    )
    for answer in (told, asked):
        assert problem in str((answer.errors or [])[0])


async def test_an_agent_tags_and_filters_over_mcp(service: McpService, graph: Graph, tenant: str) -> None:
    async with service.agent(tenant, user="ana") as agent:
        for text, tag in (("The deploy key is rotated on Mondays.", "ops"), ("Mondays are for swimming.", "life")):
            await agent.call("remember", messages=[{"role": "user", "text": text, "tags": [tag]}])
        found = await agent.call("recall", query="What happens on Mondays?", kinds=["message"], tags=["ops"])
        assert [(hit["text"], hit["tags"]) for hit in found["hits"]] == [
            ("The deploy key is rotated on Mondays.", ["ops"])
        ]


def test_the_command_line_tags_filters_and_exports_them(home: Path, tenant: str, tmp_path: Path) -> None:
    """An import restores tags, under which the messages are then found in the other tenant."""

    def run(*words: str) -> Any:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, (words, done.output, done.exception)
        return json.loads(done.stdout)

    run("remember", "I swim on Mondays.", "--user", "ana", "--tag", "Sport", "--no-wait")
    run("remember", "I sleep on Sundays.", "--user", "ana", "--no-wait")
    question = ("recall", "What do I do on Sundays?", "--user", "ana", "--tag", "sport", "--kind", "message")
    assert [hit["text"] for hit in run(*question)["hits"]] == ["I swim on Mondays."]
    file, copy = tmp_path / "all.jsonl", f"{tenant}-copy"
    run("export", "--output", str(file))
    run("import", str(file), "--tenant", copy)
    assert [hit["text"] for hit in run(*question, "--tenant", copy)["hits"]] == ["I swim on Mondays."]
