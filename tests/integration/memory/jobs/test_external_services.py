"""Test jobs while the embedder or the model is unavailable."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from extraction.llm.language_model import Answer, Prompt, Shape
from extraction.llm.reader_chain import model_chain
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.jobs.external_services import ExternalService, ExternalServices, GuardedEmbedder, GuardedModel
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.worker import Worker
from schema.errors import InputError, MisreadError, NotFoundError, UnavailableError
from schema.ids import TenantId
from tests.integration.memory.worker.test_crash import comparable_graph
from tests.support.builders import a_job_context, a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.embedders import HashedWords
from tests.support.readers import read_with_tags


class Switch:
    """An external service that a test turns off and on."""

    def __init__(self) -> None:
        self.there, self.calls = True, 0

    def used(self) -> None:
        self.calls += 1
        if not self.there:
            raise UnavailableError("the endpoint cannot be reached")


class SwitchedEmbedder(HashedWords):
    """An embedder of hashed words that works while the switch is on."""

    def __init__(self, switch: Switch) -> None:
        super().__init__()
        self._switch = switch

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        self._switch.used()
        return await super().embed(texts, asked=asked)


class SwitchedModel:
    """A model that answers nothing, so that rules read; unavailable while the switch is off."""

    name = "switched"

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        self._switch.used()
        raise MisreadError("no JSON in it")


class ControlledWorker:
    """A worker with a clock and external services that the test controls."""

    def __init__(self, graph: Graph) -> None:
        self.past_s = 0.0
        self.embedder, self.model = Switch(), Switch()
        self.external_services = ExternalServices(
            ExternalService("embedder", clock_s=lambda: self.past_s),
            ExternalService("model", clock_s=lambda: self.past_s),
        )
        steady, begun = a_job_context(), datetime.now(UTC)
        job_context = JobContext(
            clock=lambda: begun + timedelta(seconds=self.past_s),
            random_token=steady.random_token,
            on_step=steady.on_step,
            on_change=steady.on_change,
        )
        reader = model_chain(GuardedModel(SwitchedModel(self.model), self.external_services.model), read_with_tags)
        self.guarded = GuardedEmbedder(SwitchedEmbedder(self.embedder), self.external_services.embedder)
        self.worker = Worker(
            graph=graph,
            embedder=self.guarded,
            readers=Readers(first=reader, fallback=read_with_tags),
            job_context=job_context,
            external_services=self.external_services,
        )

    async def work(self, seconds: int, *, step_s: float = 1.0) -> None:
        """Work for this time, in steps of the test clock."""
        for _ in range(round(seconds / step_s)):
            while await self.worker.run_one():
                pass
            self.past_s += step_s


async def _states(graph: Graph, tenant: str) -> dict[str, Any]:
    async with graph._driver.session() as session:
        result = await session.run(
            "MATCH (j:Job {tenant: $tenant}) RETURN j.kind AS kind, j.state AS state", tenant=tenant
        )
        return {record["kind"]: record["state"] async for record in result}


@pytest.mark.parametrize("away", ["embedder", "model"])
async def test_jobs_of_an_outage_are_parked_and_done_when_it_ends(graph: Graph, tenant: str, away: str) -> None:
    await delete_open_jobs(graph)
    world = ControlledWorker(graph)
    memory, whose = a_memory(graph, embedder=world.guarded), TenantId(tenant)
    switch = getattr(world, away)
    switch.there = False
    await memory.remember(whose, an_incoming("I love jasmine tea.", "我很喜欢弹钢琴。"))
    await world.work(40)
    letters = await memory.dead_letters.listed(whose)
    assert [(letter.kind, letter.unavailable_service, letter.attempts, letter.user_id) for letter in letters] == [
        (JobKind.EMBED if away == "embedder" else JobKind.REFINE, away, 4, "alice")
    ]
    assert "cannot be reached" in letters[0].error
    assert "jasmine" in (await memory.recall(whose, Question(user_id="alice", text="jasmine"))).hits[0].candidate.text
    await world.work(200, step_s=5)
    assert switch.calls <= 12, "an outage must not be hammered"
    switch.there = True
    await world.work(70, step_s=5)
    await a_memory(graph).remember(TenantId(f"{tenant}-whole"), an_incoming("I love jasmine tea.", "我很喜欢弹钢琴。"))
    await ControlledWorker(graph).work(10)
    assert await memory.dead_letters.listed(whose) == []
    mine = [row for row in await comparable_graph(graph, tenant) if "'work'" not in row]
    assert mine == [row for row in await comparable_graph(graph, f"{tenant}-whole") if "'work'" not in row]
    assert set((await _states(graph, tenant)).values()) == {"done"}


async def test_no_job_is_claimed_while_the_circuit_breaker_is_open(graph: Graph, tenant: str) -> None:
    await a_worker(graph).drain()
    world = ControlledWorker(graph)
    world.embedder.there = False
    for number in range(6):
        await a_memory(graph).remember(TenantId(tenant), an_incoming("Tea.", session=f"s{number}"))
    await world.work(10)
    asked = world.embedder.calls
    assert world.external_services.embedder.is_open
    await world.work(20)
    assert world.embedder.calls == asked
    world.embedder.there = True
    await world.work(60, step_s=5)
    assert (await a_memory(graph).backlog(TenantId(tenant))).dead == 0


class Broken(HashedWords):
    """An embedder that fails with an error of its own."""

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        if any("poison" in text for text in texts):
            raise InputError("this text cannot be embedded")
        return await super().embed(texts, asked=asked)


async def test_job_with_its_own_error_stays_parked_until_retried(graph: Graph, tenant: str) -> None:
    whose, other = TenantId(tenant), TenantId(f"{tenant}-other")
    memory = a_memory(graph)
    await memory.remember(whose, an_incoming("poison"))
    await a_worker(graph, embedder=Broken()).drain()
    await a_worker(graph).drain()
    (letter,) = await memory.dead_letters.listed(whose)
    assert (letter.unavailable_service, letter.session_id, letter.failed_at is None) == (None, "s1", False)
    assert await memory.dead_letters.listed(other) == []
    with pytest.raises(NotFoundError):
        await memory.retry_jobs(other, [letter.id])
    with pytest.raises(NotFoundError):
        await memory.dead_letters.cancel(other, [letter.id])
    assert await memory.retry_jobs(whose, [letter.id]) == 1
    await a_worker(graph).drain()
    assert await memory.dead_letters.listed(whose) == []


async def test_cancelled_job_is_not_done_until_new_messages_request_it(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    receipt = await memory.remember(whose, an_incoming("I love jasmine tea."))
    async with graph._driver.session() as session:
        result = await session.run("MATCH (j:Job {tenant: $tenant, kind: 'extract'}) RETURN j.id AS id", tenant=tenant)
        ids = [record["id"] async for record in result]
    assert await memory.dead_letters.cancel(whose, ids) == 1
    await a_worker(graph).drain()
    assert (await _states(graph, tenant))["extract"] == "cancelled"
    hits = (await memory.recall(whose, Question(user_id="alice", text="jasmine"))).hits
    assert [(hit.candidate.id, hit.candidate.pending) for hit in hits] == [(receipt.message_ids[0], True)]
    await memory.remember(whose, an_incoming("I live in Oslo.", session="s1", request_id="r"))
    await a_worker(graph).drain()
    assert (await _states(graph, tenant))["extract"] == "done"
