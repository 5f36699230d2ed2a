"""Test over GraphQL that repeated questions show every write at once, whatever interface it came through."""

from pathlib import Path
from typing import Any

import httpx

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_memory, a_message, an_incoming, delete_open_jobs
from tests.support.open_service import open_service

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { messageIds } }"
FORGET = "mutation ($id: String!) { forgetMessage(id: $id) { __typename } }"
RECALL = '{ recall(userId: "ana", query: "Which jasmine tea?", kinds: [MESSAGE]) { hits { id text } } }'


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in answer, answer
    return dict(answer["data"])


async def found(client: httpx.AsyncClient) -> set[str]:
    """Return the texts of the hits."""
    return {hit["text"] for hit in (await ask(client, RECALL))["recall"]["hits"]}


async def test_a_repeated_question_shows_each_write_at_once(
    server: Server, graph: Graph, tenant: str, tmp_path: Path
) -> None:
    await delete_open_jobs(graph)
    async with open_service(server, tmp_path) as service, service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        assert await found(client) == set()
        texts = {"I love jasmine tea.", "Jasmine tea is hot.", "Ben sells jasmine tea."}
        over_graphql, over_mcp, elsewhere = sorted(texts)
        said = {"role": "USER", "text": over_graphql, "time": "2026-03-01T12:00:00Z"}
        given = {"userId": "ana", "sessionId": "s1", "messages": [said]}
        (name,) = (await ask(client, REMEMBER, i=given))["remember"]["messageIds"]
        assert await found(client) == {over_graphql}
        message = {"role": "user", "text": over_mcp, "time": "2026-03-01T12:01:00Z"}
        arguments = {"user_id": "ana", "session_id": "s2", "messages": [message]}
        call = {"name": "remember", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        accept = {"Accept": "application/json, text/event-stream"}
        assert "error" not in (await client.post("/mcp", json=body, headers=accept)).json()
        assert await found(client) == {over_graphql, over_mcp}
        # As a command in another process does.
        incoming = an_incoming(messages=(a_message(elsewhere),), user="ana", session="s3")
        await a_memory(graph).remember(TenantId(tenant), incoming)
        assert await found(client) == texts
        await ask(client, FORGET, id=name)
        assert await found(client) == {over_mcp, elsewhere}
