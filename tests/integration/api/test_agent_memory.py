"""Test an agent's own memory, which holds nothing of the users it serves, and the layers of users and agents."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest
import pytest_asyncio

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker
from tests.support.mcp_service import McpService, serving

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored dropped } }"
RECALL = """query ($q: String!, $u: String, $a: String) {
  recall(query: $q, userId: $u, agentId: $a, limit: 50) { hits { text } } }"""
CONTEXT = 'query ($u: String, $a: String) { context(query: "Refunds?", userId: $u, agentId: $a) { text } }'
PROFILE = "query ($u: String, $a: String) { profile(userId: $u, agentId: $a) { items { statement } } }"
LAYER = "query ($uri: String!) { layer(uri: $uri) { uri level title text tokens generatedBy } }"
FORGET = "mutation ($u: String!) { forgetUser(userId: $u) { __typename } }"
QUESTIONS = ("What do you know?", "clinic insulin Lisbon refund", "Who is ill?", "我住在哪里？")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph)) as running:
        yield running


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
    assert answer.errors is None, answer.errors
    return answer.data


def said(text: str, role: str = "USER", day: int = 1) -> dict[str, Any]:
    return {"role": role, "text": text, "time": f"2026-03-{day:02}T12:00:00Z"}


@pytest_asyncio.fixture(loop_scope="session")
async def filled(graph: Graph, tenant: str) -> str:
    """Return a tenant with an agent, its own memory, and two users that it serves."""
    talks = {
        "ana": [said("I need insulin from the clinic. I live in Lisbon."), said("I'll call the clinic.", "ASSISTANT")],
        "bo": [said("我住在上海，我有糖尿病。", day=2), said("I'll remind you on Friday.", "ASSISTANT", 2)],
    }
    procedure = {
        "subject": "assistant",
        "predicate": "RELATES_TO",
        "relation": "procedure",
        "kind": "PROCEDURE",
        "object": "find the pharmacy of Ana",
        "statement": "It finds Ana's pharmacy.",
        "steps": ["search Ana's street → two pharmacies"],
    }
    for user, messages in talks.items():
        given = {"userId": user, "agentId": "helpdesk", "sessionId": user, "messages": messages}
        await ask(graph, tenant, REMEMBER, i=given)
    searched = [said("I searched your street.", "ASSISTANT", 4)]
    given = {"userId": "ana", "agentId": "helpdesk", "sessionId": "search", "messages": searched, "facts": [procedure]}
    assert (await ask(graph, tenant, REMEMBER, i=given))["remember"]["dropped"] == []
    own = {
        "agentId": "helpdesk",
        "sessionId": "lessons",
        "messages": [said("I always ask for the order number before a refund.", "ASSISTANT", 3)],
        "facts": [
            {
                "subject": "assistant",
                "predicate": "CARES_ABOUT",
                "object": "order number",
                "statement": "Helpdesk asks for the order number before a refund.",
            }
        ],
    }
    assert (await ask(graph, tenant, REMEMBER, i=own))["remember"]["stored"] == 1
    await a_worker(graph).drain()
    return tenant


async def everything(graph: Graph, tenant: str, **owner: str) -> str:
    """Return all texts that an owner's memory returns to broad questions, with its context, profile and layers."""
    found = []
    for question in QUESTIONS:
        found += [hit["text"] for hit in (await ask(graph, tenant, RECALL, q=question, **owner))["recall"]["hits"]]
    found.append((await ask(graph, tenant, CONTEXT, **owner))["context"]["text"])
    found += [
        item["statement"] for part in (await ask(graph, tenant, PROFILE, **owner))["profile"] for item in part["items"]
    ]
    return "\n".join(found)


async def test_an_agent_has_a_memory_of_its_own_without_anything_of_its_users(graph: Graph, filled: str) -> None:
    own = await everything(graph, filled, a="helpdesk")
    assert "order number" in own
    for private in ("insulin", "clinic", "Lisbon", "上海", "糖尿病", "Friday", "pharmac", "Ana"):
        assert private not in own, private
    for user in ("ana", "bo"):
        theirs = await everything(graph, filled, u=user)
        assert "order number" not in theirs
    assert "insulin" in await everything(graph, filled, u="ana")
    assert "上海" in await everything(graph, filled, u="bo")
    assert "order number" not in await everything(graph, filled, a="another-agent")
    assert "order number" not in await everything(graph, f"{filled}-2", a="helpdesk")


