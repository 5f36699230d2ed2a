"""Test that a text whose extraction never ends blocks neither other work nor the shutdown."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from extraction.bounded_threads import BoundedThreads
from extraction.reader import Reading, SceneText
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.jobs.outbox import DeadLetters
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.worker import WorkerRules
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.consolidation.spinning_serve import SPIN, STARTED
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.cli_process import Home
from tests.support.readers import read_with_tags

STOP_MAX_S = 30.0
MANY_S = 300.0
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { messageIds } }"
THREADS = BoundedThreads(threads_max=2, cpu_max_s=3.0)


def spin(scene: SceneText) -> Reading:
    while any(SPIN in line.text for line in scene.lines):
        sum(range(1_000))
    raise AssertionError("only called for texts that spin")


async def read_or_spin(scene: SceneText) -> Reading:
    """Read as usual, but loop forever on marked texts, as a flawed rule would."""
    if any(SPIN in line.text for line in scene.lines):
        return await THREADS.run(lambda: spin(scene))
    return await read_with_tags(scene)


READERS = Readers(first=read_or_spin, fallback=read_or_spin)


async def facts_of(graph: Graph, tenant: str) -> int:
    async with graph._driver.session() as session:
        rows = await session.run("MATCH (:User {tenant: $tenant})-[r]->(:Entity) RETURN count(r) AS n", tenant=tenant)
        row = await rows.single()
    assert row is not None
    return int(row["n"])


async def test_scene_that_cannot_be_read_becomes_a_dead_letter_and_stays_searchable(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(f"I love jasmine tea and {SPIN}."))
    async with asyncio.timeout(MANY_S):
        await a_worker(graph, readers=READERS).drain()
    letters = await DeadLetters(graph).listed(TenantId(tenant))
    assert len(letters) == 1
    assert (letters[0].user_id, letters[0].session_id) == ("alice", "s1")
    assert "TooSlowError" in letters[0].error
    assert SPIN not in letters[0].error
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea"))
    assert any(SPIN in hit.candidate.text for hit in answer.hits)
    assert not any(hit.candidate.pending for hit in answer.hits)


@pytest.mark.slow
async def test_dead_letter_remains_after_later_reading_until_cancelled(graph: Graph, tenant: str) -> None:
    memory, letters = a_memory(graph), DeadLetters(graph)
    await memory.remember(TenantId(tenant), an_incoming(f"I am {SPIN}."))
    async with asyncio.timeout(MANY_S):
        await a_worker(graph, readers=READERS).drain()
        # The next day is another scene of the same session; it is read despite the dead letter.
        later = an_incoming("I love jasmine tea.")
        await memory.remember(TenantId(tenant), later)
        await a_worker(graph).drain()
    assert await facts_of(graph, tenant) > 0
    (letter,) = await letters.listed(TenantId(tenant))
    await letters.cancel(TenantId(tenant), [letter.id])
    assert await letters.listed(TenantId(tenant)) == []


@pytest.mark.slow
async def test_other_tenants_are_read_while_texts_of_one_tenant_never_end(graph: Graph, tenant: str) -> None:
    memory, other = a_memory(graph), f"{tenant}-other"
    await a_worker(graph).drain()
    slow = BoundedThreads(cpu_max_s=MANY_S)

    async def read(scene: SceneText) -> Reading:
        return await (slow.run(lambda: spin(scene)) if SPIN in scene.lines[0].text else read_with_tags(scene))

    worker = a_worker(graph, readers=Readers(first=read, fallback=read), rules=WorkerRules(poll_s=0.05))
    for number in range(5):
        await memory.remember(TenantId(tenant), an_incoming(f"I am {SPIN}.", session=f"s{number}"))
    running = asyncio.create_task(worker.run(asyncio.Event()))
    try:
        await memory.remember(TenantId(other), an_incoming("I love jasmine tea."))
        async with asyncio.timeout(MANY_S):
            while not await facts_of(graph, other):  # noqa: ASYNC110  another task does it
                await asyncio.sleep(0.05)
            assert await facts_of(graph, tenant) == 0
    finally:
        # The shutdown does not wait for it either: the job is released at once.
        running.cancel()
        async with asyncio.timeout(MANY_S):
            await asyncio.gather(running, return_exceptions=True)
    async with asyncio.timeout(MANY_S):
        await a_worker(graph, readers=READERS).drain()


@pytest.mark.slow
async def test_service_reading_such_a_text_stops_within_30_seconds(server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    child = Path(__file__).with_name("spinning_serve.py")
    arguments = (sys.executable, str(child), "serve", "--port", "0", "--no-browser", "--json")
    with (tmp_path / "stderr.txt").open("w") as err:
        process = subprocess.Popen(  # noqa: ASYNC220  it starts once, and nothing else runs here
            arguments, cwd=tmp_path, env=home.environ, stdout=subprocess.PIPE, stderr=err, text=True
        )
        try:
            where = await asyncio.to_thread(_document, process)
            address = str(where["graphql"])
            async with httpx.AsyncClient(headers={"Mnemoscene-Tenant": tenant}, timeout=60) as client:
                said = {
                    "userId": "ana",
                    "sessionId": "s",
                    "messages": [{"role": "USER", "text": f"I am to {SPIN}."}],
                }
                answer = await client.post(address, json={"query": REMEMBER, "variables": {"input": said}})
                assert answer.status_code == 200, answer.text
                async with asyncio.timeout(MANY_S):
                    while STARTED not in (tmp_path / "stderr.txt").read_text(encoding="utf-8"):  # noqa: ASYNC110  another thread or process does it
                        await asyncio.sleep(0.05)
                health = await client.get(address.replace("/graphql", "/health"))
                assert health.status_code == 200
            started_s = time.monotonic()
            process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(process.wait, 60)
            assert time.monotonic() - started_s < STOP_MAX_S
        finally:
            if process.poll() is None:
                process.kill()


def _document(process: "subprocess.Popen[str]") -> dict[str, object]:
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line.rstrip() == "}":
            return dict(json.loads(text))
    raise AssertionError("the service ended without an answer")
