"""Test many provided facts, and messages far apart in time, in few calls."""

import asyncio
import contextlib
import time
from datetime import timedelta
from itertools import pairwise

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.session_input import SessionInput, load_session_input
from graph_service.memory.jobs.outbox import JobClaim, JobKind
from schema.ids import TenantId, memory_id, session_uri
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_job_context, a_memory, a_message, a_worker, an_incoming

_TOWNS = 500
_FACTS = Statement(
    name="test/facts",
    text="MATCH (:User {tenant: $tenant})-[r:PREFERS|RELATES_TO]->(b) WHERE r.tenant = $tenant"
    " RETURN b.name AS name, r.invalid_at IS NULL AS holds ORDER BY name",
    parameters=frozenset({"tenant"}),
    columns=("name", "holds"),
    hot=False,
)


def a_town_fact(number: int) -> ProvidedFact:
    return ProvidedFact(
        subject="user",
        predicate="RELATES_TO",
        object=f"Town{number}",
        statement=f"Alice lives in Town{number}.",
        relation="lives in",
        message_indexes=(number,),
    )


def a_preference(number: int) -> ProvidedFact:
    name = f"Thing{number}"
    return ProvidedFact(subject="user", predicate="PREFERS", object=name, statement=f"Alice likes {name}.")


async def facts_of(graph: Graph, tenant: str) -> dict[str, bool]:
    rows = await graph.read(_FACTS, {"tenant": tenant})
    return {row["name"]: row["holds"] for row in rows}


async def unread_text(graph: Graph, tenant: str) -> SessionInput | None:
    session = memory_id(session_uri(tenant, "alice", "s1"))
    held = JobClaim(
        tenant=TenantId(tenant),
        id="x",
        kind=JobKind.EXTRACT,
        session=session,
        enqueue_count=1,
        attempts=0,
        lease="none",
    )
    return await load_session_input(graph, held, None)


@pytest.mark.slow
async def test_other_tasks_run_while_many_facts_of_one_relation_are_planned(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    texts = [f"Number {n}." for n in range(_TOWNS)]
    towns = tuple(a_town_fact(n) for n in range(_TOWNS))
    await memory.remember(TenantId(tenant), an_incoming(*texts, facts=towns))
    steps: dict[str, float] = {}
    turns: list[float] = []

    async def others() -> None:
        while True:
            turns.append(time.monotonic())
            await asyncio.sleep(0.001)

    def noted(step: str) -> None:
        steps.setdefault(step, time.monotonic())

    other = asyncio.create_task(others())
    await a_worker(graph, job_context=a_job_context(on_step=noted)).drain()
    other.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await other
    held = await facts_of(graph, tenant)
    assert len(held) == _TOWNS
    assert [name for name, holds in held.items() if holds] == [f"Town{_TOWNS - 1}"]
    during = [
        steps["extract read"],
        *(at for at in turns if steps["extract read"] < at < steps["extract planned"]),
        steps["extract planned"],
    ]
    gaps_s = [later - earlier for earlier, later in pairwise(during)]
    assert max(gaps_s) < (steps["extract planned"] - steps["extract read"]) / 2


async def test_messages_far_apart_in_time_do_not_reread_scenes_between(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)

    async def told(*days: int) -> None:
        messages = tuple(a_message(f"On day {day} it rained.", time=NOON + timedelta(days=day)) for day in days)
        await memory.remember(TenantId(tenant), an_incoming(messages=messages))

    await told(*range(1, 20))
    await worker.drain()
    await told(0, 1, 20)
    text = await unread_text(graph, tenant)
    assert text is not None
    assert len(text.changed) == 2
    assert len(text.stored) <= 2
    late = NOON + timedelta(days=5, minutes=30)
    await memory.remember(TenantId(tenant), an_incoming(messages=(a_message("It stopped.", time=late),)))
    await worker.drain()
    late = NOON + timedelta(days=5, minutes=50)
    await memory.remember(TenantId(tenant), an_incoming(messages=(a_message("It began again.", time=late),)))
    text = await unread_text(graph, tenant)
    assert text is not None
    assert [[message.text for message in scene.messages] for scene in text.scenes] == [
        ["On day 5 it rained.", "It stopped.", "It began again."]
    ]


async def test_facts_provided_in_many_calls_for_a_stored_message_are_all_stored(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)
    await memory.remember(TenantId(tenant), an_incoming("I like many things."))
    await worker.drain()
    for number in range(60):
        await memory.remember(TenantId(tenant), an_incoming("I like many things.", facts=(a_preference(number),)))
    text = await unread_text(graph, tenant)
    assert text is not None
    assert len(text.episodes) == 50
    assert text.more
    await worker.drain()
    assert {f"Thing{number}" for number in range(60)} <= (await facts_of(graph, tenant)).keys()
    assert await unread_text(graph, tenant) is None


async def test_facts_provided_for_an_unread_message_are_stored_with_it(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)
    texts = [f"Number {n}." for n in range(510)]
    await memory.remember(TenantId(tenant), an_incoming(*texts))
    again = a_message(texts[-1], minute=len(texts) - 1)
    await memory.remember(TenantId(tenant), an_incoming(messages=(again,), facts=(a_preference(7),)))
    first = await unread_text(graph, tenant)
    assert first is not None
    assert sum(len(scene.messages) for scene in first.scenes) == 500
    assert first.more
    await worker.drain()
    assert "Thing7" in await facts_of(graph, tenant)


@pytest.mark.slow
async def test_many_calls_with_facts_are_read_in_parts(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)
    wordy = "very " * 300
    for call in range(8):
        likings = tuple(
            ProvidedFact(
                subject="user", predicate="PREFERS", object=f"Thing{call}-{n}", statement=f"{wordy} {call} {n}."
            )
            for n in range(60)
        )
        message = a_message(f"Call {call}.", minute=call)
        await memory.remember(TenantId(tenant), an_incoming(messages=(message,), facts=likings))
    text = await unread_text(graph, tenant)
    assert text is not None
    assert 0 < len(text.changed) < 8
    assert text.more
    await worker.drain()
    assert len(await facts_of(graph, tenant)) == 8 * 60
