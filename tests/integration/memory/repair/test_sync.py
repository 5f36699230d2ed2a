"""Test that sync finds inconsistencies and repairs them."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.items.writes import ItemWrite
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.repair.checks import Problem, check_message
from graph_service.memory.repair.repair import Sync
from graph_service.memory.sessions.lifecycle import request_close
from graph_service.memory.worker.item_upkeep import ItemUpkeep
from schema.ids import TenantId
from schema.session import CloseReason
from schema.timespan import as_utc
from tests.integration.memory.entity_resolution.test_merges import BOTH, edges, merge, say
from tests.integration.memory.worker.crash_story import STORY
from tests.integration.memory.worker.test_crash import change_numbers, comparable_graph
from tests.support.builders import NOON, a_memory, a_worker
from tests.support.embedders import HashedWords
from tests.support.graph_hash import graph_rows

_VECTORS = """
MATCH (n {tenant: $tenant}) WHERE n:Message OR n:Scene
RETURN n.id AS id, n.embedding AS words, n.abstract_embedding AS abstract, n.overview_embedding AS overview,
  n.token_vectors AS tokens
ORDER BY n.id
"""
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b")


@dataclass(frozen=True)
class Damage:
    """A write that bypasses the service, and the problems that a sync finds after it."""

    query: str
    found: dict[Problem, int]


DAMAGES = {
    "message without a vector": Damage(
        "MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS '弹钢琴' REMOVE m.embedding",
        {Problem.VECTOR_MISSING: 1},
    ),
    "message without token vectors": Damage(
        "MATCH (m:Message {tenant: $tenant, text: 'I live in Paris.'}) REMOVE m.token_vectors",
        {Problem.VECTOR_MISSING: 1},
    ),
    "scene without a vector": Damage(
        "MATCH (s:Scene {tenant: $tenant}) WITH s ORDER BY s.id LIMIT 1 REMOVE s.overview_embedding",
        {Problem.VECTOR_MISSING: 1},
    ),
    "fact without a vector": Damage(
        "MATCH ({tenant: $tenant})-[r]->() WHERE r.embedding IS NOT NULL WITH r LIMIT 1 REMOVE r.embedding",
        {Problem.VECTOR_MISSING: 1},
    ),
    "fact with a vector of another model": Damage(
        "MATCH ({tenant: $tenant})-[r]->() WHERE r.embedding IS NOT NULL WITH r LIMIT 1 SET r.embedding = [1.0]",
        {Problem.VECTOR_SIZE_MISMATCH: 1},
    ),
    "fact whose work was lost": Damage(
        """MATCH ({tenant: $tenant})-[r]->() WHERE r.embedding IS NOT NULL
        WITH r ORDER BY r.id LIMIT 1 MATCH (m:Message {tenant: $tenant, id: head(r.evidence)})
        REMOVE r.embedding SET r.unembedded_in = m.session_id
        WITH m MATCH (j:Job {tenant: $tenant, session: m.session_id, kind: 'embed'}) DELETE j""",
        {Problem.JOB_MISSING: 1},
    ),
    "vector of another model": Damage(
        "MATCH (s:Scene {tenant: $tenant}) WITH s ORDER BY s.id LIMIT 1 SET s.abstract_embedding = [1.0, 0.0]",
        {Problem.VECTOR_SIZE_MISMATCH: 1},
    ),
    "hash that does not fit": Damage(
        "MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS '弹钢琴' SET m.content_hash = 'x'",
        {Problem.TEXT_CHANGED: 1},
    ),
    "work that was lost": Damage(
        """MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS 'Paris' REMOVE m.embedding SET m.unembedded = true
        WITH m MATCH (j:Job {tenant: $tenant, session: m.session_id, kind: 'embed'}) DELETE j""",
        {Problem.JOB_MISSING: 1},
    ),
    "session whose end was lost": Damage(
        """MATCH (l:SessionLifecycle {tenant: $tenant}) WITH l ORDER BY l.id LIMIT 1 SET l.state = 'extracting' WITH l
        MATCH (j:Job {tenant: $tenant, id: l.id + '/close'}) SET j.state = 'done', j.open = null""",
        {Problem.JOB_MISSING: 1},
    ),
    "message outside its scene": Damage(
        "MATCH (m:Message {tenant: $tenant, text: 'I live in Oslo now.'})-[p:PART_OF]->() DELETE p",
        {Problem.MESSAGE_WITHOUT_SCENE: 1},
    ),
    "first message outside its scene": Damage(
        "MATCH (m:Message {tenant: $tenant, text: 'I love jasmine tea and hiking.'})-[p:PART_OF]->() DELETE p",
        {Problem.MESSAGE_WITHOUT_SCENE: 1},
    ),
    "scene that is gone": Damage(
        "MATCH (m:Message {tenant: $tenant, text: 'I live in Paris.'})-[:PART_OF]->(s:Scene) DETACH DELETE s",
        {Problem.MESSAGE_WITHOUT_SCENE: 3},
    ),
    "entity that nothing names": Damage(
        "CREATE (:Memory:Entity {tenant: $tenant, id: 'e', user_id: 'alice', name: 'Nobody', key: 'nobody'})",
        {Problem.NODE_ORPHANED: 1},
    ),
    "scene that holds nothing": Damage(
        """MATCH (s:Scene {tenant: $tenant}) WITH s ORDER BY s.id LIMIT 1
        CREATE (x:Memory:Scene {tenant: $tenant, id: 'x'}) SET x.user_id = s.user_id, x.session_id = s.session_id""",
        {Problem.SCENE_EMPTY: 1},
    ),
    "fact that nothing proves": Damage(
        """MATCH (u:User {tenant: $tenant}), (e:Entity {tenant: $tenant}) WITH u, e ORDER BY e.id LIMIT 1
        CREATE (u)-[:CARES_ABOUT {tenant: $tenant, id: 'f', user_id: 'alice', evidence: ['gone']}]->(e)""",
        {Problem.FACT_WITHOUT_EVIDENCE: 1},
    ),
}


# One damage of each problem; no two damage the same element.
_IN_EVERY_RUN = [
    "message without token vectors",
    "fact with a vector of another model",
    "hash that does not fit",
    "session whose end was lost",
    "message outside its scene",
    "entity that nothing names",
    "scene that holds nothing",
    "fact that nothing proves",
]


async def _cypher(graph: Graph, query: str, **parameters: Any) -> list[dict[str, Any]]:
    async with graph._driver.session() as session:
        return await (await session.run("CYPHER 25 " + query, parameters)).data()


async def _told(graph: Graph, tenant: str) -> None:
    for call in STORY:
        await a_memory(graph).remember(TenantId(tenant), call)
    sessions = await _cypher(graph, "MATCH (s:Session {tenant: $tenant}) RETURN s.id AS id", tenant=tenant)
    ids, now = [row["id"] for row in sessions], datetime.now(UTC)
    await request_close(graph, TenantId(tenant), ids, reason=CloseReason.REQUEST, now=now)
    await a_worker(graph).drain()


async def _whole(graph: Graph, tenant: str) -> list[Any]:
    """Return the whole graph of a tenant with vectors, without token usage, which re-reading increases."""
    rows = [row for row in await graph_rows(graph, tenant) if not row.startswith("node ['Usage']")]
    return [*rows, *await _cypher(graph, _VECTORS, tenant=tenant)]


async def test_sync_leaves_a_consistent_memory_unchanged(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    await _told(graph, tenant)
    whole, head = await comparable_graph(graph, tenant), await memory.changes.head(whose)
    sent: list[Statement] = []
    graph.observer = sent.append
    try:
        report = await memory.sync(whose)
    finally:
        graph.observer = None
    assert (report.found, report.indexed, report.errors) == ({}, 0, 0)
    assert report.total == report.skipped > 10
    assert sent
    assert not any(_WRITES.search(statement.text) for statement in sent)
    assert (await comparable_graph(graph, tenant), await memory.changes.head(whose)) == (whole, head)


@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGES)
async def test_sync_finds_and_repairs_each_damage(graph: Graph, tenant: str, name: str) -> None:
    await _found_and_repaired(graph, tenant, DAMAGES[name])


async def test_sync_finds_and_repairs_one_damage_of_each_problem_at_once(graph: Graph, tenant: str) -> None:
    damages = [DAMAGES[name] for name in _IN_EVERY_RUN]
    found = sum((Counter(damage.found) for damage in damages), Counter())
    assert set(found) == set(Problem) - {Problem.MESSAGE_DAMAGED}
    await _found_and_repaired(graph, tenant, *damages)


async def test_sync_lets_items_without_their_vector_be_embedded_again(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    upkeep = ItemUpkeep(graph, embedder=HashedWords(), clock=lambda: datetime.now(UTC))
    values = {"lost": "tea", "wrong": "tea", "fine": "tea", "no text": 5}
    await memory.items.put(whose, [ItemWrite(namespace=("ns",), key=key, value=one) for key, one in values.items()])
    while await upkeep.embed_some():
        pass
    await _cypher(graph, "MATCH (i:Item {tenant: $tenant, key: 'lost'}) REMOVE i.embedding", tenant=tenant)
    await _cypher(graph, "MATCH (i:Item {tenant: $tenant, key: 'wrong'}) SET i.embedding = [1.0]", tenant=tenant)
    report = await memory.sync(whose)
    assert (report.total, report.skipped, report.indexed) == (4, 2, 2)
    assert report.found == {Problem.VECTOR_MISSING: 1, Problem.VECTOR_SIZE_MISMATCH: 1}
    while await upkeep.embed_some():
        pass
    assert (await memory.sync(whose)).found == {}


async def _found_and_repaired(graph: Graph, tenant: str, *damages: Damage) -> None:
    """Damage two tenants with the same memory, and repair one of them; the other one must not change."""
    memory, other = a_memory(graph), f"{tenant}-other"
    found: Counter[Problem] = sum((Counter(damage.found) for damage in damages), Counter())
    await _told(graph, tenant)
    whole = await _whole(graph, tenant)
    await _told(graph, other)
    for whose in (tenant, other):
        for damage in damages:
            await _cypher(graph, damage.query, tenant=whose)
    others = await _whole(graph, other)
    dry = await memory.sync(TenantId(tenant), dry_run=True)
    assert (dry.found, dry.indexed) == (found, 0)
    mended = await memory.sync(TenantId(tenant))
    assert (mended.indexed, mended.errors) == (found.total(), 0)
    if len(damages) == 1:
        # Two wrong facts of one node are two repairs of one element.
        assert mended.skipped + mended.indexed == mended.total
    await a_worker(graph).drain()
    assert await _whole(graph, tenant) == whole
    assert (await memory.sync(TenantId(tenant))).found == {}
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))
    assert await _whole(graph, other) == others
    assert (await memory.sync(TenantId(other), dry_run=True)).found == found


@pytest.mark.parametrize("damage", ["REMOVE m.role", "SET m.text = 7", "SET m.said_at = 'noon'"])
async def test_message_that_cannot_be_read_is_reported_and_the_others_are_checked(
    graph: Graph, tenant: str, damage: str
) -> None:
    memory = a_memory(graph)
    await _told(graph, tenant)
    await _cypher(graph, f"MATCH (m:Message {{tenant: $tenant, text: 'I live in Paris.'}}) {damage}", tenant=tenant)
    await _cypher(graph, DAMAGES["message without a vector"].query, tenant=tenant)
    report = await memory.sync(TenantId(tenant))
    assert report.found == {Problem.MESSAGE_DAMAGED: 1, Problem.VECTOR_MISSING: 1}
    assert (report.indexed, report.errors, report.skipped) == (1, 1, report.total - 2)


async def test_sync_finds_the_same_with_small_pages(graph: Graph, tenant: str) -> None:
    await _told(graph, tenant)
    whole = await _whole(graph, tenant)
    await _cypher(graph, "MATCH (m:Message {tenant: $tenant}) REMOVE m.embedding", tenant=tenant)
    await _cypher(graph, "MATCH (s:Scene {tenant: $tenant}) REMOVE s.abstract_embedding", tenant=tenant)
    now, whose = datetime.now(UTC), TenantId(tenant)
    large = await Sync(graph=graph, tenant=whose, now=now, dry_run=True).run()
    small = await Sync(graph=graph, tenant=whose, now=now, rows_max=1).run()
    assert (small.found, small.total) == (large.found, large.total)
    await a_worker(graph).drain()
    assert await _whole(graph, tenant) == whole


async def test_sync_reembeds_and_rereads_a_changed_text(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    await _told(graph, tenant)
    damage = "MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS 'Paris' SET m.text = 'I live in Lima.'"
    await _cypher(graph, damage, tenant=tenant)
    assert (await memory.sync(whose)).found == {Problem.TEXT_CHANGED: 1}
    await a_worker(graph).drain()
    assert (await memory.sync(whose)).found == {}
    hits = (await memory.recall(whose, Question(user_id="alice", text="Lima", kinds=(HitKind.MESSAGE,)))).hits
    assert hits[0].candidate.text == "I live in Lima."
    learned = "MATCH (:User {tenant: $tenant})-[f:RELATES_TO]->(:Entity {name: 'Lima'}) RETURN f.statement AS statement"
    assert len(await _cypher(graph, learned, tenant=tenant)) == 1


async def test_sync_deletes_orphans_and_logs_the_changes(graph: Graph, tenant: str) -> None:
    """Messages deleted by hand leave a scene without messages, facts without evidence, and entities without edges."""
    memory, whose = a_memory(graph), TenantId(tenant)
    await _told(graph, tenant)
    before = (await memory.changes.head(whose)).seq
    await _cypher(
        graph,
        "MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS '弹钢琴' OR m.text CONTAINS 'Oslo' DETACH DELETE m",
        tenant=tenant,
    )
    report = await memory.sync(whose)
    assert set(report.found) == {Problem.SCENE_EMPTY, Problem.FACT_WITHOUT_EVIDENCE, Problem.NODE_ORPHANED}
    assert report.indexed == sum(report.found.values())
    assert (await memory.sync(whose)).found == {}
    rows = await memory.changes.since(whose, before, rows_max=1_000)
    assert {row.change.op.value for row in rows} == {"node-", "edge-"}
    assert all("sync" in row.change.reason for row in rows)
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))
    snapshot = await memory.mindmap.snapshot(whose, user_id=None, budget=1000)
    assert {row.change.element_id for row in rows} & {item.id for item in (*snapshot.nodes, *snapshot.edges)} == set()


async def test_sync_keeps_jobs_waiting_after_a_forgetting(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    told = await memory.remember(whose, STORY[0])
    await a_worker(graph).drain()
    await memory.forgetting.message(whose, told.message_ids[0])
    assert (await memory.sync(whose)).found == {}
    await a_worker(graph).drain()
    assert (await memory.sync(whose)).found == {}


async def test_sync_checks_member_facts_of_merged_entities(graph: Graph, tenant: str) -> None:
    """A consistent projection is left alone; a fact without evidence disappears, and stays away after a split."""
    memory, whose = a_memory(graph), TenantId(tenant)
    await say(graph, tenant, *BOTH, session="s1")
    merge_id = await merge(memory, tenant, "Bob", "Bobby")
    assert (await memory.sync(whose)).found == {}
    damage = "MATCH (m:Message {tenant: $tenant}) WHERE m.text CONTAINS 'Acme' DETACH DELETE m"
    await _cypher(graph, damage, tenant=tenant)
    assert (await memory.sync(whose)).found[Problem.FACT_WITHOUT_EVIDENCE] >= 1
    assert (await memory.sync(whose)).found == {}
    left = [("Bob", "PREFERS", "tea"), ("alice", "RELATES_TO", "Bob")]
    assert await edges(graph, tenant) == left
    await memory.merges.split(whose, merge_id)
    bobby = [("Bob", "PREFERS", "tea"), ("Bobby", "PREFERS", "tea"), ("alice", "RELATES_TO", "Bobby")]
    assert (await edges(graph, tenant), (await memory.sync(whose)).found) == (bobby, {})
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))


def test_sync_without_an_embedder_reports_no_missing_vector() -> None:
    row = {
        "id": "m", "user_id": "alice", "session": "s", "role": "user", "speaker": None, "text": "茶",
        "said_at": as_utc(NOON), "content_hash": "x", "vector_dim": None, "unembedded": False,
        "unread": False, "in_scene": True,
    }  # fmt: skip
    repair = check_message(row, None)
    assert repair is not None
    assert (repair.problems, repair.embed) == ((Problem.TEXT_CHANGED,), False)
    fitting = check_message(row | {"content_hash": repair.content_hash}, None)
    assert fitting is None
