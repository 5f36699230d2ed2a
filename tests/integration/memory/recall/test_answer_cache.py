"""Test that repeated questions get the kept answer, and never an outdated one."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.answer_cache import AnswerCache, answer_key
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.embedders import HashedWords

TEA = Question(user_id="alice", text="Which tea does she love?", kinds=(HitKind.MESSAGE,))
SEARCH, LOOK = "recall/recall", "schema/ping"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 4, 12, 0, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def a_keeping_memory(graph: Graph, clock: Clock | None = None, **more: Any) -> Memory:
    """Return a Memory that keeps answers, whose clock stands still."""
    return Memory(
        graph=graph,
        embedder=HashedWords(),
        clock=clock or Clock(),
        notify=lambda _tenant: None,
        answers_bytes_max=2**20,
        **more,
    )


@contextmanager
def sent(graph: Graph) -> Iterator[list[str]]:
    """Collect the names of the statements that are sent in the block."""
    names: list[str] = []
    graph.observer = lambda statement: names.append(statement.name)
    try:
        yield names
    finally:
        graph.observer = None


async def asked(graph: Graph, memory: Memory, tenant: str, question: Question = TEA) -> tuple[list[str], list[str]]:
    """Return the texts of the hits, and the statements that finding them took."""
    with sent(graph) as names:
        answer = await memory.recall(TenantId(tenant), question)
    return [hit.candidate.text for hit in answer.hits], names


async def asked_until_kept(graph: Graph, memory: Memory, tenant: str, question: Question = TEA) -> list[str]:
    """Return the texts of a kept answer; another test run may write to the same database meanwhile."""
    async with asyncio.timeout(120):
        while (found := await asked(graph, memory, tenant, question))[1] != [LOOK]:
            assert SEARCH in found[1]
    return found[0]


async def filled(graph: Graph, tenant: str) -> Memory:
    """Return a memory with one message, whose database is at rest."""
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    memory = a_keeping_memory(graph)
    await graph.position()
    return memory


async def test_a_repeated_question_is_answered_without_a_search(graph: Graph, tenant: str) -> None:
    memory = await filled(graph, tenant)
    assert await asked(graph, memory, tenant) == (["I love jasmine tea."], [SEARCH])
    assert await asked_until_kept(graph, memory, tenant) == ["I love jasmine tea."]
    other = replace(TEA, limit=1)
    assert (await asked(graph, memory, tenant, other))[1] == [SEARCH]


async def test_a_write_of_another_process_makes_it_invalid(graph: Graph, tenant: str) -> None:
    """The writer shares nothing with the memory that keeps the answer; also before anything is extracted."""
    memory = await filled(graph, tenant)
    await asked_until_kept(graph, memory, tenant)
    new = a_message("I love mint tea, too.", minute=5)
    await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(new,), session="s2"))
    texts, names = await asked(graph, memory, tenant)
    assert names[-1] == SEARCH
    assert "I love mint tea, too." in texts
    await a_worker(graph).drain()
    facts = replace(TEA, kinds=(HitKind.FACT,))
    found = (await asked(graph, memory, tenant, facts))[0]
    assert any("mint" in text for text in found)


async def test_what_was_forgotten_is_in_no_kept_answer(graph: Graph, tenant: str) -> None:
    memory = await filled(graph, tenant)
    answer = await memory.recall(TenantId(tenant), TEA)
    await asked_until_kept(graph, memory, tenant)
    await a_memory(graph).forgetting.message(TenantId(tenant), answer.hits[0].candidate.id)
    assert (await asked(graph, memory, tenant))[0] == []


async def test_tenants_and_users_do_not_share_answers(graph: Graph, tenant: str) -> None:
    memory = await filled(graph, tenant)
    await asked(graph, memory, tenant)
    assert await asked(graph, memory, f"{tenant}-2") == ([], [SEARCH])
    assert await asked(graph, memory, tenant, replace(TEA, user_id="bob")) == ([], [SEARCH])
    assert await asked_until_kept(graph, memory, tenant) == ["I love jasmine tea."]
    assert await asked_until_kept(graph, memory, f"{tenant}-2") == []


@pytest.mark.parametrize("text", ["Which tea did I love today?", "我今天喝了什么茶？", "What tea before the wedding?"])
async def test_a_question_that_depends_on_the_clock_is_always_searched(graph: Graph, tenant: str, text: str) -> None:
    memory = await filled(graph, tenant)
    question = replace(TEA, text=text)
    for _ in range(2):
        assert SEARCH in (await asked(graph, memory, tenant, question))[1]


async def test_an_answer_is_not_used_in_another_minute(graph: Graph, tenant: str) -> None:
    """A fact may begin or end meanwhile."""
    clock = Clock()
    await filled(graph, tenant)
    memory = a_keeping_memory(graph, clock)
    await asked(graph, memory, tenant)
    clock.now += timedelta(seconds=40)
    await asked_until_kept(graph, memory, tenant)
    clock.now += timedelta(seconds=20)
    assert (await asked(graph, memory, tenant))[1] == [SEARCH]


async def test_times_of_a_question_have_answers_of_their_own(graph: Graph, tenant: str) -> None:
    memory = await filled(graph, tenant)
    before = replace(TEA, as_of=NOON - timedelta(days=1))
    assert (await asked(graph, memory, tenant))[0] == ["I love jasmine tea."]
    assert (await asked(graph, memory, tenant, before))[0] == []
    assert (await asked(graph, memory, tenant, before))[0] == []
    assert (await asked(graph, memory, tenant))[0] == ["I love jasmine tea."]


async def test_kept_answers_are_bounded_for_each_tenant(graph: Graph, tenant: str) -> None:
    memory = await filled(graph, tenant)
    answer = await memory.recall(TenantId(tenant), TEA)
    cache = AnswerCache(graph, bytes_max=20_000)
    position, now = await graph.position(), Clock().now
    for whose, number in [*((tenant, number) for number in range(100)), (f"{tenant}-2", 0)]:
        cache.keep(
            TenantId(whose), answer_key(replace(TEA, text=f"tea {number}"), ()), answer, position=position, now=now
        )
    assert 1 <= cache.kept_n(TenantId(tenant)) < 10
    assert cache.kept_n(TenantId(f"{tenant}-2")) == 1
    none = AnswerCache(graph, bytes_max=0)
    none.keep(TenantId(tenant), answer_key(TEA, ()), answer, position=position, now=now)
    assert none.kept_n(TenantId(tenant)) == 0


async def test_an_answer_without_the_database_or_the_embedder_is_not_kept(graph: Graph, tenant: str) -> None:
    cache, position, now = AnswerCache(graph, bytes_max=2**20), await graph.position(), Clock().now
    for answer in (
        Answer(hits=(), search_path=(), notes=(), degraded=True),
        Answer(hits=(), search_path=(), notes=(), complete=False),
    ):
        cache.keep(TenantId(tenant), "key", answer, position=position, now=now)
        assert await cache.get(TenantId(tenant), "key", now=now) is None
