"""Test that no door shows a stored secret, that it can be switched off, and that a read-only service refuses writes."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from extraction.text.secrets import ALL_KINDS
from graph_service.app.application import tool_context
from graph_service.mcp.caller import Caller
from graph_service.mcp.memory_backend import MemoryBackend
from graph_service.memory.recall.pipeline import CUT_CHARS, HIT_CHARS_MAX
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.open_service import OpenService, open_service

KEY = "sk-proj-" + "Zq7" * 9
CARD = "4111 1111 1111 1111"
FILE = "/home/ana/tax/2025.pdf"
SAID = f"The OpenAI key is {KEY}, my card is {CARD}, and the tax file is {FILE}."
SHOWN = "The OpenAI key is [hidden key], my card is [hidden card number], and the tax file is …/2025.pdf."
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored } }"
ASKED = {"query": "Which key, card and tax file?", "user_id": "ana"}
RECALL = '{ recall(userId: "ana", query: "Which key, card and tax file?") { hits { text uri } } }'
FAST = {"MNEMOSCENE_EMBEDDING_KIND": "none"}


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("service"), FAST) as running:
        yield running


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    return dict((await client.post("/graphql", json={"query": query, "variables": variables})).json())


async def remember(client: httpx.AsyncClient, text: str = SAID) -> dict[str, Any]:
    said = {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": text}]}
    return await ask(client, REMEMBER, input=said)


async def recalled(client: httpx.AsyncClient) -> list[str]:
    answer = await ask(client, RECALL)
    assert "errors" not in answer, answer
    hits = answer["data"]["recall"]["hits"]
    return [hit["text"] for hit in hits if "/timeline/" in hit["uri"]]


async def called(client: httpx.AsyncClient, tool: str, arguments: dict[str, Any]) -> str:
    """Return the answer of an MCP tool as text."""
    answer = await client.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
        headers={"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"},
    )
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_graphql_and_rest_show_no_secret(service: OpenService, tenant: str) -> None:
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        assert (await remember(client))["data"]["remember"]["stored"] == 1
        assert await recalled(client) == [SHOWN]
        rows = await ask(client, '{ cypher(statement: "MATCH (m:Message {tenant: $tenant}) RETURN m.text") { rows } }')
        assert KEY not in json.dumps(rows)
        answer = await client.get("/api/snapshot", params={"user": "ana"})
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert KEY not in answer.text


async def test_mcp_shows_no_secret_over_http_and_on_standard_output(service: OpenService, tenant: str) -> None:
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        await remember(client)
        answer = await called(client, "recall", ASKED)
        assert "[hidden key]" in answer
        assert KEY not in answer
    context = tool_context(service.parts)

    async def opened() -> Any:
        return context

    backend = MemoryBackend(opened, hidden=ALL_KINDS)
    result = await backend.call(Caller(tenant=TenantId(tenant), user_id="ana"), "recall", ASKED)
    assert SHOWN in json.dumps(result.structured_content, ensure_ascii=False)
    assert KEY not in result.model_dump_json()


async def test_an_export_keeps_secrets_so_that_an_import_restores_them(service: OpenService, tenant: str) -> None:
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        await remember(client)
        exported = await ask(client, "mutation { exportGraph { text } }")
        assert KEY in exported["data"]["exportGraph"]["text"]


async def test_each_kind_can_be_shown_by_a_setting(server: Server, tenant: str, tmp_path: Path) -> None:
    shown = {"MNEMOSCENE_DISPLAY_HIDE_PATHS": "false", "MNEMOSCENE_DISPLAY_HIDE_CARDS": "false"}
    async with (
        open_service(server, tmp_path, {**FAST, **shown}) as service,
        service.client(**{"Mnemoscene-Tenant": tenant}) as client,
    ):
        await remember(client)
        [text] = await recalled(client)
        assert text == SAID.replace(KEY, "[hidden key]")


async def test_a_read_only_service_refuses_writes_at_every_door(server: Server, tenant: str, tmp_path: Path) -> None:
    async with (
        open_service(server, tmp_path, {**FAST, "MNEMOSCENE_SERVICE_READ_ONLY": "true"}) as service,
        service.client(**{"Mnemoscene-Tenant": tenant}) as client,
    ):
        assert (await client.get("/api/access")).json()["role"] == "read"
        refused = await remember(client)
        assert refused["errors"][0]["extensions"]["code"] == "FORBIDDEN"
        assert "service.read_only" in refused["errors"][0]["message"]
        said = {"user_id": "ana", "session_id": "s1", "messages": [{"role": "user", "text": SAID}]}
        assert "FORBIDDEN" in await called(client, "remember", said)
        assert await recalled(client) == []


async def test_texts_of_all_aliases_of_a_request_are_bounded(service: OpenService, tenant: str) -> None:
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        await remember(client, "My zebra is called Ida. " + "She ate grass. " * 5_000)
        asked = 'recall(userId: "ana", query: "my zebra Ida", kinds: [MESSAGE]) { hits { text } notes }'
        aliases = " ".join(f"a{number}: {asked}" for number in range(8))
        answers = list((await ask(client, f"{{ {aliases} }}"))["data"].values())
        chars = [len(hit["text"]) for one in answers for hit in one["hits"]]
        assert len(chars) == len(answers)
        assert HIT_CHARS_MAX / 2 < sum(chars) <= HIT_CHARS_MAX + len(chars) * (CUT_CHARS + 1)
        notes = [note for one in answers for note in one["notes"] if "of 1 hits are truncated" in note]
        assert len(notes) == chars.count(CUT_CHARS + 1) > 0
