"""Test that SIGTERM ends the service in order within 30 seconds, whatever is unavailable."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from graph_service.app.middleware import StopGuard
from graph_service.graph.store import Graph
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.runtime.shutdown import Stopping
from tests.benchmarks.silent_crowd import TICK_S, Crowd
from tests.conftest import Server
from tests.support.builders import a_job_context, a_worker
from tests.support.cli_process import Home, Running
from tests.support.slow import slow_but
from tests.support.tcp_proxy import tcp_proxy

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { messageIds spooled } }"
CLOSE = 'mutation { closeSession(userId: "ana", sessionId: "s") { state } }'
STOP_MAX_S = 30.0
TALKERS = 8


@dataclass
class Client:
    """A service with its own tenant, and the messages it acknowledged."""

    service: Running
    client: httpx.AsyncClient
    acknowledged: list[str]

    async def say(self, text: str, *, session: str = "s") -> dict[str, Any]:
        """Send one message and return when it is acknowledged."""
        said = {"userId": "ana", "sessionId": session, "messages": [{"role": "USER", "text": text}]}
        answer = await self.client.post("/graphql", json={"query": REMEMBER, "variables": {"input": said}})
        if answer.status_code != 200:
            raise ConnectionRefusedError(answer.text)
        told: dict[str, Any] = answer.json()["data"]["remember"]
        self.acknowledged += told["messageIds"]
        return told

    async def stop(self) -> tuple[int, float]:
        """Send SIGTERM; return the exit code and the seconds until the exit."""
        started_s = time.monotonic()
        code = await asyncio.to_thread(self.service.stop)
        return code, time.monotonic() - started_s


@asynccontextmanager
async def running_client(server: Server, folder: Path, tenant: str, uri: str, **more: str) -> AsyncIterator[Client]:
    home = Home(folder, {**server.environ, "NEO4J_URI": uri, "MNEMOSCENE_TENANT": tenant, **more})
    with home.running("serve", "--port", "0", "--no-browser", "--json") as service:
        where = await asyncio.to_thread(service.document)
        address, headers = str(where["graphql"]).removesuffix("/graphql"), {"Mnemoscene-Tenant": tenant}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            yield Client(service, client, [])


async def _stored(graph: Graph, tenant: str) -> tuple[set[str], int]:
    """Return the ids of all messages of a tenant, and the number of them that are in no scene."""
    query = """MATCH (m:Message {tenant: $tenant})
      RETURN m.id AS id, EXISTS { (m)-[:PART_OF]->(:Scene) } AS read"""
    async with graph._driver.session() as session:
        rows = await (await session.run(query, tenant=tenant)).data()
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"] for row in rows}, sum(not row["read"] for row in rows)


async def test_stop_during_writes_and_extraction_loses_nothing(
    server: Server, graph: Graph, tenant: str, tmp_path: Path
) -> None:
    """Writers get a closed connection or a proper refusal, never a partial response."""
    async with running_client(server, tmp_path, tenant, server.uri) as talk:
        many = asyncio.Event()

        async def talker(number: int) -> BaseException:
            for count in range(10_000):
                try:
                    await talk.say(
                        f"I love tea number {count} of {number}. 我喜欢第{count}种茶。", session=f"s{number}"
                    )
                except (httpx.TransportError, OSError) as refused:
                    return refused
                if len(talk.acknowledged) > 5 * TALKERS:
                    many.set()
            raise AssertionError("the service did not stop")

        talkers = [asyncio.create_task(talker(number)) for number in range(TALKERS)]
        await many.wait()
        code, took_s = await talk.stop()
        refusals = await asyncio.gather(*talkers)
    assert (code, took_s < STOP_MAX_S) == (0, True)
    assert all("shutting down" in str(r) for r in refusals if not isinstance(r, httpx.TransportError))
    stored, _ = await _stored(graph, tenant)
    assert set(talk.acknowledged) <= stored
    await a_worker(graph).drain()
    assert await _stored(graph, tenant) == (stored, 0)


@pytest.mark.slow
async def test_model_that_never_answers_does_not_delay_the_stop(
    server: Server, graph: Graph, tenant: str, tmp_path: Path
) -> None:
    """Its job is released, so that the next worker need not wait for the lease to expire."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        model = {"LLM_MODEL": "silent", "OPENAI_BASE_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/v1"}
        async with running_client(server, tmp_path, tenant, server.uri, **model) as talk:
            await talk.say("I love jasmine tea and my sister Anna works at Acme.")
            await talk.client.post("/graphql", json={"query": CLOSE})
            asked, _ = await asyncio.to_thread(silent.accept)
            code, took_s = await talk.stop()
            asked.close()
    assert (code, took_s < STOP_MAX_S) == (0, True)
    assert (await _stored(graph, tenant))[0] == set(talk.acknowledged)
    await a_worker(graph).drain()
    assert await _stored(graph, tenant) == (set(talk.acknowledged), 0)


