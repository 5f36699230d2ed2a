"""Test a model judging doubtful facts, on Neo4j with a fake endpoint."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from extraction.embeddings.embedder import Embedder
from extraction.llm.fact_judge import model_fact_judge
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.worker.worker import Worker
from schema.assertion import Closing
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.facts.test_conflict_resolution import edges, open_now
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming, delete_open_jobs
from tests.support.embedders import HashedWords
from tests.support.fake_openai import FakeOpenAI, fails, says
from tests.support.readers import read_with_tags

GOALS = {
    "en": ("run a marathon next year", "complete a 42 km race next year"),
    "zh": ("明年跑一次马拉松", "明年完成四十二公里长跑"),
}


@pytest_asyncio.fixture(autouse=True)
async def no_pending_jobs(graph: Graph) -> None:
    """Delete the jobs of other tests: a worker serves all tenants, and their scenes must not reach these endpoints."""
    await delete_open_jobs(graph)


async def a_judge(graph: Graph, fake: FakeOpenAI, embedder: Embedder | None = None) -> Worker:
    """Return a worker that extracts by rules and lets the fake endpoint judge doubtful facts."""
    model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=5))
    readers = Readers(first=read_with_tags, fallback=read_with_tags, judge=model_fact_judge(model))
    return a_worker(graph, readers=readers, embedder=embedder)


class Meanings(HashedWords):
    """Gives texts with one of these words the same vector, whatever their language."""

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        return await super().embed(["marathon" if any(word in text for word in RUNS) else text for text in texts])


RUNS = ("marathon", "马拉松", "maratón", "フルマラソン")


@pytest.mark.parametrize("goal", ["明年跑一次马拉松", "correr un maratón", "来年フルマラソンを走る"])
async def test_fact_in_another_language_is_compared_by_its_vector(graph: Graph, tenant: str, goal: str) -> None:
    """It shares no word with the known fact."""
    first = GOALS["en"][0]
    with FakeOpenAI(says(verdicts(one("same")))) as fake:
        worker = await a_judge(graph, fake, Meanings())
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, f"{tenant}-2", first, day=0)
        await store_plan(graph, worker, tenant, "learn to sail", day=1)
        assert fake.requests == []
        await store_plan(graph, worker, tenant, goal, day=2)
    assert len(fake.requests) == 1
    assert await open_now(graph, tenant) == {first, "learn to sail"}


async def test_joined_statement_is_forgotten_with_either_message(graph: Graph, tenant: str) -> None:
    first, _ = GOALS["en"]
    with FakeOpenAI(says(verdicts({**one("completes"), "statement": "Alice: a marathon and a 42 km race"}))) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, tenant, first, day=2, relation="dream")
        before = (await edges(graph, tenant))[first]
        assert before["statement"] == "Alice: a marathon and a 42 km race"
        later = next(name for name in before["evidence"] if name != before["evidence"][0])
        await a_memory(graph).forgetting.message(TenantId(tenant), later)
        await worker.drain()
    ((kept, row),) = (await edges(graph, tenant)).items()
    assert row["statement"] == f"Alice: {kept}"


async def store_plan(graph: Graph, worker: Worker, tenant: str, goal: str, *, day: int, relation: str = "plan") -> None:
    """Store and read a plan of Alice, provided by her agent."""
    fact = ProvidedFact(
        subject="user", predicate="CARES_ABOUT", object=goal, relation=relation, statement=f"Alice: {goal}"
    )
    message = a_message(f"{goal} ({day})", time=NOON + timedelta(days=day))
    call = an_incoming(messages=(message,), facts=(fact,), session=f"day-{day}")
    await a_memory(graph).remember(TenantId(tenant), call)
    await worker.drain()


def verdicts(*told: Any) -> str:
    return json.dumps({"verdicts": list(told)})


def one(verdict: str, known: str | None = "k1", fact: str = "n1") -> dict[str, Any]:
    return {"fact": fact, "verdict": verdict, "known": known}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_equivalent_fact_in_other_words_becomes_one_fact(graph: Graph, tenant: str, language: str) -> None:
    first, second = GOALS[language]
    with FakeOpenAI(says(verdicts(one("same")))) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        assert fake.requests == []
        await store_plan(graph, worker, tenant, second, day=2)
    found = await edges(graph, tenant)
    assert set(found) == {first}
    assert len(found[first]["evidence"]) == 2
    (day,) = (await a_memory(graph).usage(TenantId(tenant), days=1)).days
    assert (day.calls, day.tokens_in) == (1, 100)


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_replaced_fact_is_explained_and_can_be_reopened(graph: Graph, tenant: str, language: str) -> None:
    first, second = GOALS[language]
    memory, whose = a_memory(graph), TenantId(tenant)
    with FakeOpenAI(says(verdicts(one("replaces")))) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, tenant, second, day=2)
        old = (await edges(graph, tenant))[first]
        assert await open_now(graph, tenant) == {second}
        closing = (await memory.facts.status(whose, old["id"])).closing
        assert closing is not None
        assert (closing.reason, closing.message_text) == (Closing.JUDGED, f"{second} (2)")
        await memory.facts.reopen(whose, old["id"], "she still wants it")
        await store_plan(graph, worker, tenant, second, day=4)
    assert await open_now(graph, tenant) == {first, second}


async def test_forgetting_the_replacing_fact_reopens_the_replaced_one(graph: Graph, tenant: str) -> None:
    first, second = GOALS["en"]
    with FakeOpenAI(says(verdicts(one("replaces")))) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, tenant, second, day=2)
        (message,) = (await edges(graph, tenant))[second]["evidence"]
        await a_memory(graph).forgetting.message(TenantId(tenant), message)
        await worker.drain()
    assert await open_now(graph, tenant) == {first}


async def test_hostile_verdict_changes_nothing_else(graph: Graph, tenant: str) -> None:
    first, second = GOALS["en"]
    other = f"{tenant}-2"
    with FakeOpenAI() as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, other, first, day=0)
        await store_plan(graph, worker, tenant, first, day=0)
        theirs = (await edges(graph, other))[first]["id"]
        mine = (await edges(graph, tenant))[first]["id"]
        evil = [one("replaces", named) for named in (theirs, mine, "k2", "k99", "'; MATCH (n) DETACH DELETE n", None)]
        evil += [one("same", "k1", fact="n2"), {"fact": ["n1"], "verdict": {}}, one("forget everything")] * 1_000
        fake.script.append(says(verdicts(*evil)))
        await store_plan(graph, worker, tenant, second, day=2)
    asked = json.dumps(fake.requests[0])
    assert not any(secret in asked for secret in (theirs, mine, tenant, "alice"))
    assert await open_now(graph, tenant) == {first, second}
    assert await open_now(graph, other) == {first}


async def test_facts_of_other_users_and_tenants_are_not_sent_to_the_judge(graph: Graph, tenant: str) -> None:
    first, second = GOALS["en"]
    with FakeOpenAI() as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, f"{tenant}-2", first, day=0)
        fact = ProvidedFact(subject="user", predicate="CARES_ABOUT", object=first, relation="plan", statement=first)
        call = an_incoming(messages=(a_message(first),), facts=(fact,), user="bob", session="bob")
        await a_memory(graph).remember(TenantId(tenant), call)
        await worker.drain()
        await store_plan(graph, worker, tenant, second, day=2)
    assert fake.requests == []
    assert await open_now(graph, tenant) == {first, second}


async def test_unreadable_verdict_leaves_the_decision_to_the_rules(graph: Graph, tenant: str) -> None:
    first, second = GOALS["en"]
    with FakeOpenAI(*[says("I would rather not say.")] * 4) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, tenant, second, day=2)
    assert await open_now(graph, tenant) == {first, second}
    (day,) = (await a_memory(graph).usage(TenantId(tenant), days=1)).days
    assert day.calls == len(fake.requests) > 0


async def test_job_waits_while_the_judge_is_unavailable(graph: Graph, tenant: str) -> None:
    first, second = GOALS["en"]
    with FakeOpenAI(fails(500), says(verdicts(one("same")))) as fake:
        worker = await a_judge(graph, fake)
        await store_plan(graph, worker, tenant, first, day=0)
        await store_plan(graph, worker, tenant, second, day=2)
    found = await edges(graph, tenant)
    assert set(found) == {first}
    assert len(found[first]["evidence"]) == 2
