"""Test that MCP tools return nothing of another tenant and do not reveal whether it exists."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from graph_service.config.sections import Aliases, ToolSet
from graph_service.graph.store import Graph
from graph_service.mcp.tool import Effect
from graph_service.mcp.tool_registry import CORE, MORE, tools_for
from tests.support.builders import a_memory, a_worker
from tests.support.mcp_service import Agent, McpService, serving

# A query for the other tenant's message, and other words of that message.
ASKED, SECRET = "乌龙茶 oolong", "武夷 Wuyi"
KINDS = ("message", "scene", "fact")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph)) as running:
        yield running


async def elements_of(agent: Agent, graph: Graph) -> dict[str, str]:
    """Return ids and URIs of every element of one tenant."""
    said = f"Ana likes {ASKED} of {SECRET}."
    fact = {"subject": "user", "predicate": "PREFERS", "object": ASKED, "statement": said}
    done = await agent.call("remember", messages=[{"role": "user", "text": said}], facts=[fact], session_id="s1")
    await a_worker(graph).drain()
    hits = {kind: (await agent.call("recall", query=ASKED, kinds=[kind]))["hits"][0] for kind in KINDS}
    node = next(one for one in (await agent.call("search_nodes", query=ASKED))["nodes"] if one["kind"] == "Entity")
    return {
        "message": done["message_ids"][0],
        "scene": hits["scene"]["id"],
        "fact": hits["fact"]["id"],
        "entity": node["id"],
        "session_uri": done["session_uri"],
        "scene_uri": hits["scene"]["uri"],
        "message_uri": hits["message"]["uri"],
    }


async def ids_of_hits(agent: Agent) -> list[str]:
    """Return the ids that recall finds, for each kind."""
    return [hit["id"] for kind in KINDS for hit in (await agent.call("recall", query=ASKED, kinds=[kind]))["hits"]]


def all_calls(known: dict[str, str]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return calls of every tool of every family with ids and URIs of another tenant."""
    ours: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": ASKED}),
        ("recall", {"query": ASKED, "in_session": "s1"}),
        ("get_context", {"query": ASKED}),
        ("get_context", {}),
        ("search_nodes", {"query": ASKED}),
        ("list_sessions", {}),
        ("close_session", {"session_id": "s1"}),
        ("generate_layers", {"session_id": "s1"}),
        ("generate_layers", {"all_users": True}),
        ("index_memories", {}),
        ("status", {}),
        ("status", {"session_id": "s1"}),
        *(("read_memory", {"uri": f"{known[name]}#L2"}) for name in ("session_uri", "scene_uri", "message_uri")),
        *(("forget", {"kind": kind, "id": known[kind]}) for kind in ("message", "scene", "fact", "entity")),
        ("update_fact", {"id": known["fact"], "statement": "Ana likes nothing."}),
        ("forget", {"kind": "session", "id": "s1"}),
        ("forget", {"kind": "user", "id": "ana", "confirm": True}),
    ]
    theirs: list[tuple[str, str, dict[str, Any]]] = [
        ("graphiti", "search_nodes", {"query": ASKED}),
        ("graphiti", "search_memory_facts", {"query": ASKED}),
        ("graphiti", "get_episodes", {}),
        ("graphiti", "get_status", {}),
        ("graphiti", "delete_episode", {"uuid": known["message"]}),
        ("graphiti", "delete_entity_edge", {"uuid": known["fact"]}),
        ("mem0", "search_memories", {"query": ASKED}),
        ("mem0", "get_memories", {}),
        ("mem0", "delete_memory", {"memory_id": known["fact"]}),
        ("mem0", "update_memory", {"memory_id": known["fact"], "text": "Ana likes nothing."}),
        ("memory", "read_graph", {}),
        ("memory", "open_nodes", {"names": [ASKED]}),
        ("memory", "search_nodes", {"query": ASKED}),
        ("memory", "delete_entities", {"entityNames": [ASKED]}),
        ("memory", "delete_observations", {"deletions": [{"entityName": ASKED, "observations": ["x"]}]}),
        ("memory", "delete_relations", {"relations": [{"from": "ana", "to": ASKED, "relationType": "PREFERS"}]}),
    ]
    return [*(("none", tool, arguments) for tool, arguments in ours), *theirs]


def with_unknown_ids(result: CallToolResult, known: dict[str, str], unknown: dict[str, str]) -> str:
    """Return a response with foreign ids replaced by unknown ones."""
    said = str((result.is_error, result.structured_content))
    for name in sorted(known, key=lambda one: -len(known[one])):
        said = said.replace(known[name], unknown[name])
    return said


async def test_no_tool_reads_or_changes_another_tenant(service: McpService, graph: Graph, tenant: str) -> None:
    """For the same user id, every tool answers foreign ids as it answers unknown ids."""
    async with service.agent(tenant, user="ana", tools="all") as owner:
        known = await elements_of(owner, graph)
        before = await ids_of_hits(owner)
        assert before == [known[kind] for kind in KINDS]
        # Of a URI, the last part alone: what has the form of no URI is refused by another error.
        unknown = {
            name: value[: -len(end)] + "0" * len(end)
            for name, value in known.items()
            if (end := value.rpartition("/")[2][-6:])
        }
        calls, tools = all_calls(known), {(family, tool) for family, tool, _ in all_calls(known)}
        listed = [
            *((Aliases.NONE.value, tool) for tool in (*CORE, *MORE)),
            *((a.value, t) for a in Aliases for t in tools_for(ToolSet.CORE, a).values()),
        ]
        assert tools >= {(family, tool.name) for family, tool in listed if tool.effect is not Effect.ADDS}
        stranger = f"{tenant}-other"
        async with service.agent(stranger, user="bo", tools="all") as agent:
            await agent.call("remember", messages=[{"role": "user", "text": "I swim."}])
            await a_worker(graph).drain()
            await agent.call("generate_layers", all_users=True)
        for (family, tool, arguments), (_, _, made_up) in zip(calls, all_calls(unknown), strict=True):
            async with service.agent(stranger, user="ana", aliases=family, tools="all") as agent:
                result = await agent.client.call_tool(tool, arguments)
                nothing = await agent.client.call_tool(tool, made_up)
            assert not any(word in str(result) for word in SECRET.split()), tool
            assert with_unknown_ids(result, known, unknown) == with_unknown_ids(nothing, known, unknown), tool
        assert await ids_of_hits(owner) == before
        assert (await owner.call("list_sessions"))["sessions"][0]["state"] == "active"


async def test_layer_of_another_tenant_is_not_found(service: McpService, graph: Graph, tenant: str) -> None:
    async with service.agent(tenant, user="ana", tools="all") as owner:
        known = await elements_of(owner, graph)
    async with service.agent(f"{tenant}-other", user="ana") as agent:
        assert (await agent.client.list_resources()).resources == []
        for name in ("session_uri", "scene_uri", "message_uri"):
            with pytest.raises(MCPError) as caught:
                await agent.client.read_resource(f"{known[name]}#L1")
            assert (caught.value.code, caught.value.data) == (-32602, {"code": "NOT_FOUND"})


async def test_request_with_an_invalid_tenant_name_is_refused(service: McpService) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=accepts) as http:
        wrong = await http.post(service.url, json=listing, headers={"Mnemoscene-Tenant": "a b/c"})
        assert (wrong.json()["error"]["code"], wrong.json()["error"]["data"]) == (-32602, {"code": "BAD_INPUT"})
        assert (await http.post(service.url, json=listing)).json()["result"]["tools"]
