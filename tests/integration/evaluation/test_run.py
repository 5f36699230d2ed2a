"""An evaluation runs end to end through a real service, and leaves nobody's words behind. Requirement D4."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import uvicorn
from fastapi import FastAPI

from graph_service.api.graphql.schema import graphql_router
from graph_service.app.middleware import RoundTripHeader
from graph_service.evaluation.dataset import read_datasets
from graph_service.evaluation.graphql_client import Door
from graph_service.evaluation.ingest import FactsBrought, Stored, store
from graph_service.evaluation.report import abstention_of, cost_of, lines_of
from graph_service.evaluation.run import BM25, DENSE, OURS, Plan, evaluate
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from graph_service.runtime.progress import Step
from schema.errors import MnemographError, UnavailableError
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

OWN = Path(__file__).parents[2] / "evaluation_sets"
LEFT = "MATCH (n) WHERE n.tenant STARTS WITH $run RETURN labels(n)[0] AS label, properties(n) AS properties"
# The log's numbers, the mark that keeps a forgotten user from coming back, work that is done, and what it cost.
KEPT = {"Change", "Job", "Tombstone", "Usage"}


class InProcess:
    """The service's other side: its worker works when somebody asks what is left."""

    def __init__(self, graph: Graph) -> None:
        self._memory = a_memory(graph)
        self._worker = a_worker(graph)
        self.tenants: list[str] = []

    async def work_left(self, tenant: str) -> int:
        await self._worker.drain()
        self.tenants.append(tenant)
        backlog = await self._memory.backlog(TenantId(tenant))
        return backlog.waiting + backlog.leased

    async def forget(self, tenant: str, user_id: str) -> None:
        self.tenants.append(tenant)
        await self._memory.forgetting.user(TenantId(tenant), user_id)


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answers.set()


@pytest_asyncio.fixture(loop_scope="session")
async def address(graph: Graph) -> AsyncIterator[str]:
    """Where a real server answers GraphQL."""
    app = FastAPI()
    app.add_middleware(RoundTripHeader)
    app.include_router(graphql_router(a_memory(graph)), prefix="/graphql")
    server = _Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve())
    await server.answers.wait()
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


async def left_of(graph: Graph, run: str) -> list[tuple[str, str]]:
    async with graph._driver.session() as session:
        rows = await (await session.run(LEFT, run=run)).data()
    return [(row["label"], str(row["properties"])) for row in rows]


@pytest.mark.parametrize("facts", list(FactsBrought))
async def test_own_sets_are_measured_and_then_forgotten(
    graph: Graph, tenant: str, address: str, facts: FactsBrought
) -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming("Nora lives in Lisbon.", user="Nora"))
    conversations, place, steps = read_datasets([OWN]), InProcess(graph), list[Step]()
    async with Door(address) as door:
        plan = Plan(facts=facts, concurrency=3)
        figures = await evaluate(door, place, HashedWords(), conversations, plan, steps.append)
    assert set(figures.orders) == {OURS, BM25, DENSE}
    assert figures.facts_dropped == 0
    together = {line.system: line for line in lines_of(figures) if line.dataset == "all"}
    assert together[OURS].questions == 22
    assert together[OURS].measures["recall@10"].value >= 0.8
    assert together[OURS].measures["recall@50"].value >= 0.9
    assert cost_of(figures)["round_trips_most"] == 1
    told = {(row["dataset"], row["without_answer"]): row["questions"] for row in abstention_of(figures)}
    assert told == {("own-en", "foreign"): 22, ("own-zh", "foreign"): 22, ("own-en", "own"): 12, ("own-zh", "own"): 12}
    assert len(figures.unanswerable) == 2
    assert {step.part for step in steps} == {"storing", "reading", "asking", "yardsticks", "forgetting"}
    left = await left_of(graph, place.tenants[0].rpartition("-")[0])
    assert {label for label, _ in left} <= KEPT
    words = {word for one in conversations for turn in one.turns for word in (turn.text, turn.text[:8])}
    assert not [text for _, text in left if any(word in text for word in words)]
    mine = await a_memory(graph).recall(
        TenantId(tenant), Question(user_id="Nora", text="Lisbon", kinds=(HitKind.MESSAGE,))
    )
    assert [hit.candidate.text for hit in mine.hits] == ["Nora lives in Lisbon."]


async def test_a_service_that_goes_away_ends_it_and_all_is_forgotten(graph: Graph, address: str) -> None:
    conversations, place = read_datasets([OWN / "linxiao.json"]), InProcess(graph)
    calls = 0

    def on_step(step: Step) -> None:
        nonlocal calls
        calls += step.part == "asking"
        if calls == 2:
            raise UnavailableError("away")

    async with Door(address) as door:
        with pytest.raises(UnavailableError, match="away"):
            await evaluate(door, place, None, conversations, Plan(), on_step)
    assert {label for label, _ in await left_of(graph, place.tenants[0])} <= KEPT


async def test_facts_reach_the_memory_with_the_turns_that_prove_them(graph: Graph, tenant: str, address: str) -> None:
    nora = read_datasets([OWN / "nora-and-ben.json"])[0]
    stored = Stored(tenant=tenant, conversation=nora)
    async with Door(address) as door:
        await store(door, stored, FactsBrought.OBSERVATIONS, on_messages=lambda _count: None)
    await a_worker(graph).drain()
    question = Question(user_id="Nora", text="allergic to walnuts", kinds=(HitKind.FACT,), evidence=5)
    hits = (await a_memory(graph).recall(TenantId(tenant), question)).hits
    found = next(hit for hit in hits if hit.candidate.text == "Nora is allergic to walnuts.")
    assert [stored.turn_ids[one.id] for one in found.candidate.evidence] == ["2.4"]


async def test_what_the_service_refuses_is_told_in_its_words(tenant: str, address: str) -> None:
    async with Door(address) as door:
        with pytest.raises(MnemographError, match="userId"):
            await door.ask(tenant, '{ recall(userId: "", query: "x") { path } }', {})
    async with Door("http://127.0.0.1:9") as nobody:
        with pytest.raises(UnavailableError, match="does not answer"):
            await nobody.ask(tenant, "{ __typename }", {})
