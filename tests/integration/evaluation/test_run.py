"""Test that an evaluation runs end to end with a real database and deletes everything it stored."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from graph_service.evaluation.dataset import FactSource, read_all
from graph_service.evaluation.report import abstention_of, cost_of, everyday_document_of, lines_of
from graph_service.evaluation.run import (
    BM25,
    DENSE,
    OURS,
    Plan,
    Stored,
    evaluate,
    evaluate_everyday,
    store,
    wait_until_stored,
)
from graph_service.graph.store import Graph
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.recall.query import HitKind, Question
from graph_service.observability.progress import Step
from schema.errors import UnavailableError
from schema.ids import TenantId
from schema.session import SessionState
from tests.support.builders import a_dead_graph, a_job_context, a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords
from tests.support.slow import slow_but

OWN = Path(__file__).parents[2] / "evaluation_sets"
EVERYDAY = Path(__file__).parents[2] / "everyday_sets" / "development" / "own_code_01.json"
REMAINING = "MATCH (n) WHERE n.tenant STARTS WITH $run RETURN labels(n)[0] AS label, properties(n) AS properties"
# The change log, tombstones, finished jobs and usage remain, and for a day the records that tell other processes.
KEPT_LABELS = {"Change", "Forgetting", "Job", "Tombstone", "Usage"}


class Working:
    """Runs the worker when asked for the remaining work, and notes for which tenants."""

    def __init__(self, graph: Graph) -> None:
        self.memory = a_memory(graph)
        self._worker = a_worker(graph)
        self.tenants: list[str] = []

    async def work_left(self, tenant: TenantId) -> int:
        await self._worker.drain()
        self.tenants.append(tenant)
        backlog = await self.memory.backlog(tenant)
        return backlog.waiting + backlog.leased


@pytest_asyncio.fixture(loop_scope="session")
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    opened = Spool(tmp_path / "spool.sqlite3", bytes_max=2**20)
    yield opened
    await opened.close()


async def remaining_nodes(graph: Graph, run: str) -> list[tuple[str, str]]:
    async with graph._driver.session() as session:
        rows = await (await session.run(REMAINING, run=run)).data()
    return [(row["label"], str(row["properties"])) for row in rows]


@pytest.mark.parametrize("facts", slow_but([FactSource.OBSERVATIONS], FactSource))
async def test_bundled_sets_are_measured_and_then_deleted(graph: Graph, tenant: str, facts: FactSource) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming("Nora lives in Lisbon.", user="Nora"))
    conversations, control, steps = read_all([OWN]).conversations, Working(graph), list[Step]()
    plan = Plan(facts=facts, concurrency=3)
    run = await evaluate(control.memory, control.work_left, HashedWords(), conversations, plan, steps.append)
    assert set(run.orders) == {OURS, BM25, DENSE}
    assert run.facts_dropped == 0
    totals = {line.system: line for line in lines_of(run) if line.dataset == "all"}
    assert totals[OURS].questions == 22
    assert totals[OURS].measures["recall@10"]["value"] >= 0.8
    assert totals[OURS].measures["recall@50"]["value"] >= 0.9
    assert cost_of(run)["round_trips_most"] == 1
    questions = {(row["dataset"], row["without_answer"]): row["questions"] for row in abstention_of(run)}
    assert questions == {
        ("own-en", "foreign"): 22,
        ("own-zh", "foreign"): 22,
        ("own-en", "own"): 12,
        ("own-zh", "own"): 12,
    }
    assert len(run.unanswerable) == 2
    assert {step.part for step in steps} == {"storing", "reading", "asking", "yardsticks", "forgetting"}
    remaining = await remaining_nodes(graph, control.tenants[0].rpartition("-")[0])
    assert {label for label, _ in remaining} <= KEPT_LABELS
    words = {word for one in conversations for message in one.messages for word in (message.text, message.text[:8])}
    assert not [text for _, text in remaining if any(word in text for word in words)]
    answer = await a_memory(graph).recall(
        TenantId(tenant), Question(user_id="Nora", text="Lisbon", kinds=(HitKind.MESSAGE,))
    )
    assert [hit.candidate.text for hit in answer.hits] == ["Nora lives in Lisbon."]


async def test_an_everyday_memory_is_read_session_by_session_and_then_deleted(graph: Graph) -> None:
    memories, control, steps = read_all([EVERYDAY]).memories, Working(graph), list[Step]()
    plan = Plan(facts=FactSource.OBSERVATIONS)
    run = await evaluate_everyday(control.memory, control.work_left, memories, plan, steps.append)
    # What is measured is what the service shows: of file paths the last name.
    shown = "\n".join(text for answer in run.answers for text in (*answer.hits, answer.context))
    assert "/heronry, not journald" in shown
    assert "/var/log/heronry" not in shown
    document = everyday_document_of(run)
    assert (document["questions"], document["facts_dropped"]) == (len(memories[0].questions), [])
    assert document["groups"]["all"]["answer@5"] >= 0.5
    assert set(run.seconds) == {"indexing", "asking", "forgetting"}
    # Each session is processed before the next is stored.
    assert control.tenants.count(control.tenants[0]) >= len(memories[0].sessions)
    assert {label for label, _ in await remaining_nodes(graph, control.tenants[0])} <= KEPT_LABELS


async def test_unavailable_service_ends_the_run_and_everything_is_deleted(graph: Graph) -> None:
    conversations, control = read_all([OWN / "linxiao.json"]).conversations, Working(graph)
    calls = 0

    def on_step(step: Step) -> None:
        nonlocal calls
        calls += step.part == "asking"
        if calls == 2:
            raise UnavailableError("away")

    with pytest.raises(UnavailableError, match="away"):
        await evaluate(control.memory, control.work_left, None, conversations, Plan(), on_step)
    assert {label for label, _ in await remaining_nodes(graph, control.tenants[0])} <= KEPT_LABELS


async def test_provided_facts_are_stored_with_their_turns(graph: Graph, tenant: str) -> None:
    nora = read_all([OWN / "nora-and-ben.json"]).conversations[0]
    stored = Stored(tenant=TenantId(tenant), data=nora)
    await store(a_memory(graph), stored, FactSource.OBSERVATIONS, on_messages=lambda _count: None)
    await a_worker(graph).drain()
    question = Question(user_id="Nora", text="allergic to walnuts", kinds=(HitKind.FACT,), evidence=5)
    hits = (await a_memory(graph).recall(TenantId(tenant), question)).hits
    found = next(hit for hit in hits if hit.candidate.text == "Nora is allergic to walnuts.")
    assert [stored.ids[one.id] for one in found.candidate.evidence] == ["2.4"]


async def test_a_spooled_session_is_waited_for_before_it_is_closed(graph: Graph, tenant: str, spool: Spool) -> None:
    dead, memory, name = a_dead_graph(), a_memory(graph, spool=spool), TenantId(tenant)
    await a_memory(dead, spool=spool).remember(name, an_incoming("Nora lives in Lisbon.", session="s1"))
    await dead.close()
    waiting = asyncio.create_task(wait_until_stored(memory, name))
    await asyncio.sleep(0)
    assert ((await spool.depth(name)).waiting, waiting.done()) == (1, False)
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    await waiting
    assert (await memory.sessions.close(name, "alice", "s1")).state is SessionState.CLOSING
