"""Test that malformed jobs and messages become dead letters and block nothing."""

import asyncio
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.jobs.external_services import ExternalServices
from graph_service.memory.jobs.outbox import Claimable, DeadLetter, DeadLetters, JobKind, backlog, claim_jobs
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.worker import Leases, WorkerRules
from schema.errors import MnemosceneError
from schema.ids import TenantId
from tests.support.builders import a_job_context, a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.slow import slow_but

KINDS = tuple(JobKind)
SAID = "我对花生过敏"
# Values that an import, another program or a bug may leave. The first one used to stop the work of all tenants.
BROKEN_JOBS = {
    "no attempts": {"attempts": None},
    "negative attempts": {"attempts": -7},
    "attempts are a word": {"attempts": "three"},
    "no kind": {"kind": None},
    "an unknown kind": {"kind": "dance"},
    "a kind that is a number": {"kind": 7},
    "no enqueue count": {"enqueue_count": None},
    "no session": {"session": None},
    "due at a word": {"due_ms": "soon"},
    "not due": {"due_ms": None},
    "claimed by truth": {"claims": True},
    "leased until a word": {"lease_until_ms": "later"},
    "leased by a number": {"lease": 7},
    "open like a word": {"open": "yes"},
}
BROKEN_MESSAGES = (
    {"role": None},
    {"role": "prophet"},
    {"text": None},
    {"text": 7},
    {"said_at": None},
    {"said_at": "yesterday"},
    {"position": None},
    {"content_hash": None},
    {"uri": None},
)
# `claim_jobs` overwrites these: the job succeeds if a worker claims it before it looks for malformed jobs.
SET_RIGHT_BY_A_CLAIM = (BROKEN_JOBS["claimed by truth"], BROKEN_JOBS["leased by a number"])


async def run_cypher(graph: Graph, text: str, **parameters: Any) -> None:
    async with graph._driver.session() as session:
        await (await session.run(text, parameters)).consume()


async def remembered(graph: Graph, tenant: str, *texts: str, session: str = "s1") -> None:
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*texts, session=session))


async def recalled(graph: Graph, tenant: str) -> list[str]:
    answer = await a_memory(graph).recall(TenantId(tenant), Question(user_id="alice", text="Oslo"))
    return [hit.candidate.text for hit in answer.hits]


