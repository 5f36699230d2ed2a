"""Test that recalled items are recorded in the background without side effects."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.entity_resolution.merged_projection import without_bookkeeping
from graph_service.memory.recall.access_log import AccessLog
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.integration.memory.entity_resolution.test_merges import BOTH, merge, say
from tests.support.builders import NOON, a_dead_graph, a_memory, a_worker, an_incoming
from tests.support.graph_hash import graph_hash

_MARKS = (
    "MATCH (n {tenant: $tenant}) WHERE n.last_accessed IS NOT NULL RETURN n.id AS id, n.access_n AS n "
    "UNION ALL MATCH ({tenant: $tenant})-[r]->() WHERE r.last_accessed IS NOT NULL RETURN r.id AS id, r.access_n AS n"
)
TEXTS = {"en": ("I love jasmine tea.", "jasmine tea"), "zh": ("我喜欢喝茉莉花茶。", "茉莉花茶")}


async def access_counts(graph: Graph, tenant: str) -> dict[str, int]:
    """Return the access count of each element."""
    async with graph._driver.session() as session:
        return {row["id"]: row["n"] for row in await (await session.run(_MARKS, tenant=tenant)).data()}


async def memory_and_question(graph: Graph, tenant: str, lang: str) -> tuple[Memory, Question]:
    """Return a memory with one fact, and a question about it."""
    text, asked = TEXTS[lang]
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(text))
    await a_worker(graph).drain()
    return memory, Question(user_id="alice", text=asked)


def ids_recorded(answer: Answer) -> list[tuple[HitKind, str]]:
    """Return what the access log records of an answer."""
    return [(hit.candidate.kind, hit.candidate.id) for hit in answer.hits]


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_every_kind_of_hit_is_counted_once_per_answer(graph: Graph, tenant: str, lang: str) -> None:
    memory, question = await memory_and_question(graph, tenant, lang)
    # One kind at a time, because an answer leaves out scenes and facts that repeat its messages.
    hits = []
    for kind in HitKind:
        one = replace(question, kinds=(kind,))
        hits += (await memory.recall(TenantId(tenant), one)).hits
        await memory.recall(TenantId(tenant), one)
    assert {hit.candidate.kind for hit in hits} == set(HitKind)
    assert await access_counts(graph, tenant) == {}, "nothing is written while somebody waits for an answer"
    assert await memory.access.flush() == len(hits)
    assert await access_counts(graph, tenant) == {hit.candidate.id: 2 for hit in hits}
    assert await memory.access.flush() == 0


async def test_recall_writes_nothing_and_takes_one_round_trip(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "en")
    seen: list[Statement] = []
    graph.observer = seen.append
    try:
        await memory.recall(TenantId(tenant), question)
    finally:
        graph.observer = None
    assert [one.name for one in seen] == ["recall/recall"]


async def test_recording_access_changes_neither_graph_nor_change_log_nor_plans(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "en")
    before, head = await graph_hash(graph, tenant), await ChangeLog(graph).head(tenant)
    await memory.recall(TenantId(tenant), question)
    assert await memory.access.flush() > 0
    assert (await graph_hash(graph, tenant), await ChangeLog(graph).head(tenant)) == (before, head)
    report = await memory.sync(TenantId(tenant), dry_run=True)
    assert report.indexed == 0


async def test_access_of_another_tenant_or_user_is_not_recorded(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "en")
    used = ids_recorded(await memory.recall(TenantId(tenant), question))
    await memory_and_question(graph, f"{tenant}-other", "en")
    log = AccessLog(graph)
    log.note(TenantId(f"{tenant}-other"), "alice", used, at=NOON)
    log.note(TenantId(tenant), "nobody", used, at=NOON)
    assert await log.flush() == 0
    assert await access_counts(graph, tenant) == await access_counts(graph, f"{tenant}-other") == {}


async def test_access_is_discarded_while_the_database_is_unavailable(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "en")
    used = ids_recorded(await memory.recall(TenantId(tenant), question))
    log = AccessLog(a_dead_graph())
    log.note(TenantId(tenant), "alice", used, at=NOON)
    assert (await log.flush(), await log.flush()) == (0, 0)


async def test_pending_access_is_written_when_the_service_stops(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "zh")
    hits = (await memory.recall(TenantId(tenant), question)).hits
    stop = asyncio.Event()
    stop.set()
    await memory.access.run(stop)
    assert await access_counts(graph, tenant) == {hit.candidate.id: 1 for hit in hits}


async def test_concurrent_access_log_and_digest_lose_no_write(graph: Graph, tenant: str) -> None:
    memory, question = await memory_and_question(graph, tenant, "en")
    used = ids_recorded(await memory.recall(TenantId(tenant), question))
    for day in range(5):
        await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea and green tea.", session=f"s{day + 2}"))

    async def noting() -> None:
        for _ in range(10):
            memory.access.note(TenantId(tenant), "alice", used, at=NOON)
            await memory.access.flush()

    await asyncio.gather(noting(), a_worker(graph).drain())
    # Once by the recall itself.
    assert await access_counts(graph, tenant) == {name: 11 for _, name in used}


async def test_new_messages_about_merged_entities_keep_access_counts_of_edges(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, *BOTH, session="s1")
    memory = a_memory(graph)
    await merge(memory, tenant, "Bob", "Bobby")
    hits = (
        await memory.recall(TenantId(tenant), Question(user_id="alice", text="Bob tea", kinds=(HitKind.FACT,)))
    ).hits
    await memory.access.flush()
    used = await access_counts(graph, tenant)
    assert used == {hit.candidate.id: 1 for hit in hits}
    head = await ChangeLog(graph).head(tenant)
    await say(graph, tenant, ("Bobby", "PREFERS", "chess", None), session="s2")
    changed = await ChangeLog(graph).since(tenant, head.seq)
    assert not used.keys() & {one.change.element_id for one in changed}
    assert await access_counts(graph, tenant) == used


def test_access_is_left_out_of_comparisons() -> None:
    used: dict[str, Any] = {"id": "x", "last_accessed": NOON, "access_n": 3}
    assert without_bookkeeping(used) == {"id": "x"}
