"""Test background work and its switches, indexing one session on request, the schedule of `sync`, and readiness."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph_service.app import services
from graph_service.auth.access import Role
from graph_service.graph.store import Graph
from graph_service.memory.repair.repair import SyncSchedule
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.embedders import HashedWords
from tests.support.fake_openai import FakeOpenAI
from tests.support.model_service import REMEMBER, ModelService, said
from tests.support.open_service import open_service

SESSION = '{ session(userId: "alice", sessionId: "s1") { state unread unembedded scenes } }'
FACTS = '{ recall(userId: "alice", query: "Which jasmine does she love?", kinds: [FACT]) { hits { text } } }'
INDEX = """mutation { indexMemories(userId: "alice", sessionId: "s1") {
  messages indexed skipped failed deferredScenes } }"""
LAYER = "query ($uri: String!) { layer(uri: $uri) { text } }"
CLOSE = 'mutation { closeSession(userId: "alice", sessionId: "s1") { state } }'


async def run(server: Server, folder: Path, tenant: str, **automation: str) -> Any:
    """Return an open service with settings of the section `automation`."""
    environ = {f"MNEMOSCENE_AUTOMATION_{name.upper()}": value for name, value in automation.items()}
    return open_service(server, folder, environ)


async def remember(api: ModelService, text: str = "I love jasmine tea.") -> None:
    await api.ask(REMEMBER, i={"userId": "alice", "sessionId": "s1", "messages": [said(text)]})
    await drained(api)


async def drained(api: ModelService) -> None:
    async with asyncio.timeout(120):
        await api.service.parts.worker.drain()


async def test_without_automatic_extraction_facts_are_extracted_on_request(
    server: Server, graph: Graph, tmp_path: Path, tenant: str
) -> None:
    await delete_open_jobs(graph)
    async with await run(server, tmp_path, tenant, auto_extract="false") as service:
        api = ModelService(service, tenant)
        await remember(api)
        await api.ask(CLOSE)
        await drained(api)
        assert (await api.ask(SESSION))["session"]["state"] == "CLOSED"
        assert (await api.ask(FACTS))["recall"]["hits"] == []
        uri = f"memory://{tenant}/session/alice/s1"
        assert "jasmine" in (await api.ask(LAYER, uri=uri))["layer"]["text"], "layers do not need extraction"
        assert (await api.ask(INDEX))["indexMemories"]["deferredScenes"] == 1
        assert any("jasmine" in hit["text"] for hit in (await api.ask(FACTS))["recall"]["hits"])
        assert (await api.ask(INDEX))["indexMemories"] == {
            "messages": 1,
            "indexed": 0,
            "skipped": 1,
            "failed": 0,
            "deferredScenes": 0,
        }


async def test_vectors_are_computed_when_the_switches_say(
    server: Server, graph: Graph, tmp_path: Path, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At close instead of at once; never; and on request."""

    async def opened(*_: object) -> services._OpenedEmbedder:
        return services._OpenedEmbedder(embedder=HashedWords())

    monkeypatch.setattr(services, "_open_embedder", opened)
    await delete_open_jobs(graph)
    async with await run(server, tmp_path / "close", tenant, index_on_message="false") as service:
        api = ModelService(service, tenant)
        await remember(api)
        assert (await api.ask(SESSION))["session"]["unembedded"] == 1
        await api.ask(CLOSE)
        await drained(api)
        assert (await api.ask(SESSION))["session"]["unembedded"] == 0
    async with await run(server, tmp_path / "never", tenant, auto_index="false") as service:
        api = ModelService(service, f"{tenant}-2")
        await remember(api)
        await api.ask(CLOSE)
        await drained(api)
        assert (await api.ask(SESSION))["session"] == {"state": "CLOSED", "unread": 0, "unembedded": 1, "scenes": 1}
        done = (await api.ask(INDEX))["indexMemories"]
        assert (done["indexed"], done["failed"]) == (1, 0)
        assert (await api.ask(SESSION))["session"]["unembedded"] == 0
        await delete_open_jobs(graph)


async def test_layers_follow_every_n_messages(server: Server, graph: Graph, tmp_path: Path, tenant: str) -> None:
    await delete_open_jobs(graph)
    more = {"generate_layers_every_n_messages": "2", "auto_index": "false"}
    async with await run(server, tmp_path, tenant, **more) as service:
        api = ModelService(service, tenant)
        behind = []
        for number in range(4):
            text = f"I love tea number {number} very much."
            message = said(text, f"2026-03-04T12:00:0{number}Z")
            await api.ask(REMEMBER, i={"userId": "alice", "sessionId": "s1", "messages": [message]})
            await drained(api)
            rows = await read(graph, "MATCH (s:Scene {tenant: $t}) RETURN s.layers_n AS n", t=tenant)
            behind.append(rows[0]["n"])
        assert behind == [1, 2, 2, 4]
    await delete_open_jobs(graph)


async def read(graph: Graph, text: str, **parameters: Any) -> list[Any]:
    async with graph._driver.session() as session:
        return [dict(row) async for row in await session.run(text, parameters)]


