"""Test the quarantine of a tenant at every interface: what is refused, what waits, and that nothing is lost."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from typer.testing import CliRunner

from graph_service.app.services import open_services
from graph_service.auth.access import Role
from graph_service.cli.main import app
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.worker.worker import Worker
from schema.ids import TenantId, memory_id, session_uri
from tests.conftest import Server
from tests.support.builders import a_job_context, an_incoming
from tests.support.embedders import HashedWords
from tests.support.live_service import LiveViewer
from tests.support.open_service import OpenService, open_service, settings_for
from tests.support.polling import reached
from tests.support.readers import read_with_tags

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
RECALL = '{ recall(userId: "ana", query: "Which tea?") { hits { text } } }'
BEGIN = 'mutation ($m: QuarantineMode!) { beginQuarantine(mode: $m, reason: "a key leaked") { mode since } }'
END = "mutation { endQuarantine }"
STATE = "{ quarantine { mode reason } }"
TALK = {"userId": "ana", "sessionId": "s", "messages": [{"role": "USER", "text": "I love jasmine tea."}]}


@pytest_asyncio.fixture(loop_scope="session")
async def service(server: Server, tmp_path: Path) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"}) as running:
        yield running


async def ask(service: OpenService, key: str, query: str, tenant: str | None = None, **variables: Any) -> Any:
    """Return the data of an operation, or the code of its first error."""
    headers = {} if tenant is None else {"Mnemoscene-Tenant": tenant}
    async with service.client(key, **headers) as client:
        answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    return answer["errors"][0]["extensions"]["code"] if answer.get("errors") else answer["data"]


async def test_a_closed_tenant_refuses_everything_until_the_quarantine_ends(service: OpenService, tenant: str) -> None:
    other = f"{tenant}-2"
    operator = (await service.key(None)).text
    writer, neighbour = (await service.key(tenant, Role.WRITE)).text, (await service.key(other, Role.WRITE)).text
    admin = (await service.key(tenant)).text
    for key in (writer, neighbour):
        assert (await ask(service, key, REMEMBER, i=TALK))["remember"] == {"stored": 1}
    async with service.socket() as socket:
        viewer = LiveViewer(socket)
        await viewer.say(t="hello", v=1, client="c-test", token=writer, scope={"tenant": tenant})
        assert (await viewer.next())["t"] == "hello_ack"
        assert await ask(service, admin, BEGIN, m="CLOSED") == "FORBIDDEN", "a tenant cannot end it itself"
        assert (await ask(service, operator, BEGIN, tenant, m="CLOSED"))["beginQuarantine"]["mode"] == "CLOSED"
        frames: list[dict[str, Any]] = []
        while not frames or frames[-1]["t"] != "error":
            frames.append(await viewer.next())
        assert (frames[-1]["code"], "quarantine" in frames[-1]["message"]) == ("QUARANTINED", True)
    assert [await ask(service, writer, query, i=TALK) for query in (REMEMBER, RECALL)] == ["QUARANTINED"] * 2
    assert (await ask(service, admin, STATE))["quarantine"] == {"mode": "CLOSED", "reason": "a key leaked"}
    assert "text" in (await ask(service, admin, "mutation { exportGraph { text } }"))["exportGraph"]
    async with service.client(writer) as client:
        refused = await client.get("/api/snapshot")
        assert (refused.status_code, refused.json()["error"]["code"]) == (423, "QUARANTINED")
        called = await client.post(
            "/mcp",
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "recall", "arguments": {"query": "tea", "user_id": "ana"}},
            },
            headers={"Accept": "application/json, text/event-stream"},
        )
        assert "QUARANTINED" in called.text
    assert (await service.greeted(tenant, writer))["code"] == "QUARANTINED"
    assert len((await ask(service, neighbour, RECALL))["recall"]["hits"]) >= 1
    assert (await ask(service, operator, END, tenant))["endQuarantine"] is True
    assert (await ask(service, operator, END, tenant))["endQuarantine"] is False
    assert any(hit["text"] == "I love jasmine tea." for hit in (await ask(service, writer, RECALL))["recall"]["hits"])
    entries = [entry["what"] for entry in service.audit_entries()]
    assert ["beginQuarantine"] in entries
    assert ["endQuarantine"] in entries


async def test_a_read_only_tenant_answers_and_its_jobs_wait(service: OpenService, tenant: str) -> None:
    operator, writer = (await service.key(None)).text, (await service.key(tenant, Role.WRITE)).text
    assert (await ask(service, writer, REMEMBER, i=TALK))["remember"] == {"stored": 1}
    await ask(service, operator, BEGIN, tenant, m="READ_ONLY")
    worker = service.parts.worker
    # A message that was accepted before, for example by the spool.
    await service.parts.memory.remember(TenantId(tenant), an_incoming("I hate coffee.", user="ana"))
    await worker.drain()
    facts = '{ recall(userId: "ana", query: "coffee", kinds: [FACT]) { hits { text } } }'
    assert "coffee" not in str((await ask(service, writer, facts))["recall"])
    assert await ask(service, writer, REMEMBER, i=TALK) == "QUARANTINED"
    assert await ask(service, writer, 'mutation { closeSession(userId: "ana", sessionId: "s") { state } }') == (
        "QUARANTINED"
    )
    await ask(service, operator, END, tenant)
    await worker.drain()
    assert "coffee" in str((await ask(service, writer, facts))["recall"])


async def test_paused_embedding_refuses_nothing_and_follows_once_resumed(service: OpenService, tenant: str) -> None:
    operator, writer = (await service.key(None)).text, (await service.key(tenant, Role.WRITE)).text
    assert await ask(service, writer, BEGIN, m="EMBEDDING") == "FORBIDDEN"
    assert (await ask(service, operator, BEGIN, tenant, m="EMBEDDING"))["beginQuarantine"]["mode"] == "EMBEDDING"
    parts = service.parts
    worker = Worker(
        graph=parts.graph,
        embedder=HashedWords(),
        readers=Readers(first=read_with_tags, fallback=read_with_tags),
        job_context=a_job_context(),
        paused_tenants=parts.quarantine.paused,
    )
    assert (await ask(service, writer, REMEMBER, i=TALK))["remember"] == {"stored": 1}
    await ask(service, writer, 'mutation { closeSession(userId: "ana", sessionId: "s") { state } }')
    await worker.drain()
    await worker.index_session(TenantId(tenant), memory_id(session_uri(tenant, "ana", "s")))
    assert "I love jasmine tea." in [hit["text"] for hit in (await ask(service, writer, RECALL))["recall"]["hits"]]
    assert await unembedded(parts.graph, tenant) > 0
    async with service.client(operator) as client:
        assert (await client.get("/ready")).json()["embedding_paused"] >= 1
    await ask(service, operator, BEGIN, tenant, m="READ_ONLY")
    assert await ask(service, operator, BEGIN, tenant, m="EMBEDDING") == "CONFLICT", "it would allow writes"
    await ask(service, operator, END, tenant)
    await worker.drain()
    assert await unembedded(parts.graph, tenant) == 0


async def unembedded(graph: Graph, tenant: str) -> int:
    """Return the number of messages and scenes that wait for vectors."""
    query = "MATCH (n {tenant: $tenant, unembedded: true}) WHERE n:Message OR n:Scene RETURN count(n) AS n"
    async with graph._driver.session() as session:
        result = await (await session.run(query, tenant=tenant)).single()
    assert result is not None
    return int(result["n"])


def test_the_command_line_begins_and_ends_a_quarantine(home: Path, tenant: str) -> None:
    def run(*words: str) -> Any:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, (words, done.output, done.exception)
        return json.loads(done.stdout)

    run("remember", "I love tea.", "--user", "ana", "--no-wait")
    assert run("quarantine", "show") == {"mode": None}
    assert run("quarantine", "begin", "odd requests", "--mode", "read_only")["mode"] == "read_only"
    assert run("quarantine", "show")["reason"] == "odd requests"
    assert run("quarantine", "end") == {"ended": True}
    assert run("quarantine", "begin", "endpoint overloaded", "--mode", "embedding")["mode"] == "embedding"
    run("remember", "I hate coffee.", "--user", "ana")
    assert run("quarantine", "end") == {"ended": True}
    assert run("quarantine", "end") == {"ended": False}


async def test_another_process_follows_a_quarantine(
    service: OpenService, server: Server, tenant: str, tmp_path: Path
) -> None:
    """The list is reloaded, also by a service that did not make the change."""
    operator, writer = (await service.key(None)).text, (await service.key(tenant, Role.WRITE)).text
    await ask(service, writer, REMEMBER, i=TALK)
    parts = service.parts
    own = type(parts.quarantine)(parts.graph, file=tmp_path / "quarantine.json")
    stop = asyncio.Event()
    following = asyncio.create_task(own.run(stop))
    try:
        await ask(service, operator, BEGIN, tenant, m="CLOSED")
        await reached(lambda: TenantId(tenant) in own.tenants)
        await ask(service, operator, END, tenant)
        await reached(lambda: TenantId(tenant) not in own.tenants)
    finally:
        stop.set()
        await following


async def test_a_quarantine_outlasts_a_restart(
    service: OpenService, server: Server, tenant: str, tmp_path: Path
) -> None:
    """A service that starts knows of it before its first request and job."""
    operator = (await service.key(None)).text
    await ask(service, operator, BEGIN, tenant, m="CLOSED")
    settings = settings_for(server, tmp_path / "again", {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    parts = await open_services(settings, on_progress=lambda _step: None, starting=None)
    try:
        assert TenantId(tenant) in parts.quarantine.tenants
    finally:
        await parts.close()
        await ask(service, operator, END, tenant)
