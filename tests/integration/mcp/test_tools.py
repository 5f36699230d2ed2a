"""Test every MCP tool over streamable HTTP with the SDK's client."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio
from mcp.shared.exceptions import MCPError

from graph_service.graph.store import Graph
from graph_service.mcp.tool_registry import CORE, MORE
from graph_service.memory.service import Memory
from tests.support.builders import a_dead_graph, a_memory, a_worker
from tests.support.mcp_service import Agent, McpService, kept_open, serving
from tests.support.slow import slow_but


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[McpService]:
    async with serving(a_memory(graph)) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def agent(service: McpService, tenant: str) -> AsyncIterator[Agent]:
    """Connect an agent of the user Ana in its own tenant, with all tools."""
    async with kept_open(service.agent(tenant, user="ana", tools="all")) as one:
        yield one


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "text": text, "time": "2026-03-01T12:00:00Z", **more}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_clients_of_both_protocol_versions_get_compatible_tools(
    service: McpService, tenant: str, mode: str
) -> None:
    async with service.agent(tenant, mode=mode, tools="all") as agent:
        tools = (await agent.client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in (*CORE, *MORE)]
        assert "get_context" in (agent.client.instructions or "")
        for tool in tools:
            assert tool.description
            assert tool.title
            assert tool.input_schema["type"] == (tool.output_schema or {})["type"] == "object"
            assert "$ref" not in str(tool.input_schema) + str(tool.output_schema)
            assert tool.annotations
            assert tool.annotations.open_world_hint is False
        hints = {tool.name: tool.annotations for tool in tools}
        assert [name for name in hints if hints[name].destructive_hint] == ["forget"]
        assert [name for name in hints if not hints[name].idempotent_hint] == ["remember", "update_fact"]
        writes = {"remember", "update_fact", "forget", "close_session", "generate_layers", "index_memories"}
        assert {name for name in hints if not hints[name].read_only_hint} == writes
        assert (await agent.call("status"))["database"] == "up"


async def test_metadata_of_messages_filter_what_is_recalled(agent: Agent, service: McpService, tenant: str) -> None:
    """The default list of tools does not name these arguments, and takes them."""
    async with service.agent(tenant, user="ana") as brief:
        assert not [tool.name for tool in (await brief.client.list_tools()).tools if _takes_where(tool)]
        notes = [said("I love figs.", metadata={"n": 1}), said("I love plums.", metadata={"n": 7})]
        await brief.call("remember", messages=notes, session_id="s")
        await brief.call("remember", messages=[said("I love pears.", metadata={"n": 7})], user_id="ben", session_id="s")
        for where in ({"n": {"gt": 5}}, '{"n": {"gt": 5}}'):
            found = (await brief.call("recall", query="What do I love?", where=where))["hits"]
            assert [hit["text"] for hit in found] == ["I love plums."]
            known = await brief.text("get_context", query="What do I love?", where=where)
            assert ("plums" in known, "figs" in known, "pears" in known) == (True, False, False)
    takers = [tool.name for tool in (await agent.client.list_tools()).tools if _takes_where(tool)]
    assert sorted(takers) == ["get_context", "recall"]
    assert (await agent.failure("recall", query="x", where={"n": {"above": 1}}))["code"] == "BAD_INPUT"


def _takes_where(tool: Any) -> bool:
    return "where" in tool.input_schema["properties"]


async def test_five_tools_are_enough_for_a_memory(service: McpService, graph: Graph, tenant: str) -> None:
    """Store with facts and tags, ask with evidence, get a context, correct, look back in time, forget."""
    async with service.agent(tenant, user="ana") as agent:
        tools = (await agent.client.list_tools()).tools
        assert [tool.name for tool in tools] == ["remember", "get_context", "recall", "update_fact", "forget"]
        assert [tool.output_schema for tool in tools] == [None] * 5
        fact = {"subject": "user", "predicate": "RELATES_TO", "relation": "lives in", "object": "Rennes"}
        fact |= {"statement": "Ana lives in Rennes.", "valid_at": "2026-03-01"}
        moved = fact | {"object": "Angers", "statement": "Ana lives in Angers.", "valid_at": "2026-05-01"}
        await agent.call("remember", messages=[said("I live in Rennes.", tags=["home"])], facts=[fact], session_id="s")
        await a_worker(graph).drain()
        later = said("I moved to Angers.", time="2026-05-01T12:00:00Z", tags=["home"])
        await agent.call("remember", messages=[later], facts=[moved], session_id="s")
        await a_worker(graph).drain()
        question = {"query": "Where does Ana live?", "kinds": ["fact"], "tags": ["home"]}
        hits = (await agent.call("recall", **question))["hits"]
        assert [hit["text"] for hit in hits] == ["Ana lives in Angers."]
        assert hits[0]["evidence"][0]["text"] == "I moved to Angers."
        before = (await agent.call("recall", **question, valid_at="2026-04-01"))["hits"]
        assert [hit["text"] for hit in before] == ["Ana lives in Rennes."]
        assert "Angers" in await agent.text("get_context", query="Shall we meet near my home?")
        known = await agent.call("get_context", sources=True)
        assert "Angers" in known["text"]
        assert "Rennes" in await agent.text("get_context", valid_at="2026-04-01")
        assert hits[0]["id"] in [one["id"] for one in known["sources"]]
        await agent.call("update_fact", id=hits[0]["id"], statement="Ana lives in Avrillé.")
        await a_worker(graph).drain()
        assert "Avrillé" in await agent.text("get_context")
        current = (await agent.call("recall", query="Where does Ana live?", kinds=["fact"]))["hits"][0]
        await agent.call("forget", kind="fact", id=current["id"])
        assert "Avrillé" not in await agent.text("get_context")
        # Not listed, but accepted: the caller's arguments are checked against all of them.
        assert (await agent.call("recall", query="Rennes", full_text=True))["hits"]
        error = await agent.failure("search_nodes", query="Rennes")
        assert (error["code"], "?tools=all" in error["message"]) == ("NOT_FOUND", True)


async def test_remember_with_facts_then_recall_returns_evidence(agent: Agent, graph: Graph, tenant: str) -> None:
    fact = {
        "subject": "user",
        "predicate": "likes",
        "object": "jasmine tea",
        "statement": "Ana loves jasmine tea.",
        "valid_at": "2026-03-01",
    }
    wrong = {**fact, "predicate": "DRINKS"}
    unsure = {**fact, "object": "green tea", "confidence": 0.2}
    done = await agent.call(
        "remember",
        messages=[said("I love jasmine tea.", speaker="Ana")],
        facts=[fact, wrong, unsure],
        summary="Ana on tea.",
    )
    assert (done["stored"], done["repeated"], len(done["message_ids"])) == (1, 0, 1)
    assert "'DRINKS' is unknown; the nearest is RELATES_TO" in done["dropped"][0]
    assert done["dropped"][1].startswith("facts[2] confidence is 0.2")
    assert [note for note in done["notes"] if note.startswith("not stored: facts[")] == done["notes"][:2]
    refused = await agent.failure("remember", messages=[said("Never stored.")], facts=[fact, wrong], strict=True)
    assert (refused["code"], "'DRINKS' is unknown; the nearest is RELATES_TO" in refused["message"]) == (
        "BAD_INPUT",
        True,
    )
    again = await agent.call("remember", messages=[said("I love jasmine tea.", speaker="Ana")])
    assert (again["stored"], again["repeated"]) == (0, 1)
    await a_worker(graph).drain()
    found = await agent.call("recall", query="What tea does Ana love?", kinds=["fact"])
    assert found["hits"][0]["text"] == "Ana loves jasmine tea."
    assert found["hits"][0]["evidence"][0]["text"] == "I love jasmine tea."
    assert found["hits"][0]["subject"] == "ana"
    page = await agent.call("recall", query="What tea does Ana love?", limit=1, after=None)
    assert len(page["hits"]) == 1


@pytest.mark.parametrize(
    ("relation", "former", "newer"),
    slow_but([("理发师", "小马", "阿凯")], [("fish supplier", "Moosa", "Riyaad"), ("理发师", "小马", "阿凯")]),
)
async def test_agent_settles_a_conflict_in_its_next_call(
    agent: Agent, graph: Graph, relation: str, former: str, newer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slow machine may need longer than a caller waits for the comparison.
    monkeypatch.setattr("graph_service.memory.consolidation.provided_outcome._WAIT_MAX_S", 120.0)

    async def note(number: int, obj: str, **more: Any) -> dict[str, Any]:
        told = {"subject": "user", "predicate": "RELATES_TO", "relation": relation, "object": obj}
        fact = told | {"statement": f"{relation}: {obj}", **more}
        done = await agent.call("remember", messages=[said(f"Note {number}.")], facts=[fact], session_id=f"s{number}")
        await a_worker(graph).drain()
        return cast("dict[str, Any]", done)

    await note(1, former)
    [conflict] = (await note(2, newer))["conflicts"]
    assert conflict["statement"] == f"{relation}: {former}"
    settled = await note(3, newer, replaces=[conflict["id"]])
    assert [one["id"] for one in settled["closes"]] == [conflict["id"]]
    assert not settled.keys() & {"conflicts", "notes"}
    unknown = await note(4, newer, replaces=["no such fact"])
    assert "closes" not in unknown
    assert "matches no known fact" in unknown["notes"][0]


async def test_chinese_text_is_returned_unchanged(agent: Agent, graph: Graph) -> None:
    fact = {
        "subject": "user",
        "predicate": "DISLIKES",
        "object": "花生",
        "statement": "王芳对花生过敏。",
        "relation": "过敏",
    }
    messages = [said("我对花生过敏。", speaker="王芳")]
    done = await agent.call(
        "remember", messages=messages, facts=[fact], user_id="王芳", session_id="诊所", user_name="王芳"
    )
    await a_worker(graph).drain()
    hits = (await agent.call("recall", query="她对什么过敏？", user_id="王芳"))["hits"]
    assert any(hit["text"] == "王芳对花生过敏。" for hit in hits)
    context = await agent.text("get_context", query="今晚吃什么？", user_id="王芳")
    assert "花生" in context
    nodes = (await agent.call("search_nodes", query="花生", user_id="王芳"))["nodes"]
    assert nodes[0]["name"] == "花生"
    assert nodes[0]["facts"][0]["statement"] == "王芳对花生过敏。"
    layer = await agent.client.read_resource(f"{done['session_uri']}#L2")
    assert "我对花生过敏。" in layer.contents[0].text
    assert "\\u" not in await agent.text("recall", query="花生", user_id="王芳")


async def test_context_is_prompt_text_within_its_budget(agent: Agent, graph: Graph) -> None:
    await agent.call("remember", messages=[said("I moved to Lisbon in May and I love the trams.")], session_id="s")
    await a_worker(graph).drain()
    found = await agent.call("get_context", query="Where does she live?", max_tokens=300, sources=True)
    assert "Lisbon" in found["text"]
    assert 0 < found["tokens"] <= 300
    assert {"number", "kind", "id", "uri"} == set(found["sources"][0])
    assert found["text"] in await agent.text("get_context", query="Where does she live?", max_tokens=300)


async def test_sessions_and_layers_are_read_by_uri(agent: Agent, graph: Graph, tenant: str) -> None:
    done = await agent.call("remember", messages=[said("I swim on Mondays.")], session_id="pool talk")
    await a_worker(graph).drain()
    listed = (await agent.call("list_sessions"))["sessions"]
    assert [(one["session_id"], one["uri"], one["messages"]) for one in listed] == [
        ("pool talk", done["session_uri"], 1)
    ]
    made = await agent.call("generate_layers", session_id="pool talk")
    assert (made["sessions"], made["failed"]) == (1, 0)
    assert "swim" in (await agent.call("read_memory", uri=done["session_uri"], level="L0"))["text"]
    assert "I swim on Mondays." in await agent.text("read_memory", uri=done["session_uri"], level="L2")
    resources = (await agent.client.list_resources()).resources
    assert [resource.uri for resource in resources] == [f"{done['session_uri']}#L1"]
    overview = (await agent.client.read_resource(resources[0].uri)).contents[0]
    assert overview.mime_type == "text/markdown"
    assert "swim" in overview.text
    templates = [one.uri_template for one in (await agent.client.list_resource_templates()).resource_templates]
    assert templates[0] == f"memory://{tenant}/session/{{user_id}}/{{session_id}}{{#level}}"


async def test_session_is_closed_and_the_index_checked(agent: Agent, graph: Graph) -> None:
    await agent.call("remember", messages=[said("I keep bees.")], session_id="bees")
    closing = await agent.call("close_session", session_id="bees")
    assert closing["state"] == "closing"
    assert (await agent.call("status"))["waiting"] > 0
    await a_worker(graph).drain()
    assert (await agent.call("list_sessions"))["sessions"][0]["state"] == "closed"
    report = await agent.call("index_memories", dry_run=True)
    assert (report["errors"], report.get("found")) == (0, None)
    assert report["total"] > 0
    status = await agent.call("status")
    assert (status["waiting"], status["user_id"], status["reader"]) == (0, "ana", "rules")


async def test_everything_can_be_forgotten_and_users_only_with_confirmation(agent: Agent, graph: Graph) -> None:
    facts = [
        {"subject": "user", "predicate": "PREFERS", "object": name, "statement": f"Ana likes {name}."}
        for name in ("kayaks", "chess")
    ]
    done = await agent.call("remember", messages=[said("I like kayaks and chess.")], facts=facts, session_id="s1")
    await agent.call("remember", messages=[said("It rains.", time="2026-03-02T09:00Z")], session_id="s2")
    await a_worker(graph).drain()
    nodes = {node["name"]: node for node in (await agent.call("search_nodes", query="kayaks chess"))["nodes"]}
    fact = nodes["chess"]["facts"][0]["id"]
    assert (await agent.call("forget", kind="fact", id=fact))["facts"] == 1
    # Messages near a deleted one are read again, and are then in the graph again.
    await a_worker(graph).drain()
    assert (await agent.call("forget", kind="entity", id=nodes["kayaks"]["id"]))["entities"] == 1
    scene = (await agent.call("recall", query="kayaks", kinds=["scene"]))["hits"][0]
    assert (await agent.call("forget", kind="scene", id=scene["id"]))["messages"] == 1
    assert (await agent.failure("forget", kind="message", id=done["message_ids"][0]))["code"] == "NOT_FOUND"
    assert (await agent.call("forget", kind="session", id="s2"))["messages"] == 1
    await agent.call("remember", messages=[said("I sing.")], session_id="s3")
    refused = await agent.failure("forget", kind="user", id="ana")
    assert refused["code"] == "BAD_INPUT"
    assert "confirm = true" in refused["message"]
    assert (await agent.call("forget", kind="user", id="ana", confirm=True))["messages"] == 1
    assert (await agent.call("list_sessions")) == {"sessions": []}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "hint"),
    [
        ("recall", {"query": ""}, "BAD_INPUT", "query"),
        ("recall", {"query": "tea", "limit": 0}, "BAD_INPUT", "use 1 to 100"),
        ("recall", {"query": "tea", "limits": 5}, "BAD_INPUT", "limits is unknown; use query"),
        ("recall", {}, "BAD_INPUT", "query is missing"),
        ("recall", {"query": "tea", "start": "soon"}, "BAD_INPUT", "start is invalid"),
        ("get_context", {"query": "tea", "max_tokens": 0}, "BAD_INPUT", "maxTokens is 0"),
        ("remember", {"messages": []}, "BAD_INPUT", "send at least one message"),
        ("remember", {"messages": [{"role": "robot", "text": "hi"}]}, "BAD_INPUT", "messages.0.role"),
        ("forget", {"kind": "fact", "id": "nobody"}, "NOT_FOUND", "nothing to forget"),
        ("forget", {"kind": "thing", "id": "x"}, "BAD_INPUT", "kind is invalid"),
        ("search_nodes", {"query": "tea", "entity_types": ["ghost"]}, "BAD_INPUT", "entity_types.0"),
        ("read_memory", {"uri": "memory://nowhere"}, "INVALID_URI", "is not a URI of a memory"),
        ("close_session", {"session_id": "none"}, "NOT_FOUND", "has no session"),
        ("generate_layers", {"all_users": True, "session_id": "s"}, "BAD_INPUT", "omit one of them"),
        ("list_sessions", {"limit": 1000}, "BAD_INPUT", "use 1 to 100"),
        ("recal", {"query": "tea"}, "NOT_FOUND", "available: remember, get_context, recall"),
    ],
)
async def test_errors_have_a_code_and_a_remedy(
    agent: Agent, tool: str, arguments: dict[str, Any], code: str, hint: str
) -> None:
    error = await agent.failure(tool, **arguments)
    assert error["code"] == code
    assert hint in error["message"]


async def test_call_without_a_user_is_refused(service: McpService, tenant: str) -> None:
    async with service.agent(tenant, tools="all") as agent:
        for tool, arguments in (
            ("recall", {"query": "tea"}),
            ("remember", {"messages": [said("I sing.")]}),
            ("generate_layers", {}),
            ("search_nodes", {"query": "tea"}),
        ):
            error = await agent.failure(tool, **arguments)
            assert (error["code"], error["message"][:19]) == ("BAD_INPUT", "user_id is missing:")
        assert (await agent.client.list_resources()).resources == []


async def test_message_id_reused_with_other_text_is_a_conflict(agent: Agent) -> None:
    await agent.call("remember", messages=[said("I sing.", id="m1")])
    error = await agent.failure("remember", messages=[said("I dance.", id="m1")])
    assert (error["code"], "Use a new id" in error["message"]) == ("CONFLICT", True)


async def test_argument_names_of_other_systems_are_accepted(agent: Agent) -> None:
    done = await agent.call("remember", messages=[said("Hello.")], userId="bo", run_id="r1")
    assert "/bo/r1" in done["session_uri"]


async def test_agent_is_told_what_works_while_the_database_is_unavailable(tenant: str) -> None:
    async with serving(a_memory(a_dead_graph())) as service, service.agent(tenant, user="ana", tools="all") as agent:
        assert (await agent.call("status"))["database"] == "down"
        for tool, arguments in (("recall", {"query": "tea"}), ("list_sessions", {}), ("search_nodes", {"query": "茶"})):
            assert (await agent.failure(tool, **arguments))["code"] == "UNAVAILABLE"
        with pytest.raises(MCPError) as caught:
            await agent.client.list_resources()
        assert (caught.value.code, caught.value.data) == (-32603, {"code": "UNAVAILABLE"})


async def test_internal_error_reveals_no_details(tenant: str) -> None:
    """The service was constructed without its memory."""
    async with serving(cast(Memory, None)) as service, service.agent(tenant, user="ana") as agent:
        error = await agent.failure("recall", query="tea")
        assert (error["code"], "NoneType" in str(error)) == ("INTERNAL", False)


async def test_status_says_what_became_of_the_facts_of_a_conversation(agent: Agent, graph: Graph) -> None:
    fact = {"subject": "user", "predicate": "PREFERS", "object": "jasmine tea", "statement": "Ana loves jasmine tea."}
    for session in ("s1", "s2"):
        message = said(f"Tea again: {session}.")
        await agent.call("remember", messages=[message], facts=[fact], session_id=session)
        await a_worker(graph).drain()
    (first,) = (await agent.call("status", session_id="s1"))["events"]
    events = (await agent.call("status", session_id="s2"))["events"]
    assert first["kind"] == "add"
    assert {event["kind"]: event["reason"] for event in events} == {"merge": "a known fact says the same"}
    assert {event["fact_id"] for event in events} == {first["fact_id"]}
    assert "events" not in await agent.call("status", session_id="nothing")
