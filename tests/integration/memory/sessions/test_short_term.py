"""Test the last turns of a session through Memory and GraphQL, with a real Neo4j and a real Redis."""

import asyncio
import signal
import time
from datetime import UTC, datetime, timedelta

import httpx
from fastapi import FastAPI

from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.service import Memory
from graph_service.memory.sessions.redis_window import RedisRules, RedisTurns, RedisWindow
from graph_service.memory.sessions.short_term_window import ShortTermWindow, Source
from schema.ids import TenantId, UserId
from tests.conftest import Server
from tests.support.builders import NOON, a_memory, a_worker, an_incoming, no_spool
from tests.support.embedders import HashedWords
from tests.support.redis_process import redis_process
from tests.support.turns import a_session_key

TEXTS = ("I met Anna.", "我妹妹叫李娜。", "She lives in Oslo.", "我们周末去了杭州。", "It was fun.")


def a_redis_window(url: str, turns_max: int = 20) -> RedisWindow:
    """Return a window with a real clock."""
    return RedisWindow(
        redis=RedisTurns(url, RedisRules(turns_max=turns_max)),
        turns_max=turns_max,
        clock_s=time.monotonic,
    )


def a_windowed(graph: Graph, window: ShortTermWindow) -> Memory:
    """Return the Memory with a given window."""
    return Memory(
        graph=graph,
        embedder=HashedWords(),
        worker=a_worker(graph),
        clock=lambda: datetime.now(UTC),
        notify=lambda _tenant: None,
        window=window,
        spool=no_spool(),
    )


async def _texts(memory: Memory, tenant: str, *, turns: int = 20, session: str = "s1") -> list[str]:
    heard = await memory.short_term(TenantId(tenant), "alice", session, turns=turns)
    return [turn.text for turn in heard.turns]


async def test_recent_turns_need_no_database_query(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(*TEXTS))
    sent: list[str] = []
    graph.observer = lambda statement: sent.append(statement.name)
    try:
        heard = await memory.short_term(TenantId(tenant), "alice", "s1", turns=3)
    finally:
        graph.observer = None
    assert [turn.text for turn in heard.turns] == list(TEXTS[2:])
    assert (sent, heard.sources) == ([], (Source.PROCESS,))


async def test_new_process_fills_the_window_with_one_query(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*TEXTS[:3]))
    await a_worker(graph).drain()
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*TEXTS))
    memory = a_memory(graph)
    sent: list[str] = []
    graph.observer = lambda statement: sent.append(statement.name)
    try:
        first = await memory.short_term(TenantId(tenant), "alice", "s1", turns=4)
        again = await memory.short_term(TenantId(tenant), "alice", "s1", turns=4)
    finally:
        graph.observer = None
    assert [turn.text for turn in first.turns] == list(TEXTS[1:])
    assert sent == ["sessions/recent_turns"]
    assert (first.sources, again.sources) == ((Source.DATABASE,), (Source.PROCESS,))
    assert first.turns == again.turns


async def test_window_without_early_turns_is_completed_from_the_database(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*TEXTS[:3]))
    await a_worker(graph).drain()
    memory = a_memory(graph)
    late = IncomingMessage(role="assistant", text="Nice.", time=NOON + timedelta(hours=1))
    await memory.remember(TenantId(tenant), RememberRequest(user_id="alice", session_id="s1", messages=(late,)))
    assert await _texts(memory, tenant) == [*TEXTS[:3], "Nice."]


async def test_turns_that_another_service_received_are_among_the_last(graph: Graph, tenant: str) -> None:
    """Without Redis, and with a window that has enough turns of its own."""
    windows = [ShortTermWindow(turns_max=20, complete=False) for _ in range(2)]
    here, there = (a_windowed(graph, window) for window in windows)
    await here.remember(TenantId(tenant), an_incoming(*TEXTS[:3]))
    late = IncomingMessage(role="user", text="I met Ben.", time=NOON + timedelta(hours=1))
    await there.remember(TenantId(tenant), RememberRequest(user_id="alice", session_id="s1", messages=(late,)))
    assert await _texts(here, tenant, turns=2) == [TEXTS[2], "I met Ben."]
    assert await _texts(there, tenant, turns=1) == ["I met Ben."]