async def test_a_writer_indexes_a_session_over_mcp_and_only_that(
    server: Server, graph: Graph, tmp_path: Path, tenant: str
) -> None:
    await delete_open_jobs(graph)
    async with await run(server, tmp_path, tenant, auto_extract="false", auto_index="false") as service:
        writer = await service.key(tenant, Role.WRITE)
        async with service.client(writer.text) as client:

            async def call(name: str, **arguments: Any) -> str:
                request = {"name": name, "arguments": arguments}
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request}
                accept = {"Accept": "application/json, text/event-stream"}
                return (await client.post("/mcp?tools=all", json=body, headers=accept)).text

            message = {"role": "user", "text": "I love jasmine tea.", "time": "2026-03-01T12:00:00Z"}
            await call("remember", user_id="ana", session_id="s1", messages=[message])
            done = await call("index_memories", user_id="ana", session_id="s1")
            assert '"indexed":1' in done.replace("\\", "").replace(" ", "")
            assert "FORBIDDEN" in await call("index_memories")
            assert "jasmine" in await call("recall", user_id="ana", query="What tea?", kinds=["fact"])


async def test_schedule_repairs_each_tenant_once_in_an_interval(graph: Graph, tenant: str) -> None:
    memory, now = a_memory(graph), datetime.now(UTC)
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    await read(
        graph, "MERGE (e:Memory:Entity {tenant: $t, id: 'orphan', user_id: 'alice', name: 'x', key: 'x'})", t=tenant
    )
    ran: list[str] = []

    async def sync(named: TenantId) -> Any:
        ran.append(named)
        return await memory.sync(named)

    later = now + timedelta(days=8)
    every = timedelta(days=7)
    early = SyncSchedule(graph=graph, sync=sync, every=every, clock=lambda: now)
    due = SyncSchedule(graph=graph, sync=sync, every=every, clock=lambda: later)
    while await early.run_one():
        pass
    assert tenant not in ran
    # Another process at the same time.
    await asyncio.gather(
        *(all_due(one) for one in (due, SyncSchedule(graph=graph, sync=sync, every=every, clock=lambda: later)))
    )
    assert ran.count(tenant) == 1
    assert await read(graph, "MATCH (e {tenant: $t, id: 'orphan'}) RETURN e", t=tenant) == []
    assert not await due.run_one()
    await read(graph, "MATCH (t:Tenant) REMOVE t.synced_at, t.sync_claims")


async def all_due(schedule: SyncSchedule) -> None:
    while await schedule.run_one():
        pass


async def test_ready_reports_disk_and_asks_the_model_on_request(server: Server, tmp_path: Path) -> None:
    """Only callers with a credential may cause requests, and only one a minute."""
    with FakeOpenAI() as endpoint:
        more = {
            "LLM_MODEL": "m",
            "MNEMOSCENE_LLM_BASE_URL": endpoint.base_url,
            "MNEMOSCENE_EMBEDDING_KIND": "none",
            "MNEMOSCENE_SERVICE_FREE_DISK_MB_MIN": "1000000000",
        }
        async with open_service(server, tmp_path, more) as service:
            key = (await service.key(None)).text
            async with service.client() as stranger, service.client(key) as operator:
                unknown = await stranger.get("/ready?deep=true")
                assert set(unknown.json()) == {"ready"}
                assert endpoint.requests == []
                shallow = (await operator.get("/ready")).json()
                assert shallow["disk"]["state"] in ("low", "full")
                assert shallow["degraded"] is True
                assert "endpoints" not in shallow
                deep = [(await operator.get("/ready?deep=true")).json()["endpoints"] for _ in range(2)]
                assert deep[0] == deep[1]
                assert set(deep[0]) == {"model"}
                assert deep[0]["model"]["answers"] is False, "the endpoint's answer is no JSON"
                assert len(endpoint.requests) >= 1


@pytest.mark.parametrize("answer", ['{"number": 7}', "no"])
async def test_doctor_asks_the_model_on_request(tmp_path: Path, answer: str) -> None:
    from graph_service.admin.doctor import examine_endpoints
    from graph_service.config.settings import load_settings
    from tests.support.fake_openai import says

    with FakeOpenAI(*[says(answer)] * 30) as endpoint:
        environ = {
            "LLM_MODEL": "small",
            "MNEMOSCENE_LLM_BASE_URL": endpoint.base_url,
            "MNEMOSCENE_DATA_DIR": str(tmp_path),
            "MNEMOSCENE_EMBEDDING_KIND": "none",
        }
        settings = load_settings(environ=environ, here=tmp_path, user_dir=tmp_path)
        check, *measured = await examine_endpoints(settings)
    assert (check.ok, "small" in check.finding) == (answer != "no", True)
    assert bool(check.fix) is (answer == "no")
    found = {one.name: one.finding for one in measured}
    assert list(found) == ([] if answer == "no" else ["answer formats", "model speed", "model quality"])
    if answer != "no":
        assert found["answer formats"] == "json_schema, tools, json_object, text"
        assert "tokens a second" in found["model speed"]
        assert "recall 0.00 on twenty sentences; 4 of 4 answers could not be used" in found["model quality"]
