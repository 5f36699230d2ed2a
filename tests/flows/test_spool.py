"""Neo4j away: what is remembered waits on disk and gets there in order. Requirements C1, C12, F3."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.memory.question import Question
from graph_service.memory.replay import Replay
from graph_service.memory.spool import Spool
from graph_service.memory.spooled import Depth
from schema.errors import ConflictError, NotFoundError, UnavailableError
from schema.ids import TenantId
from schema.message import BroughtFact
from tests.builders import a_dead_graph, a_memory, a_message, a_pace, a_worker, an_incoming
from tests.conftest import Server
from tests.flows.crash_story import STORY
from tests.flows.test_crash import change_numbers, picture
from tests.live.cable import whole_cable

_ROOT = Path(__file__).parents[2]
MB = 2**20


@pytest_asyncio.fixture(loop_scope="session")
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    """An empty spool."""
    opened = Spool(tmp_path / "spool.sqlite3", bytes_max=MB)
    yield opened
    await opened.close()


def _replay(graph: Graph, spool: Spool) -> Replay:
    return Replay(graph=graph, spool=spool, pace=a_pace())


async def _whole(graph: Graph, tenant: str) -> list[str]:
    for call in STORY:
        await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()
    return await picture(graph, tenant)


async def test_an_outage_is_survived_with_the_same_graph(
    server: Server, graph: Graph, tenant: str, spool: Spool
) -> None:
    async with whole_cable(urlsplit(server.uri).port or 0) as cable:
        uri = f"bolt://127.0.0.1:{cable.port}"
        far = await connect(uri=uri, user=server.user, password=server.password, database=None)
        memory = a_memory(far, spool=spool)
        first = await memory.remember(TenantId(tenant), STORY[0])
        await cable.cut()
        away = [await memory.remember(TenantId(tenant), call) for call in STORY[1:]]
        assert [first.spooled, *(receipt.spooled for receipt in away)] == [False, True, True]
        assert not await _replay(far, spool).flush()
        await cable.mend(urlsplit(server.uri).port or 0)
        assert await _replay(far, spool).flush()
        await far.close()
    assert await spool.depth() == Depth(waiting=0, refused=0)
    await a_worker(graph).drain()
    assert await picture(graph, tenant) == await _whole(graph, f"{tenant}-whole")
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_dead_database_costs_a_request_milliseconds(tenant: str, spool: Spool) -> None:
    dead = a_dead_graph()
    memory = a_memory(dead, spool=spool)
    await memory.remember(TenantId(tenant), an_incoming("I love tea."))
    started_s = time.monotonic()
    for minute in range(10):
        await memory.remember(TenantId(tenant), an_incoming(f"Minute {minute} passed."))
        assert (await memory.recall(TenantId(tenant), Question(user_id="alice", text="tea"))).degraded
    assert time.monotonic() - started_s < 2
    assert (await spool.depth(TenantId(tenant))).waiting == 11
    await dead.close()


async def test_a_kill_right_after_the_receipt_loses_nothing(graph: Graph, tenant: str, tmp_path: Path) -> None:
    path = tmp_path / "spool.sqlite3"
    command = [sys.executable, "-m", "tests.flows.spool_child", str(path), tenant]
    child = await asyncio.create_subprocess_exec(*command, cwd=_ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await child.communicate()
    assert (child.returncode, said.split()) == (-9, [b"True"] * len(STORY))
    spool = Spool(path, bytes_max=MB)
    assert path.stat().st_mode & 0o077 == 0
    await _replay(graph, spool).flush()
    await spool.close()
    await a_worker(graph).drain()
    assert await picture(graph, tenant) == await _whole(graph, f"{tenant}-whole")


async def test_later_messages_wait_behind_those_on_disk(graph: Graph, tenant: str, spool: Spool) -> None:
    """Another tenant does not wait: order is promised within a tenant."""
    dead = a_dead_graph()
    await a_memory(dead, spool=spool).remember(TenantId(tenant), an_incoming("先说的话。", session="一"))
    await dead.close()
    memory = a_memory(graph, spool=spool)
    assert (await memory.remember(TenantId(tenant), an_incoming("后说的话。", session="二"))).spooled
    assert not (await memory.remember(TenantId(f"{tenant}-other"), an_incoming("Hello."))).spooled
    listed = (await memory.spooling.status(TenantId(tenant))).episodes
    assert [one.episode.messages[0].text for one in listed] == ["先说的话。", "后说的话。"]
    assert (await memory.spooling.status(TenantId(f"{tenant}-other"))).episodes == ()
    await _replay(graph, spool).flush()
    assert not (await memory.remember(TenantId(tenant), an_incoming("Later.", session="3"))).spooled


async def test_what_neo4j_refuses_is_put_aside_and_blocks_nothing(graph: Graph, tenant: str, spool: Spool) -> None:
    whose, other = TenantId(tenant), TenantId(f"{tenant}-other")
    await a_memory(graph).remember(whose, an_incoming(messages=(a_message("I love tea.", id="m1"),)))
    clash, dead = an_incoming(messages=(a_message("I hate tea.", id="m1"),)), a_dead_graph()
    away = a_memory(dead, spool=spool)
    await away.remember(whose, clash)
    await away.remember(whose, an_incoming("I love Oslo."))
    assert await _replay(graph, spool).flush()
    assert await spool.depth(whose) == Depth(waiting=0, refused=1)
    refused = (await spool.listed(whose))[0]
    assert "other words" in (refused.error or "")
    with pytest.raises(ConflictError):
        await away.remember(whose, clash)
    with pytest.raises(NotFoundError):
        await away.spooling.drop(other, refused.number)
    await away.spooling.retry(whose, refused.number)
    await _replay(graph, spool).flush()
    assert await spool.depth(whose) == Depth(waiting=0, refused=1)
    await away.spooling.drop(whose, refused.number)
    assert await spool.depth(whose) == Depth(waiting=0, refused=0)
    await dead.close()


async def test_a_paused_spool_keeps_what_it_has_over_a_restart(graph: Graph, tenant: str, tmp_path: Path) -> None:
    path, dead = tmp_path / "spool.sqlite3", a_dead_graph()
    first = Spool(path, bytes_max=MB)
    memory = a_memory(dead, spool=first)
    await memory.remember(TenantId(tenant), an_incoming("I love tea."))
    await memory.spooling.pause(True)
    await first.close()
    again = Spool(path, bytes_max=MB)
    await _replay(graph, again).flush()
    assert (await again.depth()).waiting == 1
    await again.pause(False)
    await _replay(graph, again).flush()
    assert (await again.depth()).waiting == 0
    await again.close()
    await dead.close()


async def test_a_full_spool_says_so_and_stores_nothing(tenant: str, tmp_path: Path) -> None:
    dead, spool = a_dead_graph(), Spool(tmp_path / "spool.sqlite3", bytes_max=100_000)
    memory = a_memory(dead, spool=spool)
    with pytest.raises(UnavailableError, match=r"spool\.mb_max"):
        await memory.remember(TenantId(tenant), an_incoming("x" * 90_000))
    assert (await spool.depth()).waiting == 0
    await spool.close()
    await dead.close()


async def test_the_same_call_is_kept_once(tenant: str, spool: Spool) -> None:
    dead = a_dead_graph()
    memory = a_memory(dead, spool=spool)
    receipts = [await memory.remember(TenantId(tenant), STORY[0]) for _ in range(2)]
    assert [(receipt.stored, receipt.repeated) for receipt in receipts] == [(3, 0), (0, 3)]
    assert (await spool.depth()).waiting == 1
    await dead.close()


async def test_forgetting_reaches_what_waits_on_disk(tenant: str, spool: Spool) -> None:
    """Of one tenant only; facts that rested on a forgotten message go with it."""
    fact = BroughtFact(subject="user", predicate="PREFERS", object="tea", statement="Alice likes tea.")
    dead, whose, other = a_dead_graph(), TenantId(tenant), TenantId(f"{tenant}-other")
    memory = a_memory(dead, spool=spool)
    told = await memory.remember(whose, an_incoming("I love tea.", "I live in Oslo.", facts=(fact,), summary="Tea."))
    await memory.remember(whose, an_incoming("A secret.", user="bob"))
    await memory.remember(other, an_incoming("I love tea.", "I live in Oslo."))
    assert await spool.forget(whose, message_ids=[told.message_ids[0]]) == 1
    left = (await spool.listed(whose))[0].episode
    assert ([m.text for m in left.messages], left.facts, left.summary) == (["I live in Oslo."], (), None)
    assert await spool.forget(whose, user_id="bob") == 1
    assert await spool.forget(whose, user_id="alice", session_id="s1") == 1
    assert await spool.depth(whose) == Depth(waiting=0, refused=0)
    assert (await spool.depth(other)).waiting == 1
    await dead.close()