async def test_forgetting_a_user_keeps_the_memory_of_the_agent_and_the_other_way_round(
    graph: Graph, filled: str
) -> None:
    await ask(graph, filled, FORGET, u="ana")
    await a_worker(graph).drain()
    assert "order number" in await everything(graph, filled, a="helpdesk")
    await ask(graph, filled, FORGET, u="agent:helpdesk")
    await a_worker(graph).drain()
    assert "order number" not in await everything(graph, filled, a="helpdesk")
    assert "上海" in await everything(graph, filled, u="bo")


async def test_layers_say_what_is_known_of_a_user_and_an_agent(graph: Graph, filled: str) -> None:
    root = f"memory://{filled}/user"
    short = (await ask(graph, filled, LAYER, uri=f"{root}/ana#L0"))["layer"]
    assert "Lisbon" in short["text"]
    assert short["tokens"] <= 100
    overview = (await ask(graph, filled, LAYER, uri=f"{root}/ana"))["layer"]
    assert (overview["level"], overview["uri"]) == ("L1", f"{root}/ana#L1")
    assert overview["text"].startswith("# ana\n")
    assert "## " in overview["text"]
    assert "Lisbon" in (await ask(graph, filled, LAYER, uri=f"{root}/ana#L2"))["layer"]["text"]
    chinese = (await ask(graph, filled, LAYER, uri=f"{root}/bo#L1"))["layer"]["text"]
    assert "上海" in chinese
    assert "## 个人情况" in chinese
    agent = (await ask(graph, filled, LAYER, uri=f"{root}/{quote('agent:helpdesk', safe='')}#L0"))["layer"]
    assert (agent["title"], agent["text"]) == ("helpdesk", "Helpdesk asks for the order number before a refund.")
    beside = (await ask(graph, filled, LAYER, uri=f"{root}/ana/agent/helpdesk#L2"))["layer"]
    assert beside["title"] == "helpdesk"
    for uri in (f"{root}/nobody#L0", f"memory://{filled}-2/user/ana#L0"):
        context = {"memory": a_memory(graph), "tenant": TenantId(filled)}
        answer = await graphql_schema.execute(LAYER, variable_values={"uri": uri}, context_value=context)
        assert "there is no" in str((answer.errors or [])[0])


async def test_what_was_forgotten_leaves_the_layers_at_once(graph: Graph, filled: str) -> None:
    layer = {"uri": f"memory://{filled}/user/ana#L2"}
    assert "Lisbon" in (await ask(graph, filled, LAYER, **layer))["layer"]["text"]
    await ask(graph, filled, 'mutation { forgetSession(userId: "ana", sessionId: "ana") { __typename } }')
    assert "Lisbon" not in (await ask(graph, filled, LAYER, **layer))["layer"]["text"]


async def test_an_agent_uses_its_own_memory_over_mcp(service: McpService, graph: Graph, filled: str) -> None:
    async with service.agent(filled, user="ana", tools="all") as agent:
        found = await agent.call("recall", query="refunds", user_id="agent:helpdesk")
        assert any("order number" in hit["text"] for hit in found["hits"])
        text = await agent.text("read_memory", uri=f"memory://{filled}/user/agent%3Ahelpdesk", level="L0")
        assert text == "Helpdesk asks for the order number before a refund."


async def test_a_question_without_owner_is_refused(graph: Graph, tenant: str) -> None:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    answer = await graphql_schema.execute(RECALL, variable_values={"q": "tea"}, context_value=context)
    assert "userId is missing" in str((answer.errors or [])[0])


@pytest.mark.parametrize("agent", ["", "  ", "x" * 300])
async def test_an_invalid_agent_is_refused(graph: Graph, tenant: str, agent: str) -> None:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    given = {"i": {"agentId": agent, "sessionId": "s", "messages": [said("I like order.")]}}
    assert (await graphql_schema.execute(REMEMBER, variable_values=given, context_value=context)).errors
