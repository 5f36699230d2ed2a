"""Test on the wire what a model is told before it reads a scene, and what that changes for users."""

import json
from datetime import timedelta
from typing import Any

import pytest_asyncio

from extraction.llm.reader_chain import model_chain
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.consolidation.session_input import NAMES_MAX
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.fake_openai import FakeOpenAI, Reply, says
from tests.support.readers import read_with_tags

EMPTY = json.dumps({"title": "t", "summary": "s"})


@pytest_asyncio.fixture(autouse=True)
async def no_pending_jobs(graph: Graph) -> None:
    """Delete the jobs of other tests, whose scenes must not reach these endpoints."""
    await delete_open_jobs(graph)


class NameSpellingModel(FakeOpenAI):
    """Reads one fact about the user's sister, spelled as a known name if there is one with her first name."""

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        self.requests.append({**asked, "path": path})
        known = [row["name"] for row in known_rows(asked) if row.get("name", "").startswith("Ximena")]
        fact = {
            "subject": "user",
            "predicate": "RELATES_TO",
            "relation": "sister",
            "object": known[0] if known else "my big sister",
            "statement": "They met for lunch.",
            "messages": ["m1"],
        }
        return says(json.dumps({"title": "t", "summary": "s", "facts": [fact]}))


def known_rows(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a request tells the model, one object for each line between <known> and </known>."""
    user = next(message["content"] for message in asked["messages"] if message["role"] == "user")
    inside = user.partition("<known>\n")[2].partition("\n</known>")[0]
    return [json.loads(line) for line in inside.splitlines() if line.startswith("{")]


async def remember(graph: Graph, tenant: str, text: str, *, hours: int = 0, **more: Any) -> None:
    """Store one message, said some hours after noon; pauses of hours begin new scenes."""
    message = IncomingMessage(role=more.pop("role", "user"), text=text, time=NOON + timedelta(hours=hours))
    call = {"user_id": "alice", "session_id": "s1", "messages": (message,), **more}
    await a_memory(graph).remember(TenantId(tenant), RememberRequest(**call))


async def read_with(graph: Graph, fake: FakeOpenAI) -> None:
    model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=5))
    await a_worker(graph, readers=Readers(first=model_chain(model, read_with_tags), fallback=read_with_tags)).drain()


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
    assert answer.errors is None, answer.errors
    return answer.data


async def test_model_is_told_names_profile_and_the_scene_before(graph: Graph, tenant: str) -> None:
    await remember(graph, tenant, "My sister Ximena lives in Lisbon.")
    await remember(graph, tenant, "I live in Porto. I am allergic to peanuts.", hours=3)
    await a_worker(graph).drain()
    with FakeOpenAI(says(EMPTY)) as fake:
        await remember(graph, tenant, "Yesterday I met my sister and she loves her new flat.", hours=6)
        await read_with(graph, fake)
    (request,) = fake.requests
    rows = known_rows(request)
    assert {"Ximena", "Lisbon", "Porto"} <= {row["name"] for row in rows if "name" in row}
    assert any("Porto" in row["fact"] for row in rows if "fact" in row)
    assert any("peanuts" in row["fact"] for row in rows if "fact" in row)
    (before,) = (row["before"] for row in rows if "before" in row)
    assert before["text"] == "I live in Porto. I am allergic to peanuts."
    assert any("scene_before" in row for row in rows)


async def test_scene_of_the_same_call_is_the_scene_before(graph: Graph, tenant: str) -> None:
    times = (NOON, NOON + timedelta(hours=5))
    texts = ("I booked the ferry.", "It leaves at nine, I will take my bike.")
    messages = tuple(IncomingMessage(role="user", text=text, time=at) for text, at in zip(texts, times, strict=True))
    with FakeOpenAI(says(EMPTY), says(EMPTY)) as fake:
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=messages))
        await read_with(graph, fake)
    told = [[row["before"]["text"] for row in known_rows(asked) if "before" in row] for asked in fake.requests]
    assert sorted(told) == [[], ["I booked the ferry."]]


async def test_known_spelling_prevents_a_second_entity(graph: Graph, tenant: str) -> None:
    """The effect for users: with the known name in its prompt, the model names the same person, not a new one."""
    await remember(graph, tenant, "My sister Ximena Duarte lives in Lisbon.")
    await a_worker(graph).drain()
    query = "query ($user: String!) { entities(userId: $user) { edges { node { name } } } }"
    with NameSpellingModel() as fake:
        await remember(graph, tenant, "I had lunch with my big sister.", hours=4)
        await read_with(graph, fake)
    edges = (await ask(graph, tenant, query, user="alice"))["entities"]["edges"]
    names = {edge["node"]["name"] for edge in edges}
    assert "Ximena Duarte" in names
    assert "my big sister" not in names


async def test_nothing_of_another_user_or_tenant_reaches_the_prompt(graph: Graph, tenant: str) -> None:
    for whose, user in ((tenant, "bob"), (f"{tenant}-2", "alice")):
        await remember(graph, whose, "My sister Quokka lives in Zanzibar. I hate marmalade.", user_id=user)
    await a_worker(graph).drain()
    with FakeOpenAI(says(EMPTY)) as fake:
        await remember(graph, tenant, "My sister Quokka hates the Zanzibar marmalade.", hours=4)
        await read_with(graph, fake)
    (request,) = fake.requests
    assert known_rows(request) == []
    assert "nothing yet" in json.dumps(request)


async def test_context_is_bounded_and_prefers_names_of_the_scene(graph: Graph, tenant: str) -> None:
    facts = tuple(
        ProvidedFact(
            subject="user",
            predicate="PREFERS",
            object=f"dish number {number:03}",
            statement=f"She likes dish number {number:03}, " + "and so on " * 30,
            strength=0.9,
            confidence=0.9,
        )
        for number in range(150)
    )
    await remember(graph, tenant, "word " * 4_000, facts=facts)
    await a_worker(graph).drain()
    with FakeOpenAI(says(EMPTY)) as fake:
        await remember(graph, tenant, "My dish number 007 was great, I had it with Tom.", hours=4)
        await read_with(graph, fake)
    rows = known_rows(fake.requests[0])
    names = [row["name"] for row in rows if "name" in row]
    assert len(names) <= NAMES_MAX
    assert "dish number 007" in names[:3]
    assert sum(len(json.dumps(row)) for row in rows) < 8_000


async def test_promise_of_the_assistant_is_in_the_profile_of_the_agent(graph: Graph, tenant: str) -> None:
    await remember(graph, tenant, "I have the dentist at nine.", agent_id="nemo")
    await remember(
        graph, tenant, "Sure, I'll remind you tomorrow about the dentist.", role="assistant", agent_id="nemo"
    )
    await remember(graph, tenant, "好的，我明天提醒你交房租。", role="assistant", agent_id="nemo", hours=4)
    await a_worker(graph).drain()
    query = """
        query ($user: String!, $agent: String) {
          profile(userId: $user, agentId: $agent) { items { statement } }
        }"""
    told = json.dumps(await ask(graph, tenant, query, user="alice", agent="nemo"), ensure_ascii=False)
    assert "The assistant promised to remind" in told
    assert "助手答应明天提醒" in told
    assert "promised" not in json.dumps(await ask(graph, f"{tenant}-2", query, user="alice", agent="nemo"))
    assert "promised" not in json.dumps(await ask(graph, tenant, query, user="alice", agent=None))