async def test_repeated_call_adds_no_turn(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for _ in range(2):
        await memory.remember(TenantId(tenant), an_incoming(*TEXTS[:2]))
    assert await _texts(memory, tenant) == list(TEXTS[:2])


async def test_tenants_and_users_do_not_share_a_window(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(TEXTS[0]))
    await memory.remember(TenantId(tenant), an_incoming(TEXTS[1], user="bob"))
    assert await _texts(memory, tenant) == [TEXTS[0]]
    assert await _texts(memory, f"{tenant}-other") == []
    assert await _texts(a_memory(graph), f"{tenant}-other") == []


async def test_halted_redis_neither_delays_nor_fails_remember(graph: Graph, tenant: str) -> None:
    async with redis_process() as redis:
        window = a_redis_window(redis.url)
        memory = a_windowed(graph, window)
        await memory.remember(TenantId(tenant), an_incoming(TEXTS[0], session="warm"))
        redis.signal(signal.SIGSTOP)
        bare, halted = a_windowed(graph, ShortTermWindow(turns_max=20)), []
        for number in range(5):
            times = []
            for one in (bare, memory):
                before = time.perf_counter()
                await one.remember(TenantId(tenant), an_incoming(f"Said {number}.", session=f"s{id(one)}-{number}"))
                times.append(time.perf_counter() - before)
            halted.append(times[1] - times[0])
        assert min(halted) < 0.1, halted
        await memory.remember(TenantId(tenant), an_incoming(*TEXTS))
        assert await _texts(memory, tenant) == list(TEXTS)
        redis.signal(signal.SIGKILL)
        await memory.remember(TenantId(tenant), an_incoming("After.", session="s2"))
        assert await _texts(memory, tenant, session="s2") == ["After."]
        await window.close()


async def test_emptied_redis_is_filled_from_the_database(graph: Graph, tenant: str) -> None:
    async with redis_process() as redis:
        window = a_redis_window(redis.url, turns_max=3)
        memory = a_windowed(graph, window)
        await memory.remember(TenantId(tenant), an_incoming(*TEXTS))
        assert await window.catch_up()
        redis.signal(signal.SIGKILL)
        await redis.start()
        assert await _texts(memory, tenant, turns=3) == list(TEXTS[2:])
        assert await window.catch_up()
        heard = await memory.short_term(TenantId(tenant), "alice", "s1", turns=3)
        assert heard.sources == (Source.REDIS,)
        await window.close()


async def test_window_answers_while_the_database_is_unavailable(server: Server, tenant: str) -> None:
    graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(*TEXTS[:2]))
    await graph.close()
    assert await _texts(memory, tenant) == list(TEXTS[:2])


async def test_message_forgotten_while_the_window_is_filled_is_not_returned(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*TEXTS))
    window = ShortTermWindow(turns_max=20)
    memory = a_windowed(graph, window)
    filling = asyncio.create_task(_texts(memory, tenant))
    await asyncio.sleep(0)
    await window.forget(TenantId(tenant), UserId("alice"))
    await filling
    assert (await window.turns(a_session_key(tenant=tenant))).turns == ()


async def test_graphql_returns_turns_and_their_sources(graph: Graph, tenant: str) -> None:
    app = FastAPI()
    install_error_handlers(app)
    memory = a_memory(graph)
    app.include_router(graphql_router(memory), prefix="/graphql")
    await memory.remember(TenantId(tenant), an_incoming(*TEXTS, user_name="张曼婷"))
    query = (
        'query($turns: Int!) { shortTerm(userId: "alice", sessionId: "s1", turns: $turns) '
        "{ sources turns { messageId role speaker text saidAt truncated } } }"
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:

        async def ask(turns: int, name: str) -> dict:  # type: ignore[type-arg]
            body = {"query": query, "variables": {"turns": turns}}
            answer = await client.post("/graphql", json=body, headers={"Mnemoscene-Tenant": name})
            return dict(answer.json())

        found = (await ask(2, tenant))["data"]["shortTerm"]
        assert [turn["text"] for turn in found["turns"]] == list(TEXTS[3:])
        assert (found["sources"], found["turns"][0]["role"]) == (["PROCESS"], "USER")
        assert (await ask(2, f"{tenant}-other"))["data"]["shortTerm"] == {"sources": [], "turns": []}
        assert (await ask(201, tenant))["errors"][0]["extensions"]["code"] == "BAD_INPUT"