@pytest.mark.parametrize("wrong", slow_but([BROKEN_JOBS["no kind"]], BROKEN_JOBS.values()), ids=BROKEN_JOBS.keys())
async def test_malformed_job_of_one_tenant_becomes_a_dead_letter_and_blocks_nobody(
    graph: Graph, tenant: str, wrong: dict[str, Any]
) -> None:
    other = f"{tenant}-b"
    await remembered(graph, tenant, "I love tea.")
    await run_cypher(
        graph, "MATCH (j:Job {tenant: $t}) WHERE j.kind = 'extract' SET j += $wrong", t=tenant, wrong=wrong
    )
    await remembered(graph, other, "I moved to Oslo.")
    # The second worker simulates the service after a restart.
    for _ in range(2):
        stop, worker = asyncio.Event(), a_worker(graph, rules=WorkerRules(poll_s=0.05))
        running = asyncio.create_task(worker.run(stop))
        async with asyncio.timeout(60):
            while any([await left(graph, other), await left(graph, tenant)]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        stop.set()
        await running
    assert any("Oslo" in text for text in await recalled(graph, other))
    letters = await DeadLetters(graph).listed(TenantId(tenant))
    if not letters and wrong in SET_RIGHT_BY_A_CLAIM:
        return
    (letter,) = letters
    assert letter.error.startswith("CORRUPT_DATA")
    assert letter.kind in (JobKind.EXTRACT, JobKind.EMBED)
    # The missing property is repaired, so that the retry succeeds.
    await a_memory(graph).retry_jobs(TenantId(tenant), [letter.id])
    await a_worker(graph).drain()
    assert await DeadLetters(graph).listed(TenantId(tenant)) == []


async def test_malformed_jobs_and_messages_of_many_tenants_become_dead_letters_at_once(
    graph: Graph, tenant: str
) -> None:
    """Every malformed value at the same time; the single cases, which name the one that fails, are slow."""
    other, changed = f"{tenant}-b", []
    for number, wrong in enumerate([*BROKEN_JOBS.values(), *BROKEN_MESSAGES]):
        name, of_job = f"{tenant}-{number}", number < len(BROKEN_JOBS)
        await remembered(graph, name, SAID)
        node = "(n:Job {tenant: $t}) WHERE n.kind = 'extract'" if of_job else "(n:Message {tenant: $t})"
        await run_cypher(graph, f"MATCH {node} SET n += $wrong", t=name, wrong=wrong)
        if wrong not in SET_RIGHT_BY_A_CLAIM:
            changed.append(name)
    await remembered(graph, other, "I moved to Oslo.")
    for _ in range(2):
        stop, worker = asyncio.Event(), a_worker(graph, rules=WorkerRules(poll_s=0.05))
        running = asyncio.create_task(worker.run(stop))
        async with asyncio.timeout(120):
            while await left(graph, other) or not all([await dead_letters(graph, name) for name in changed]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        stop.set()
        await running
    assert any("Oslo" in text for text in await recalled(graph, other))
    letters = [letter for name in changed for letter in await dead_letters(graph, name)]
    assert not any("花生" in letter.error for letter in letters)
    assert sum(letter.error.startswith("CORRUPT_DATA") for letter in letters) >= len(BROKEN_JOBS) - 2


async def dead_letters(graph: Graph, tenant: str) -> tuple[DeadLetter, ...]:
    return tuple(await DeadLetters(graph).listed(TenantId(tenant)))


async def left(graph: Graph, tenant: str) -> int:
    found = await backlog(graph, TenantId(tenant), KINDS)
    return found.waiting + found.leased


@pytest.mark.parametrize("wrong", slow_but([{"said_at": "yesterday"}], BROKEN_MESSAGES), ids=str)
async def test_malformed_message_of_one_tenant_becomes_a_dead_letter_and_blocks_nobody(
    graph: Graph, tenant: str, wrong: dict[str, Any]
) -> None:
    other = f"{tenant}-b"
    await remembered(graph, tenant, SAID)
    await run_cypher(graph, "MATCH (m:Message {tenant: $t}) SET m += $wrong", t=tenant, wrong=wrong)
    await remembered(graph, other, "I moved to Oslo.")
    for _ in range(2):
        stop, worker = asyncio.Event(), a_worker(graph, rules=WorkerRules(poll_s=0.05))
        running = asyncio.create_task(worker.run(stop))
        async with asyncio.timeout(60):
            while await left(graph, other) or not await DeadLetters(graph).listed(TenantId(tenant)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        stop.set()
        await running
    assert any("Oslo" in text for text in await recalled(graph, other))
    letters = await DeadLetters(graph).listed(TenantId(tenant))
    assert letters
    assert not any("花生" in letter.error for letter in letters)


async def test_dead_letter_does_not_contain_the_text_of_a_foreign_error(graph: Graph, tenant: str) -> None:
    await remembered(graph, tenant, "I love tea.")
    job_context, leases = a_job_context(), Leases(graph, a_job_context(), ExternalServices())
    errors: list[BaseException] = [ValueError(SAID), RecursionError(SAID), ExceptionGroup("x", [KeyError(SAID)])]
    for error in (*errors, MnemosceneError("the graph is out of tea")):
        await run_cypher(graph, "MATCH (j:Job {tenant: $t}) SET j.due_ms = 0, j.attempts = 3, j.open = true", t=tenant)
        held = []
        while not held:
            claims = await claim_jobs(
                graph,
                Claimable(kind=JobKind.EXTRACT),
                jobs_max=100,
                lease=job_context.random_token(),
                now_ms=job_context.now_ms(),
            )
            held = [one for one in claims if one.tenant == tenant]
            await leases.release([one for one in claims if one.tenant != tenant])
        await leases.retry_or_park(held, error)
        kept = [letter.error for letter in await DeadLetters(graph).listed(TenantId(tenant))]
        assert [text for text in kept if "花生" in text] == []
        assert any(text.startswith("INTERNAL") for text in kept)
    assert any("out of tea" in text for text in kept)


async def test_job_without_a_tenant_is_put_aside(graph: Graph) -> None:
    await delete_open_jobs(graph)
    await run_cypher(graph, "CREATE (:Job {open: true, due_ms: 0, kind: 'extract', state: 'open', lost: true})")
    await a_worker(graph).drain()
    async with graph._driver.session() as session:
        result = await session.run("MATCH (j:Job {lost: true}) WITH j, j.state AS state DETACH DELETE j RETURN state")
        assert [row["state"] async for row in result] == ["cancelled"]
