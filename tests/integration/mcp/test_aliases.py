"""Test the tool names of Graphiti, mem0 and the official memory server."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from graph_service.config.sections import Aliases
from graph_service.graph.store import Graph
from graph_service.mcp.caller import Caller
from graph_service.mcp.tool_registry import CORE, MORE
from schema.ids import DEFAULT_TENANT, TenantId
from tests.support.builders import a_memory, a_worker
from tests.support.mcp_service import McpService, serving


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph), Caller(tenant=DEFAULT_TENANT, aliases=Aliases.MEM0)) as running:
        yield running


async def test_client_selects_an_alias_family(service: McpService, tenant: str) -> None:
    async def names(**query: str) -> set[str]:
        async with service.agent(tenant, **query) as agent:
            return {tool.name for tool in (await agent.client.list_tools()).tools}

    ours = {tool.name for tool in CORE}
    theirs = {"add_memory", "search_memories", "get_memories", "update_memory", "delete_memory"}
    assert await names(aliases="none") == ours
    assert await names() == theirs
    assert await names(tools="all") == ours | theirs | {tool.name for tool in MORE}
    assert {"search_memory_facts", "get_episodes", "get_status"} < await names(aliases="graphiti")
    assert {"read_graph", "open_nodes", "create_entities"} < await names(aliases="memory")
    for query, choices in (({"aliases": "zep"}, "none, graphiti"), ({"tools": "some"}, "core, all")):
        async with service.agent(tenant, **query) as agent:
            error = await agent.failure("recall")
            assert (error["code"], f"use one of {choices}" in error["message"]) == ("BAD_INPUT", True)


async def test_official_server_tools_write_read_and_delete_a_graph(
    service: McpService, graph: Graph, tenant: str
) -> None:
    entities = [
        {"name": "John_Smith", "entityType": "person", "observations": ["Speaks fluent Spanish", "喜欢爬山"]},
        {"name": "Anthemis", "entityType": "company", "observations": []},
    ]
    works = {"from": "John_Smith", "to": "Anthemis", "relationType": "works_at"}
    async with service.agent(tenant, user="ana", aliases="memory") as agent:
        assert (await agent.call("create_entities", entities=entities))["stored"] == 3
        assert (await agent.call("create_relations", relations=[works]))["stored"] == 1
        added = {"entityName": "Anthemis", "contents": ["Grows camomile"]}
        assert (await agent.call("add_observations", observations=[added]))["stored"] == 1
        assert (await agent.call("create_relations", relations=[works])) == {"stored": 0, "repeated": 1}
        await a_worker(graph).drain()
        found = await agent.call("read_graph")
        told = {one["name"]: one for one in found["entities"]}
        assert set(told["John_Smith"]["observations"]) == {"Speaks fluent Spanish", "喜欢爬山"}
        assert (told["Anthemis"]["entityType"], told["Anthemis"]["observations"]) == ("company", ["Grows camomile"])
        assert [(one["from"], one["to"]) for one in found["relations"]] == [("John_Smith", "Anthemis")]
        opened = await agent.call("open_nodes", names=["john_smith"])
        assert [one["name"] for one in opened["entities"]] == ["John_Smith"]
        searched = await agent.call("search_nodes", query="爬山")
        assert "John_Smith" in [one["name"] for one in searched["entities"]]
        wrong = {"entityName": "John_Smith", "observations": ["Speaks fluent Spanish", "Speaks Latin"]}
        gone = await agent.call("delete_observations", deletions=[wrong])
        assert gone == {"deleted": 1, "missing": ["Speaks Latin"]}
        assert (await agent.call("delete_relations", relations=[works]))["deleted"] == 1
        # Messages near a deleted one are read again, and are then in the graph again.
        await a_worker(graph).drain()
        assert (await agent.call("delete_entities", entityNames=["Anthemis", "Nobody"]))["missing"] == ["Nobody"]
        await a_worker(graph).drain()
        left = await agent.call("read_graph")
        assert [(one["name"], one["observations"]) for one in left["entities"] if one["name"] != "ana"] == [
            ("John_Smith", ["喜欢爬山"])
        ]
        assert left["relations"] == []


async def test_graphiti_conversation_is_stored_line_by_line(service: McpService, tenant: str) -> None:
    async with service.agent(tenant, user="ana", aliases="graphiti") as agent:
        talk = "Ana: I love jasmine tea.\n\nassistant: Noted.\nAnd mint."
        await agent.call("add_memory", name="Tea", episode_body=talk, source="message", uuid="e1")
        episodes = (await agent.call("get_episodes", max_episodes=5))["episodes"]
        assert {(one["name"], one["content"]) for one in episodes} == {
            ("Ana", "I love jasmine tea."),
            ("assistant", "Noted."),
            ("user", "And mint."),
        }


@pytest.mark.slow
async def test_graphiti_tools_store_and_search_episodes(service: McpService, graph: Graph, tenant: str) -> None:
    async with service.agent(tenant, aliases="graphiti") as agent:
        episode = {"name": "Tea talk", "group_id": "ana", "reference_time": "2026-03-01T12:00:00Z"}
        talk = "Ana: I love jasmine tea.\nassistant: Noted."
        await agent.call("add_memory", **episode, episode_body=talk, source="message", update_communities=True)
        await agent.call("add_memory", name="笔记", group_id="王芳", episode_body="我住在成都。")
        await a_worker(graph).drain()
        facts = (await agent.call("search_memory_facts", query="What tea?", group_ids="ana"))["facts"]
        assert (facts[0]["group_id"], "tea" in facts[0]["fact"]) == ("ana", True)
        both = await agent.call("search_nodes", query="tea 成都", group_ids=["ana", "王芳"])
        assert {node["group_id"] for node in both["nodes"]} == {"ana", "王芳"}
        episodes = (await agent.call("get_episodes", group_ids=["ana"], max_episodes=5))["episodes"]
        assert [(one["name"], one["content"]) for one in episodes] == [
            ("Ana", "I love jasmine tea."),
            ("assistant", "Noted."),
        ]
        assert (await agent.call("get_status"))["status"] == "ok"
        await agent.call("delete_entity_edge", uuid=facts[0]["uuid"])
        await agent.call("delete_episode", uuid=episodes[0]["uuid"])
        assert (await agent.failure("delete_episode", uuid=episodes[0]["uuid"]))["code"] == "NOT_FOUND"
        assert (await agent.failure("search_nodes", query="tea"))["code"] == "BAD_INPUT"


async def test_mem0_lists_memories_without_facts(service: McpService, tenant: str) -> None:
    async with service.agent(tenant, user="ana") as agent:
        for text in ("The spare key is under the blue flowerpot.", "The blue flowerpot was moved."):
            await agent.call("add_memory", text=text)
        listed = (await agent.call("get_memories", page_size=50))["results"]
        assert {one["memory"] for one in listed} == {
            "The spare key is under the blue flowerpot.",
            "The blue flowerpot was moved.",
        }
        pages = [(await agent.call("get_memories", page=page, page_size=1))["results"] for page in (1, 2, 3)]
        assert [len(page) for page in pages] == [1, 1, 0]
        assert [one["id"] for page in pages for one in page] == [one["id"] for one in listed]


NO_FACTS = ["asdf qwer zxcv 42", "👍👍", "嗯嗯", "The harbour crane is green.", "Ok."]


async def test_text_that_yields_no_fact_is_a_memory_at_every_list(
    service: McpService, graph: Graph, tenant: str
) -> None:
    """Also after it was read, and beyond the window of recent turns."""
    async with service.agent(tenant, user="ana", tools="all") as agent:
        stored = [await agent.call("add_memory", text=text, run_id="r") for text in NO_FACTS]
        await a_worker(graph).drain()
        assert not (await agent.call("recall", query="harbour crane", kinds=["fact"])).get("hits")
        listed = (await agent.call("get_memories", page_size=50))["results"]
        assert sorted(one["memory"] for one in listed) == sorted(NO_FACTS)
        for text, one in zip(NO_FACTS, stored, strict=True):
            found = (await agent.call("search_memories", query=text))["results"]
            assert one["results"][0]["id"] in [hit["id"] for hit in found], text
            assert text in str(await agent.call("recall", query=text))
        many = [{"role": "user", "content": f"Entry {number}."} for number in range(230)]
        await agent.call("add_memory", text="", messages=many, run_id="r")
        pages = [(await agent.call("get_memories", page=page, page_size=100))["results"] for page in (1, 2, 3)]
        assert [len(page) for page in pages] == [100, 100, 30 + len(NO_FACTS)]
        await agent.call("delete_memory", memory_id=stored[0]["results"][0]["id"])
        left = (await agent.call("get_memories", page=3, page_size=100))["results"]
        assert NO_FACTS[0] not in [one["memory"] for one in left]


@pytest.mark.slow
async def test_mem0_tools_store_search_list_and_delete(service: McpService, graph: Graph, tenant: str) -> None:
    async with service.agent(tenant, user="ana") as agent:
        turns = [{"role": "user", "content": "I love jasmine tea."}, {"role": "assistant", "content": "Good to know."}]
        stored = await agent.call("add_memory", text="tea", messages=turns, run_id="r1", metadata={"a": 1})
        assert [one["event"] for one in stored["results"]] == ["ADD", "ADD"]
        await agent.call("add_memory", text="我住在成都。", user_id="王芳")
        await a_worker(graph).drain()
        by_user = {"AND": [{"user_id": "王芳"}, {"created_at": {"gte": "2026-01-01"}}]}
        found = (await agent.call("search_memories", query="住在哪里", filters=by_user))["results"]
        assert (found[0]["user_id"], "成都" in found[0]["memory"]) == ("王芳", True)
        listed = (await agent.call("get_memories"))["results"]
        assert any("tea" in one["memory"] for one in listed)
        assert {one["id"] for one in stored["results"]} < {one["id"] for one in listed}
        # The facts come first, and are forgotten before the messages that prove them.
        for one in listed:
            await agent.call("delete_memory", memory_id=one["id"])
        await a_worker(graph).drain()
        assert (await agent.call("search_memories", query="jasmine tea"))["results"] == []


@pytest.mark.parametrize(
    ("aliases", "tool", "named"),
    [("none", "update_fact", ("id", "statement")), ("mem0", "update_memory", ("memory_id", "text"))],
)
async def test_update_corrects_a_fact_as_graphql_does(
    service: McpService, graph: Graph, tenant: str, aliases: str, tool: str, named: tuple[str, str]
) -> None:
    async with service.agent(tenant, user="ana", aliases=aliases, tools="all") as agent:
        await agent.call("remember", messages=[{"role": "user", "text": "I live in Rennes."}])
        await a_worker(graph).drain()
        nodes = await a_memory(graph).nodes.named(TenantId(tenant), "ana", None, limit=10, facts=10)
        [wrong] = {fact.id for node in nodes for fact in node.facts}
        await agent.call(tool, **dict(zip(named, (wrong, "I live in Angers."), strict=True)))
        await a_worker(graph).drain()
        nodes = await a_memory(graph).nodes.named(TenantId(tenant), "ana", None, limit=10, facts=10)
        assert {fact.statement for node in nodes for fact in node.facts} == {"I live in Angers."}


@pytest.mark.parametrize("filters", [{"OR": [{"user_id": "a"}]}, {"user_id": {"in": ["a"]}}, {"app_id": "x"}])
async def test_unsupported_filter_is_refused(service: McpService, tenant: str, filters: dict[str, Any]) -> None:
    async with service.agent(tenant, user="ana") as agent:
        error = await agent.failure("search_memories", query="tea", filters=filters)
        assert (error["code"], "is not supported" in error["message"]) == ("BAD_INPUT", True)