@pytest.mark.parametrize("silent", slow_but([False], [False, True]), ids=["refuses", "is silent"])
async def test_unavailable_database_does_not_delay_the_stop(
    server: Server, graph: Graph, tenant: str, tmp_path: Path, silent: bool
) -> None:
    """Messages acknowledged meanwhile are in the spool."""
    async with (
        tcp_proxy(urlsplit(server.uri).port or 0) as cable,
        running_client(server, tmp_path, tenant, f"bolt://127.0.0.1:{cable.port}") as talk,
    ):
        await talk.say("I love trams.")
        if silent:
            cable.freeze()
            asking = asyncio.create_task(talk.say("我住在里斯本。"))
            # The second request is answered only after the first was stored.
            assert (await talk.client.get("/health")).status_code == 200
        else:
            await cable.cut()
            assert (await talk.say("我住在里斯本。"))["spooled"]
        code, took_s = await talk.stop()
        if silent:
            await asyncio.gather(asking, return_exceptions=True)
    assert (code, took_s < STOP_MAX_S) == (0, True)
    path = next((tmp_path / "data").glob("spool-*.sqlite3"), tmp_path / "spool.sqlite3")
    spool = Spool(path, bytes_max=2**20)
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    await spool.close()
    assert set(talk.acknowledged) <= (await _stored(graph, tenant))[0]


@pytest.mark.slow
async def test_silent_clients_do_not_delay_the_stop(server: Server, graph: Graph, tenant: str, tmp_path: Path) -> None:
    """Incomplete headers and bodies, sockets without hello; others are answered meanwhile."""
    async with running_client(server, tmp_path, tenant, server.uri) as talk:
        crowd = Crowd(talk.client.base_url.port or 0, 300)
        for number in range(40):
            crowd.tick(number)
            await asyncio.sleep(TICK_S)
        await talk.say("I love trams.")
        stopping = asyncio.create_task(talk.stop())
        while not stopping.done():
            crowd.tick(0)
            await asyncio.sleep(TICK_S)
        code, took_s = await stopping
        crowd.close()
    assert (code, took_s < STOP_MAX_S) == (0, True)
    assert (await _stored(graph, tenant))[0] == set(talk.acknowledged)


async def test_request_during_shutdown_is_refused_with_503() -> None:
    app, stopping, entered = FastAPI(), Stopping(), asyncio.Event()
    app.add_middleware(StopGuard, stopping=stopping)

    @app.get("/wait")
    async def wait() -> str:
        entered.set()
        await stopping.asked.wait()
        return "finished"

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        under_way = asyncio.create_task(client.get("/wait"))
        await entered.wait()
        stopping.ask()
        late = await client.get("/wait")
        assert (late.status_code, late.json()["error"]["code"]) == (503, "UNAVAILABLE")
        assert (await under_way).json() == "finished"


async def test_draining_service_answers_and_tells_clients_and_balancers_to_leave() -> None:
    app, stopping = FastAPI(), Stopping()
    app.add_middleware(StopGuard, stopping=stopping)

    @app.get("/ready")
    @app.get("/asked")
    async def asked() -> str:
        return "answered"

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        told = []
        for step in (lambda: None, stopping.drain, stopping.ask):
            step()
            answers = [await client.get(path) for path in ("/ready", "/asked")]
            told.append([(answer.status_code, answer.headers.get("connection")) for answer in answers])
    assert told == [
        [(200, None), (200, None)],
        [(503, "close"), (200, "close")],
        [(503, "close"), (503, "close")],
    ]


async def test_request_cancelled_by_the_shutdown_is_answered() -> None:
    """Regression: it got a 500 and left a traceback."""
    app, stopping, entered = FastAPI(), Stopping(), asyncio.Event()
    app.add_middleware(StopGuard, stopping=stopping)

    @app.get("/wait")
    async def wait() -> None:
        entered.set()
        await asyncio.Event().wait()

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        under_way = asyncio.create_task(client.get("/wait"))
        await entered.wait()
        stopping.ask()
        under_way.cancel()
        answer = await under_way
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "UNAVAILABLE")
