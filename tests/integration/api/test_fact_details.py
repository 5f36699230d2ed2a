"""Test that the details of facts and entities, and every URI of a fact, are available over GraphQL and MCP."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from extraction.llm.reader_chain import model_chain
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.fake_openai import FakeOpenAI, says
from tests.support.mcp_service import McpService, serving
from tests.support.readers import read_with_tags

READING = {
    "title": "Health",
    "summary": "Quitting.",
    "facts": [
        {
            "subject": "user",
            "predicate": "DISLIKES",
            "object": "ambulance sirens",
            "statement": "Ambulance sirens frighten her since the accident in May 2025.",
            "messages": ["m1"],
            "trigger_emotion": "fear",
            "time_start": "2025-05-01",
            "time_end": "2025-06-01",
        }
    ],
    "decisions": [
        {"about": "smoking", "statement": "She quits smoking.", "rationale": "Her health.", "messages": ["m1"]}
    ],
    "procedures": [
        {
            "doer": "assistant",
            "goal": "find a course",
            "steps": [{"action": "search the clinic's site", "result": "two courses"}],
            "messages": ["m2"],
        }
    ],
    "entities": [
        {"name": "Rex", "type": "animal", "attributes": [{"name": "age", "value": "3 years"}], "messages": ["m1"]}
    ],
}
DETAILS = "kind rationale steps triggerEmotion mentionedStart mentionedEnd"
HITS = f"""query ($q: String!) {{ recall(userId: "alice", query: $q, kinds: [FACT]) {{
  hits {{ id uri object factKind {DETAILS.removeprefix("kind ")} }} }} }}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph)) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def filled(graph: Graph, tenant: str) -> str:
    """Return a tenant with a scene that a scripted model has read."""
    await a_worker(graph).drain()
    messages = an_incoming("I quit smoking for my health. Rex is 3. Sirens frighten me.").messages
    answer = type(messages[0])(role="assistant", text="I searched the clinic's site.", time=messages[0].time)
    with FakeOpenAI(says(json.dumps(READING))) as fake:
        model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=5))
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(*messages, answer)))
        await a_worker(
            graph, readers=Readers(first=model_chain(model, read_with_tags), fallback=read_with_tags)
        ).drain()
    return tenant


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
    assert answer.errors is None, answer.errors
    return answer.data


async def hits(graph: Graph, tenant: str) -> dict[str, dict[str, Any]]:
    """Return the fact hits by object."""
    found = await ask(graph, tenant, HITS, q="smoking, ambulance sirens, find a course at the clinic")
    return {hit["object"]: hit for hit in found["recall"]["hits"]}


async def test_graphql_shows_emotion_time_rationale_and_steps(graph: Graph, filled: str) -> None:
    by_object = await hits(graph, filled)
    sirens, smoking, course = (by_object[name] for name in ("ambulance sirens", "smoking", "find a course"))
    assert (sirens["triggerEmotion"], sirens["mentionedStart"][:10], sirens["mentionedEnd"][:10]) == (
        "fear",
        "2025-05-01",
        "2025-06-01",
    )
    assert (smoking["factKind"], smoking["rationale"]) == ("DECISION", "Her health.")
    assert (course["factKind"], course["steps"]) == ("PROCEDURE", ["search the clinic's site → two courses"])
    status = f"query ($id: String!) {{ fact(id: $id) {{ uri {DETAILS} }} factHistory(id: $id) {{ {DETAILS} }} }}"
    told = await ask(graph, filled, status, id=sirens["id"])
    assert told["fact"]["triggerEmotion"] == told["factHistory"][0]["triggerEmotion"] == "fear"
    assert told["fact"]["mentionedStart"] == sirens["mentionedStart"]
    parts = f"{DETAILS} object {{ name uri attributes {{ name value }} }}"
    of_user = f'{{ facts(userId: "alice") {{ nodes {{ {parts} }} }} }}'
    nodes = (await ask(graph, filled, of_user))["facts"]["nodes"]
    assert {(node["kind"], node["rationale"]) for node in nodes} >= {("DECISION", "Her health.")}
    assert {node["triggerEmotion"] for node in nodes} >= {"fear"}


async def test_attributes_of_an_entity_are_shown(graph: Graph, service: McpService, filled: str) -> None:
    listed = await ask(graph, filled, '{ entities(userId: "alice") { nodes { id name } } }')
    rex = next(node["id"] for node in listed["entities"]["nodes"] if node["name"] == "Rex")
    query = "query ($id: ID!) { node(id: $id) { uri attributes { name value } } }"
    node = (await ask(graph, filled, query, id=rex))["node"]
    assert node["attributes"] == [{"name": "age", "value": "3 years"}]
    assert (await ask(graph, filled, query, id=node["uri"]))["node"] == node
    async with service.agent(filled, user="alice", tools="all") as agent:
        (found,) = [one for one in (await agent.call("search_nodes", query="Rex"))["nodes"] if one["name"] == "Rex"]
        assert found["attributes"] == {"age": "3 years"}


async def test_mcp_hits_and_the_panel_show_the_details(graph: Graph, service: McpService, filled: str) -> None:
    async with service.agent(filled, user="alice", tools="all") as agent:
        answer = await agent.call("recall", query="ambulance sirens, smoking", kinds=["fact"])
    by_object = {hit["object"]: hit for hit in answer["hits"]}
    assert by_object["ambulance sirens"]["trigger_emotion"] == "fear"
    assert by_object["ambulance sirens"]["mentioned_start"].startswith("2025-05-01")
    assert (by_object["smoking"]["fact_kind"], by_object["smoking"]["rationale"]) == ("decision", "Her health.")
    panel = await a_memory(graph).mindmap.evidence(filled, by_object["ambulance sirens"]["id"])
    assert (panel.trigger_emotion, (panel.mentioned_start or "")[:10]) == ("fear", "2025-05-01")


async def test_every_uri_of_a_fact_resolves_at_every_door(graph: Graph, service: McpService, filled: str) -> None:
    profile = '{ profile(userId: "alice") { items { id uri statement } } }'
    items = [item for part in (await ask(graph, filled, profile))["profile"] for item in part["items"]]
    assert items
    query = "query ($id: String!, $uri: String!) { fact(id: $id) { id uri } layer(uri: $uri) { uri text } }"
    for item in items:
        by_id = await ask(graph, filled, query, id=item["id"], uri=f"{item['uri']}#L0")
        assert by_id["fact"]["id"] == item["id"]
        assert by_id["layer"] == {"uri": f"{by_id['fact']['uri']}#L0", "text": item["statement"]}
        assert await ask(graph, filled, query, id=item["uri"], uri=by_id["fact"]["uri"] + "#L0") == by_id
    async with service.agent(filled, user="alice", tools="all") as agent:
        assert items[0]["statement"] in await agent.text("read_memory", uri=items[0]["uri"])
    async with service.agent(f"{filled}-2", user="alice", tools="all") as stranger:
        assert (await stranger.failure("read_memory", uri=items[0]["uri"]))["code"] == "NOT_FOUND"


async def test_decision_by_rules_has_its_reason(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I decided to quit smoking because of my health."))
    chinese = an_incoming("我决定搬到上海，因为女儿在那里。", session="s2")
    await a_memory(graph).remember(TenantId(tenant), chinese)
    await a_worker(graph).drain()
    query = '{ facts(userId: "alice") { nodes { kind rationale statement } } }'
    nodes = (await ask(graph, tenant, query))["facts"]["nodes"]
    decisions = {node["rationale"] for node in nodes if node["kind"] == "DECISION"}
    assert decisions == {"my health", "女儿在那里"}
