"""Test that a secret planted everywhere and forgotten is found nowhere, even after all jobs have run again."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import pytest_asyncio

from extraction.embeddings.cache import CachedEmbedder
from graph_service.graph.store import Graph
from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.ingest.episode_writer import store_episodes
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.ingest.validation import RememberRequest
from graph_service.memory.recall.query import Question
from graph_service.memory.sessions.redis_window import RedisRules, RedisTurns, RedisWindow
from graph_service.memory.sessions.short_term_window import SessionKey, ShortTermWindow
from schema.entity import an_entity
from schema.ids import SessionId, TenantId, UserId
from tests.integration.memory.forgetting.test_forgetting import DAY, Line, store_lines
from tests.support.builders import a_dead_graph, a_job_context, a_memory, a_message, a_worker, an_incoming
from tests.support.embedders import HashedWords
from tests.support.redis_process import RedisProcess, redis_process
from tests.support.slow import slow_but

MB = 2**20
# Names that no dictionary contains, in a story that refers to them before and after.
SECRETS = {"en": ("Qwixfal", "Zorbulon"), "zh": ("齐维方", "佐布伦")}
STORIES: dict[str, list[Line]] = {
    "en": [
        ("s1", 0, "I live in Paris."),
        ("s1", 1, "My brother Qwixfal works at Zorbulon."),
        ("s1", 2, "He loves jasmine tea."),
        ("s2", DAY, "I love jasmine tea."),
    ],
    "zh": [
        ("s1", 0, "我住在北京。"),
        ("s1", 1, "我哥哥齐维方在佐布伦工作。"),
        ("s1", 2, "他很喜欢喝茶。"),
        ("s2", DAY, "我很喜欢喝茶。"),
    ],
}
EVERYTHING = (
    "MATCH (n {tenant: $tenant}) RETURN labels(n) AS what, properties(n) AS held "
    "UNION ALL MATCH (a {tenant: $tenant})-[r]->() RETURN [type(r)] AS what, properties(r) AS held"
)
WORDS = "SHOW FULLTEXT INDEXES YIELD name, entityType RETURN name, entityType"


@pytest_asyncio.fixture(loop_scope="session")
async def redis() -> AsyncIterator[RedisProcess]:
    """Start a redis-server for this test."""
    async with redis_process() as process:
        yield process


def spellings(secret: str) -> list[str]:
    return [secret.casefold(), quote(secret).casefold(), secret.encode("unicode_escape").decode()]


async def found_in_graph(graph: Graph, tenant: str, secret: str) -> list[str]:
    """Return where the database contains a secret: properties of nodes and edges, and full-text indexes."""
    async with graph._driver.session() as session:
        rows = await (await session.run(EVERYTHING, tenant=tenant)).data()
        hits = [str(row) for row in rows if any(one in str(row).casefold() for one in spellings(secret))]
        for index in await (await session.run(WORDS)).data():
            call = "queryNodes" if index["entityType"] == "NODE" else "queryRelationships"
            kind = "node" if index["entityType"] == "NODE" else "relationship"
            query = f"CALL db.index.fulltext.{call}($name, $secret) YIELD {kind} AS x WHERE x.tenant = $tenant RETURN x"
            name = {"name": index["name"], "secret": f'"{secret}"', "tenant": tenant}
            hits += [str(row) for row in await (await session.run(query, name)).data()]
    return hits


async def found_by_asking(graph: Graph, tenant: str, secret: str) -> list[str]:
    """Return where the interfaces show a secret: recall, the map, the change log."""
    memory, here = a_memory(graph), TenantId(tenant)
    answer = await memory.recall(here, Question(user_id="alice", text=secret, limit=100, evidence=20))
    snapshot = await memory.mindmap.snapshot(here, user_id=None, budget=5000)
    changes = await memory.changes.since(here, 0, rows_max=10_000)
    # The response repeats the question, which contains the secret.
    told = [str(item) for item in (*answer.hits, *snapshot.nodes, *snapshot.edges, *changes)]
    return [text for text in told if any(one in text.casefold() for one in spellings(secret))]


def found_on_disk(folder: Path, secret: str) -> list[str]:
    words = [one.encode() for text in (secret, secret.casefold()) for one in (text, quote(text))]
    words += [one.encode("unicode_escape") for one in (secret,)]
    return [path.name for path in folder.iterdir() if any(word in path.read_bytes() for word in words)]


async def planted(
    graph: Graph, tenant: str, language: str, window: ShortTermWindow, spool: Spool
) -> tuple[str, CachedEmbedder]:
    """Return the id of the message with the secret, which is in the graph, the window, and twice in the spool."""
    embedder = CachedEmbedder(HashedWords())
    story, here = STORIES[language], TenantId(tenant)
    memory = a_memory(graph, window=window, embedder=embedder)
    name = ""
    for session, minute, text in story:
        call = RememberRequest(
            user_id="alice", session_id=session, messages=(a_message(text, minute=minute, id=f"{minute}"),)
        )
        receipt = await memory.remember(here, call)
        name = receipt.message_ids[0] if text == story[1][2] else name
        await a_worker(graph, embedder=embedder).drain()
    offline = a_memory(a_dead_graph(), spool=spool)
    for _, minute, text in story[1:2]:
        call = RememberRequest(
            user_id="alice", session_id="s1", messages=(a_message(text, minute=minute, id=f"{minute}"),)
        )
        # One row is replayed, so that it is done; the other waits.
        assert (await offline.remember(here, call)).spooled
        assert await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
        assert (await offline.remember(here, call)).spooled
    return name, embedder


@pytest.mark.parametrize("language", slow_but(["zh"], ["en", "zh"]))
async def test_a_forgotten_secret_is_nowhere_after_everything_ran_again(
    graph: Graph, tenant: str, tmp_path: Path, redis: RedisProcess, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("mnemoscene", "graph_service", "extraction"):
        caplog.set_level(logging.DEBUG, logger=name)
    here, secrets = TenantId(tenant), SECRETS[language]
    rules = RedisRules(timeout_s=2.0)
    window = RedisWindow(redis=RedisTurns(redis.url, rules), clock_s=time.monotonic, turns_max=20)
    spool = Spool(tmp_path / "spool.sqlite3", bytes_max=MB)
    name, embedder = await planted(graph, tenant, language, window, spool)
    assert await window.catch_up()
    for secret in secrets:
        assert await found_in_graph(graph, tenant, secret)
        assert await found_by_asking(graph, tenant, secret)
        assert found_on_disk(tmp_path, secret)
    memory = a_memory(graph, window=window, spool=spool, embedder=embedder, on_forgotten=lambda _: embedder.clear())
    done = await memory.forgetting.message(here, name)
    assert (done.messages, done.spooled) == (1, 1)
    assert not embedder._vectors.kept
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    await store_lines(graph, tenant, STORIES[language][:1] + STORIES[language][2:])
    async with redis.client() as client:
        kept = [await client.lrange(key, 0, -1) for key in await client.keys("*turns*")]
    for secret in secrets:
        assert await found_in_graph(graph, tenant, secret) == []
        assert await found_by_asking(graph, tenant, secret) == []
        assert found_on_disk(tmp_path, secret) == []
        assert secret not in b"".join(text for texts in kept for text in texts).decode()
        assert secret not in str(window._turns)
        assert secret not in caplog.text
    heard = await memory.short_term(here, "alice", "s1", turns=20)
    assert len(heard.turns) == 2
    await spool.close()
    await window.close()


async def test_queued_copies_stay_forgotten_but_new_messages_are_stored(
    graph: Graph, tenant: str, tmp_path: Path
) -> None:
    elsewhere, here = Spool(tmp_path / "spool.sqlite3", bytes_max=MB), TenantId(tenant)
    name, _ = await planted(graph, tenant, "en", ShortTermWindow(turns_max=20), elsewhere)
    await a_memory(graph).forgetting.message(here, name)
    assert await Replay(graph=graph, spool=elsewhere, job_context=a_job_context()).flush()
    await a_worker(graph).drain()
    assert await found_in_graph(graph, tenant, "Qwixfal") == []
    assert not await elsewhere.has_waiting(here, "alice")
    await store_lines(graph, tenant, STORIES["en"][1:2])
    assert await found_in_graph(graph, tenant, "Qwixfal")
    await elsewhere.close()


async def forget(forgetting: Forgetting, tenant: TenantId, kind: str, message_id: str) -> ForgetResult:
    """Forget a message, or the session or user of `an_incoming`."""
    match kind:
        case "message":
            return await forgetting.message(tenant, message_id)
        case "session":
            return await forgetting.session(tenant, "alice", "s1")
        case _:
            return await forgetting.user(tenant, "alice")


@pytest.mark.parametrize("kind", ["message", "session", "user"])
async def test_what_the_replay_stores_while_it_is_forgotten_is_gone(
    graph: Graph, tenant: str, tmp_path: Path, kind: str
) -> None:
    here, spool, dead = TenantId(tenant), Spool(tmp_path / "spool.sqlite3", bytes_max=MB), a_dead_graph()
    said = an_incoming(messages=(a_message("I bought a Qwixfal.", id="m1"),))
    receipt = await a_memory(dead, spool=spool).remember(here, said)
    async with spool.replay_lock:  # As in a replay, which has loaded the message and not stored it yet.
        forgetting = asyncio.create_task(
            forget(a_memory(graph, spool=spool).forgetting, here, kind, receipt.message_ids[0])
        )
        while not spool.replay_lock._waiters and not forgetting.done():  # noqa: ASYNC110  the lock has no event
            await asyncio.sleep(0.01)
        (entry,) = await spool.waiting(episodes_max=1, bytes_max=MB)
        await store_episodes(graph, [entry.episode], epoch="e")
        await spool.remove([entry.number])
    assert (await forgetting).messages == 1
    await a_worker(graph).drain()
    assert await found_in_graph(graph, tenant, "Qwixfal") == []
    await spool.close()
    await dead.close()


@pytest.mark.parametrize("kind", ["message", "session", "user"])
async def test_what_was_forgotten_in_the_spool_alone_is_not_stored_from_a_copy(
    graph: Graph, tenant: str, tmp_path: Path, kind: str
) -> None:
    """Nothing of the tenant was stored when it was forgotten; a spool of another machine has the same messages."""
    here, window = TenantId(tenant), ShortTermWindow(turns_max=20)
    spools = [Spool(tmp_path / f"spool{number}.sqlite3", bytes_max=MB) for number in range(2)]
    dead, said = a_dead_graph(), an_incoming(messages=(a_message("I bought a Qwixfal.", id="m1"),))
    for spool in spools:
        receipt = await a_memory(dead, spool=spool, window=window).remember(here, said)
    forgetting = a_memory(graph, spool=spools[0], window=window).forgetting
    done = await forget(forgetting, here, kind, receipt.message_ids[0])
    assert done.spooled == 1
    assert (
        await window.turns(SessionKey(tenant=here, user_id=UserId("alice"), session_id=SessionId("s1")))
    ).turns == ()
    assert await Replay(graph=graph, spool=spools[1], job_context=a_job_context()).flush()
    assert await found_in_graph(graph, tenant, "Qwixfal") == []
    for spool in spools:
        await spool.close()
    await dead.close()


@pytest.mark.parametrize("kind", ["entity", "session", "user"])
async def test_forgotten_text_leaves_the_graph_and_the_change_log(graph: Graph, tenant: str, kind: str) -> None:
    here, forgetting = TenantId(tenant), a_memory(graph).forgetting
    await store_lines(graph, tenant, STORIES["en"])
    if kind == "entity":
        await forgetting.entity(here, an_entity(here, UserId("alice"), "Zorbulon").id)
    elif kind == "session":
        await forgetting.session(here, "alice", "s1")
    else:
        await forgetting.user(here, "alice")
    await a_worker(graph).drain()
    changes = str(await a_memory(graph).changes.since(here, 0, rows_max=10_000))
    hits = [hit for hit in await found_in_graph(graph, tenant, "Zorbulon") if "'Message'" not in hit]
    if kind == "entity":  # The messages stay, and so do the texts of their scene.
        hits = [hit for hit in hits if "'Scene'" not in hit]
        hits = [hit for hit in hits if "text" not in hit]
        assert '"label": "Zorbulon"' not in changes
        assert "'label': 'Zorbulon'" not in changes
    else:
        assert "Zorbulon" not in changes
    assert [hit for hit in hits if "'Change'" not in hit and "overview" not in hit] == []
