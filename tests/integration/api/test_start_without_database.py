"""Test that a service starts while its Neo4j is unavailable: it answers from disk, and recovers by itself."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from graph_service.app.application import create_app
from graph_service.app.services import Services, open_services
from graph_service.auth.quarantine import QuarantineMode
from graph_service.config.settings import load_settings
from graph_service.runtime.shutdown import Stopping
from graph_service.runtime.spool_location import file_of_database
from schema.errors import UnavailableError
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.auth.test_access_settings import BY_TOKEN, a_token
from tests.support.polling import eventually
from tests.support.tcp_proxy import tcp_proxy

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored spooled } }"
RECALL = '{ recall(userId: "ana", query: "Who likes jasmine tea?") { degraded hits { kind text uri } notes } }'
LAYER = "query ($uri: String!) { layer(uri: $uri) { text } }"
# What needs the database; nothing of it is on disk.
READINGS = (
    '{ profile(userId: "ana") { items { statement } } }',
    '{ sessions(userId: "ana") { nodes { sessionId } } }',
    '{ user(userId: "ana") { facts { nodes { statement } } } }',
    '{ entities(userId: "ana") { nodes { name } } }',
    '{ factHistory(id: "0e8b5c6a-0000-5000-8000-000000000000") { statement } }',
    '{ layer(uri: "memory://x/user/ana") { text } }',
)
LAYER_URI = "memory://x/user/ana"
SAID = "Ben likes jasmine tea."


@contextlib.asynccontextmanager
async def a_service(server: Server, folder: Path, port: int, tenant: str, **more: str) -> Any:
    """Run a service as `mnemoscene serve` does: it does not wait for its database."""
    environ = {
        **server.environ,
        "NEO4J_URI": f"bolt://127.0.0.1:{port}",
        "MNEMOSCENE_DATA_DIR": str(folder),
        "MNEMOSCENE_EMBEDDING_KIND": "none",
        **more,
    }
    settings = load_settings(environ=environ, here=folder, user_dir=folder / "user")
    parts = await open_services(settings, on_progress=lambda _step: None, starting=None, wait=False)
    app = create_app(parts, Stopping())
    transport = httpx.ASGITransport(app=app)
    headers = {"Mnemoscene-Tenant": tenant}
    try:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client,
        ):
            yield parts, client
    finally:
        await parts.close()


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    async with asyncio.timeout(120):
        while True:
            response = await client.post("/graphql", json={"query": query, "variables": variables})
            # Until the keys are read, the service refuses requests as unavailable.
            if response.is_success:
                answer = response.json()
                assert "errors" not in answer, answer
                return dict(answer["data"])
            await asyncio.sleep(0.05)


async def readiness(client: httpx.AsyncClient) -> httpx.Response:
    """Return what `/ready` says to an authenticated caller: until the keys are read, it takes nobody for one."""
    async with asyncio.timeout(120):
        while True:
            response = await client.get("/ready")
            if "neo4j" in response.json():
                return response
            await asyncio.sleep(0.05)


async def call_tool(client: httpx.AsyncClient, name: str, **arguments: Any) -> dict[str, Any]:
    """Call an MCP tool of the service for Ana, and return its result or error."""
    call = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream"}
    async with asyncio.timeout(120):
        response = await client.post("/mcp?user=ana&tools=all", json=body, headers=headers)
    answer: dict[str, Any] = response.json()["result"]["structuredContent"]
    return answer


async def doors_answer_from_disk(client: httpx.AsyncClient, said: str) -> list[str]:
    """Check what GraphQL and MCP say without the database; return the URIs of the hits that are not messages."""
    stored = (await ask(client, REMEMBER, i=given(said)))["remember"]
    spooled = await call_tool(client, "remember", messages=[{"role": "user", "text": f"{said} Twice."}])
    assert (stored["spooled"], spooled["spooled"]) == (True, True)
    found = (await ask(client, RECALL))["recall"]
    told = await call_tool(client, "recall", query="Who likes jasmine tea?")
    assert (found["degraded"], told["degraded"]) == (True, True)
    assert any("Ben" in hit["text"] and "jasmine tea" in hit["text"] for hit in found["hits"])
    assert [hit["uri"] for hit in found["hits"]] == [hit["uri"] for hit in told["hits"]]
    assert all(hit["uri"] for hit in found["hits"])
    for reading in READINGS:
        answer = (await client.post("/graphql", json={"query": reading})).json()
        assert [error["extensions"]["code"] for error in answer["errors"]] == ["UNAVAILABLE"], answer
    for tool, more in (("list_sessions", {}), ("search_nodes", {"query": "tea"}), ("read_memory", {"uri": LAYER_URI})):
        assert (await call_tool(client, tool, **more))["error"]["code"] == "UNAVAILABLE", tool
    return [hit["uri"] for hit in found["hits"] if hit["kind"] != "MESSAGE"]


async def idle(parts: Services, tenant: str) -> None:
    """Return when the worker of the service has done all jobs."""
    while True:
        if not await parts.work_left(TenantId(tenant)):
            return
        await asyncio.sleep(0.05)


async def keys_are_loaded(parts: Services) -> bool:
    """Load the keys; return False if a busy machine has taken the database for unavailable."""
    with contextlib.suppress(UnavailableError):
        await parts.keyring.ensure_loaded()
        return True
    return False


def given(text: str) -> dict[str, Any]:
    fact = {"subject": "Ben", "predicate": "PREFERS", "object": "jasmine tea", "statement": SAID}
    messages = [{"role": "USER", "text": text}]
    return {"userId": "ana", "sessionId": "s1", "messages": messages, "facts": [fact] if text == SAID else []}


async def test_a_service_starts_without_its_database_and_recovers(server: Server, tenant: str, tmp_path: Path) -> None:
    port = urlsplit(server.uri).port or 0
    async with tcp_proxy(port) as cable:
        async with a_service(server, tmp_path, cable.port, tenant) as (parts, client):
            async with asyncio.timeout(300):
                await parts.database.wait()
                # A message is taken before, too; a service that ends before it has read the keys leaves none.
                await eventually(lambda: keys_are_loaded(parts), within_s=300)
            await ask(client, REMEMBER, i=given(SAID))
            async with asyncio.timeout(300):
                await idle(parts, tenant)
            await parts.memory.recall_snapshots.refresh()
            await parts.quarantine.begin(TenantId(f"{tenant}-leaked"), QuarantineMode.CLOSED, "a key leaked")
        await cable.cut()
        async with a_service(server, tmp_path, cable.port, tenant) as (parts, client):
            ready = await readiness(client)
            assert (ready.status_code, ready.json()["neo4j"], ready.json()["degraded"]) == (503, "down", True)
            leaked = {"Mnemoscene-Tenant": f"{tenant}-leaked"}
            assert "QUARANTINED" in (await client.post("/graphql", json={"query": RECALL}, headers=leaked)).text
            uris = await doors_answer_from_disk(client, "Ben bought a kettle.")
            assert uris
            shown = (await client.get("/api/snapshot", params={"user": "ana"})).json()
            assert (shown["stale"], "jasmine tea" in str(shown["nodes"])) == (True, True)
            await cable.mend(port)
            async with asyncio.timeout(300):
                await parts.database.wait()
            assert (await client.get("/ready")).json()["neo4j"] == "up"
            assert await parts.quarantine.end(TenantId(f"{tenant}-leaked"))
            for uri in uris:
                assert (await ask(client, LAYER, uri=uri))["layer"]["text"]
            # Away again, perhaps before its snapshot was read anew: what is in the spool answers.
            await cable.cut()
            await doors_answer_from_disk(client, "Ben sold the jasmine tea.")


async def test_a_service_that_never_reached_its_database_starts_and_recovers(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    """The keys are unknown then, so that only holders of a signed token get in."""
    port = urlsplit(server.uri).port or 0
    async with tcp_proxy(port) as cable:
        await cable.cut()
        async with a_service(server, tmp_path, cable.port, tenant, **BY_TOKEN) as (parts, client):
            body = {"query": REMEMBER, "variables": {"i": given(SAID)}}
            refused = (await client.post("/graphql", json=body)).json()
            assert "UNAVAILABLE" in str(refused)
            assert "known once Neo4j has answered" in str(refused)
            assert (await client.get("/ready")).json() == {"ready": False}
            client.headers["Authorization"] = f"Bearer {a_token(tenant, 'admin', lasts_s=3600)}"
            ready = await client.get("/ready")
            assert (ready.status_code, ready.json()["neo4j"], ready.json()["degraded"]) == (503, "down", True)
            # Nothing is known of this user, which is not the same as nothing being stored.
            assert "UNAVAILABLE" in (await client.post("/graphql", json={"query": RECALL})).text
            stored = (await ask(client, REMEMBER, i=given(SAID)))["remember"]
            assert stored == {"stored": 1, "spooled": True}
            found = (await ask(client, RECALL))["recall"]
            assert (found["degraded"], SAID in str(found["hits"])) == (True, True)
            assert found["notes"]
            await cable.mend(port)
            async with asyncio.timeout(300):
                await parts.database.wait()
                while True:
                    waits = await parts.spool.has_waiting(TenantId(tenant), "ana")
                    if not waits and (await client.get("/ready")).status_code == 200:
                        break
                    await asyncio.sleep(0.05)
                await idle(parts, tenant)
            found = (await ask(client, RECALL))["recall"]
            assert (found["degraded"], SAID in str(found["hits"])) == (False, True)


async def test_messages_are_spooled_before_the_first_contact_with_the_database(tenant: str, tmp_path: Path) -> None:
    """Regression: without a credential every request was refused until Neo4j had answered once."""
    away = Server(uri="bolt://127.0.0.1:9", user="neo4j", password="x")
    async with a_service(away, tmp_path, 9, tenant) as (services, client):
        stored = (await client.post("/graphql", json={"query": REMEMBER, "variables": {"i": given(SAID)}})).json()
        assert stored["data"]["remember"] == {"stored": 1, "spooled": True}
        assert SAID in (await client.post("/graphql", json={"query": RECALL})).text
        for reading in READINGS:
            answer = (await client.post("/graphql", json={"query": reading})).json()
            assert [error["extensions"]["code"] for error in answer["errors"]] == ["UNAVAILABLE"], answer
        analysed = await client.post("/graphql", json={"query": '{ cypher(statement: "RETURN 1") { rows } }'})
        assert "FORBIDDEN" in analysed.text
        # Something came from the database once, so there may be keys.
        file = file_of_database(services.settings, "snapshots", "sqlite3")
        await asyncio.to_thread(file.touch)
    async with a_service(away, tmp_path, 9, tenant) as (_, client):
        refused = await client.post("/graphql", json={"query": RECALL})
        assert (refused.status_code, "known once Neo4j has answered" in refused.text) == (503, True)
