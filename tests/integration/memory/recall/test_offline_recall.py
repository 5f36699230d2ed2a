"""Test recall while Neo4j is unavailable: answers from the spool and the last snapshot, marked, of one tenant and user.

With a real Neo4j that becomes unavailable and returns.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.memory.ingest.spool import Spool, episodes_in
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.mindmap import snapshot_cache
from graph_service.memory.mindmap.snapshot_cache import RecallSnapshotCache
from graph_service.memory.recall.offline_recall import CHARS_MAX, SNAPSHOT, SPOOL
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.errors import UnavailableError
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, Server
from tests.support.builders import a_dead_graph, a_job_context, a_memory, a_worker, an_incoming
from tests.support.neo4j_server import start_test_server
from tests.support.tcp_proxy import tcp_proxy

TALKS = {
    "en": ("I live in Lisbon.", "My sister Anna plays the violin.", "Where do I live, Lisbon? Who plays the violin?"),
    "zh": ("我住在里斯本。", "我妹妹安娜会拉小提琴。", "我住在里斯本吗？谁会拉小提琴？"),
}


@pytest_asyncio.fixture(loop_scope="session")
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    """Return an empty spool."""
    opened = Spool(tmp_path / "spool.sqlite3", bytes_max=2**20)
    yield opened
    await opened.close()


async def store_and_read(graph: Graph, tenant: str, text: str, *, user: str = "alice") -> None:
    """Store one message and read it."""
    await a_memory(graph).remember(TenantId(tenant), an_incoming(text, user=user))
    await a_worker(graph).drain()


async def cache_snapshot(memory: Memory, tenant: str, question: Question) -> None:
    """Recall while the database is available, and update the cached snapshot."""
    await memory.recall(TenantId(tenant), question)
    await memory.recall_snapshots.refresh()


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_outage_is_answered_from_spool_and_snapshot_until_it_ends(
    server: Server, graph: Graph, tenant: str, spool: Spool, lang: str
) -> None:
    known, said_away, asked = TALKS[lang]
    question = Question(user_id="alice", text=asked)
    await store_and_read(graph, tenant, known)
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        uri = f"bolt://127.0.0.1:{cable.port}"
        far = await connect(uri=uri, user=server.user, password=server.password, database=None)
        memory = a_memory(far, spool=spool)
        await cache_snapshot(memory, tenant, question)
        await cable.cut()
        receipt = await memory.remember(TenantId(tenant), an_incoming(said_away, session="away"))
        answer = await memory.recall(TenantId(tenant), question)
        assert (receipt.spooled, answer.degraded, answer.search_path) == (True, True, (SPOOL, SNAPSHOT))
        texts = [hit.candidate.text for hit in answer.hits]
        assert said_away in texts
        assert any(
            hit.candidate.kind is HitKind.FACT and hit.candidate.object in ("Lisbon", "里斯本") for hit in answer.hits
        )
        assert answer.snapshot_age_s is not None
        assert all("Neo4j is unavailable" in note for note in answer.notes)
        await cable.mend(urlsplit(server.uri).port or 0)
        assert await Replay(graph=far, spool=spool, job_context=a_job_context()).flush()
        back = await memory.recall(TenantId(tenant), question)
        assert (back.degraded, back.snapshot_age_s) == (False, None)
        assert said_away in [hit.candidate.text for hit in back.hits]
        await far.close()


async def test_offline_answers_contain_nothing_of_others(
    server: Server, graph: Graph, tenant: str, spool: Spool
) -> None:
    secret = Question(user_id="alice", text="violin Lisbon")
    await store_and_read(graph, tenant, "I live in Lisbon.")
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        uri = f"bolt://127.0.0.1:{cable.port}"
        far = await connect(uri=uri, user=server.user, password=server.password, database=None)
        memory = a_memory(far, spool=spool)
        await cache_snapshot(memory, tenant, secret)
        await cable.cut()
        await memory.remember(TenantId(tenant), an_incoming("The violin is in the attic.", session="away"))
        await memory.remember(TenantId(tenant), an_incoming("Bob has a drum.", user="bob"))
        assert len((await memory.recall(TenantId(tenant), secret)).hits) >= 2
        with pytest.raises(UnavailableError):
            await memory.recall(TenantId(f"{tenant}-other"), secret)
        bobs = await memory.recall(TenantId(tenant), Question(user_id="bob", text="violin Lisbon drum"))
        assert [hit.candidate.text for hit in bobs.hits] == ["Bob has a drum."]
        await far.close()


async def test_outage_without_spooled_or_cached_data_raises(tenant: str, spool: Spool) -> None:
    memory = a_memory(a_dead_graph(), spool=spool)
    with pytest.raises(UnavailableError):
        await memory.recall(TenantId(tenant), Question(user_id="alice", text="tea"))


async def test_graphql_marks_a_degraded_answer_with_its_path_and_age(tenant: str, spool: Spool) -> None:
    memory = a_memory(a_dead_graph(), spool=spool)
    await memory.remember(TenantId(tenant), an_incoming("我喜欢喝茉莉花茶。"))
    fields = "hits { text pending } searchPath notes degraded snapshotAgeS"
    query = f'{{ recall(userId: "alice", query: "茉莉花茶") {{ {fields} }} }}'
    done = await graphql_schema.execute(query, context_value={"memory": memory, "tenant": TenantId(tenant)})
    assert done.errors is None
    told = done.data["recall"] if done.data else {}
    assert told["hits"] == [{"text": "我喜欢喝茉莉花茶。", "pending": True}]
    assert (told["searchPath"], told["degraded"], told["snapshotAgeS"]) == ([SPOOL], True, None)


@pytest.mark.slow
async def test_stopped_server_is_answered_for_until_it_runs_again(tenant: str, tmp_path: Path) -> None:
    """The whole server stops, not only the connection."""
    local = await start_test_server(tmp_path / "data")
    graph = await connect(uri=local.uri, user=local.user, password=local.password, database=None)
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM)
    question = Question(user_id="alice", text="Lisbon")
    memory = a_memory(graph)
    await store_and_read(graph, tenant, "I live in Lisbon.")
    await cache_snapshot(memory, tenant, question)
    await local.stop()
    answer = await memory.recall(TenantId(tenant), question)
    assert (answer.degraded, answer.search_path) == (True, (SNAPSHOT,))
    assert "Lisbon" in {hit.candidate.object for hit in answer.hits}
    await graph.close()


async def test_cached_snapshot_follows_the_change_log_and_is_dropped_on_deletion(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    kept = RecallSnapshotCache(memory.changes, memory.mindmap)
    await store_and_read(graph, tenant, "I live in Lisbon.")
    kept.want(TenantId(tenant), "alice")
    assert kept.of(TenantId(tenant), "alice") is None
    assert [await kept.refresh(), await kept.refresh()] == [1, 0]
    first = kept.of(TenantId(tenant), "alice")
    await store_and_read(graph, tenant, "I love jasmine tea.")
    assert await kept.refresh() == 1
    second = kept.of(TenantId(tenant), "alice")
    assert first is not None
    assert second is not None
    assert second.seq > first.seq
    kept.forget(tenant)
    assert kept.of(TenantId(tenant), "alice") is None


async def test_only_the_most_recently_used_snapshots_are_cached(
    graph: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_cache, "_KEPT_MAX", 2)
    memory = a_memory(graph)
    kept = RecallSnapshotCache(memory.changes, memory.mindmap)
    await store_and_read(graph, tenant, "I live in Lisbon.")
    for user in ("alice", "bob", "carol"):
        kept.want(TenantId(tenant), user)
        await kept.refresh()
    assert kept.of(TenantId(tenant), "alice") is None
    assert kept.of(TenantId(tenant), "carol") is not None


async def test_newest_part_of_a_large_spool_is_searched(tenant: str, tmp_path: Path) -> None:
    spool = Spool(tmp_path / "large.sqlite3", bytes_max=64 * 2**20)
    memory = a_memory(a_dead_graph(), spool=spool)
    for number in range(8):
        texts = [f"The violin of talk {number}. {'a' * 90_000}" for _ in range(10)]
        await memory.remember(TenantId(tenant), an_incoming(*texts, session=f"s{number}"))
    newest, more = await spool.newest(TenantId(tenant), "alice", episodes_max=500, chars_max=CHARS_MAX)
    assert (len(newest), more) == (4, True)
    assert sum(len(row[5]) for row in newest) <= CHARS_MAX
    assert len((await spool.newest(TenantId(tenant), "alice", episodes_max=2, chars_max=CHARS_MAX))[0]) == 2
    one, _ = await spool.newest(TenantId(tenant), "alice", episodes_max=500, chars_max=1)
    assert [episode.session_id for episode in episodes_in(one)] == ["s7"], "the newest comes however long it is"
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="violin", limit=100))
    assert {hit.candidate.text[:21] for hit in answer.hits} == {
        f"The violin of talk {number}." for number in (4, 5, 6, 7)
    }
    searched, shortened = answer.notes
    assert searched == "Neo4j is unavailable: searched 40 messages waiting on disk; older ones were left out"
    assert shortened.startswith("the texts of 36 hits are truncated: the answers to a request have at most 400,000 ")
    assert sum(len(hit.candidate.text) > 90_000 for hit in answer.hits) == 4
    await spool.close()
