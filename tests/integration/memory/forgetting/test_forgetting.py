"""Test that forgetting messages leaves the graph as if they had never been said."""

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.ingest.validation import RememberRequest
from graph_service.memory.jobs.outbox import DeadLetters, JobKind, SessionJobs
from schema.errors import NotFoundError
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.worker.test_crash import change_numbers, comparable_graph
from tests.support.builders import a_memory, a_message, a_worker, an_incoming
from tests.support.slow import slow_but

# (session, minute, text): a day or more apart, so that sessions do not affect the facts.
Line = tuple[str, int, str]
DAY = 24 * 60
ENGLISH: list[Line] = [
    ("s1", 0, "I live in Paris."),
    ("s1", 1, "My sister Anna works at Acme."),
    ("s1", 2, "I love jasmine tea."),
    ("s2", DAY, "I live in Oslo now."),
    ("s2", DAY + 1, "I love jasmine tea and hiking."),
    ("s1", 2 * DAY, "I live in Paris."),
    ("s1", 2 * DAY + 1, "Anna loves jasmine tea."),
]
CHINESE: list[Line] = [
    ("s1", 0, "我住在北京。"),
    ("s1", 1, "我妹妹张丽在腾讯工作。"),
    ("s1", 2, "我很喜欢弹钢琴。"),
    ("s2", DAY, "我现在住在上海。"),
    ("s2", DAY + 1, "我很喜欢弹钢琴和爬山。"),
    ("s1", 2 * DAY, "我住在北京。"),
    ("s1", 2 * DAY + 1, "张丽喜欢弹钢琴。"),
]
EVERY_LINE = [(story, place) for story in (ENGLISH, CHINESE) for place in range(len(ENGLISH))]
EVERY_SESSION = [(story, session) for story in (ENGLISH, CHINESE) for session in ("s1", "s2")]


async def store_lines(
    graph: Graph, tenant: str, lines: Sequence[Line], *, user: str = "alice", at_once: bool = False
) -> None:
    """Store the lines in one call each, reading each before the next, or all at the end."""
    for session, minute, text in lines:
        incoming = RememberRequest(
            user_id=user, session_id=session, messages=(a_message(text, minute=minute, id=f"{minute}"),)
        )
        await a_memory(graph).remember(TenantId(tenant), incoming)
        if not at_once:
            await a_worker(graph).drain()
    await a_worker(graph).drain()


async def memory_of(graph: Graph, tenant: str) -> list[str]:
    """Return the whole graph of a tenant except the jobs that the deletion created."""
    return [row for row in await comparable_graph(graph, tenant) if row != "['work', 'reextract', 'done', None, None]"]


async def by_id(graph: Graph, tenant: str, line: Line) -> str:
    async with graph._driver.session() as session:
        query = "MATCH (m:Message {tenant: $tenant, text: $text, said_at: $at}) RETURN m.id"
        found = await session.run(query, tenant=tenant, text=line[2], at=a_message(minute=line[1]).time)
        return str((await found.fetch(1))[0][0])


async def forget_message(graph: Graph, tenant: str, line: Line) -> ForgetResult:
    done = await a_memory(graph).forgetting.message(TenantId(tenant), await by_id(graph, tenant, line))
    await a_worker(graph).drain()
    return done


@pytest.mark.parametrize(("story", "place"), slow_but(EVERY_LINE[::8], EVERY_LINE))
async def test_forgotten_message_leaves_the_graph_as_if_never_said(
    graph: Graph, tenant: str, story: list[Line], place: int
) -> None:
    never = f"{tenant}-never"
    await store_lines(graph, never, [line for index, line in enumerate(story) if index != place])
    await store_lines(graph, tenant, story)
    done = await forget_message(graph, tenant, story[place])
    assert done.messages == 1
    assert await memory_of(graph, tenant) == await memory_of(graph, never)
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))


@pytest.mark.parametrize(
    ("session", "story"),
    slow_but([("s2", CHINESE)], itertools.product(["s1", "s2"], [ENGLISH, CHINESE])),
)
async def test_forgotten_session_leaves_the_graph_as_if_never_held(
    graph: Graph, tenant: str, story: list[Line], session: str
) -> None:
    never = f"{tenant}-never"
    await store_lines(graph, never, [line for line in story if line[0] != session])
    await store_lines(graph, tenant, story)
    done = await a_memory(graph).forgetting.session(TenantId(tenant), "alice", session)
    await a_worker(graph).drain()
    assert done.messages == len([line for line in story if line[0] == session])
    assert await memory_of(graph, tenant) == await memory_of(graph, never)
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.session(TenantId(tenant), "alice", session)


async def test_forgotten_scene_deletes_its_messages(graph: Graph, tenant: str) -> None:
    never, memory = f"{tenant}-never", a_memory(graph)
    await store_lines(graph, never, ENGLISH[3:])
    await store_lines(graph, tenant, ENGLISH)
    snapshot = await memory.mindmap.snapshot(TenantId(tenant), user_id=None, budget=1000)
    first = min((node for node in snapshot.nodes if node.kind == "Scene"), key=lambda node: node.first_seen)
    done = await memory.forgetting.scene(TenantId(tenant), first.id)
    await a_worker(graph).drain()
    assert (done.messages, done.scenes) == (3, 1)
    assert await memory_of(graph, tenant) == await memory_of(graph, never)
    with pytest.raises(NotFoundError):
        await memory.forgetting.scene(TenantId(tenant), first.id)


async def test_provided_facts_are_deleted_with_their_message(graph: Graph, tenant: str) -> None:
    def brought(place: int, thing: str) -> ProvidedFact:
        words = f"Alice cares about {thing}."
        return ProvidedFact(
            subject="user", predicate="CARES_ABOUT", object=thing, statement=words, message_indexes=(place,)
        )

    messages = tuple(a_message(f"Well, number {place}.", minute=place, id=f"{place}") for place in range(2))
    facts = (brought(0, "green energy"), brought(1, "old trams"))
    call = RememberRequest(user_id="alice", session_id="s1", messages=messages, facts=facts, summary="About both.")
    receipt = await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()
    done = await a_memory(graph).forgetting.message(TenantId(tenant), receipt.uris[0])
    await a_worker(graph).drain()
    rows = "\n".join(await comparable_graph(graph, tenant))
    assert done.facts == 1
    assert "old trams" in rows
    assert "green energy" not in rows
    assert "About both" not in rows


async def test_forgotten_message_sent_again_is_stored_again(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH)
    before = await memory_of(graph, tenant)
    await forget_message(graph, tenant, ENGLISH[2])
    await store_lines(graph, tenant, ENGLISH[2:3])
    assert await memory_of(graph, tenant) == before
    await forget_message(graph, tenant, ENGLISH[-1])
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.message(TenantId(tenant), "nothing-of-that-name")


async def test_forgetting_messages_of_another_tenant_is_refused(graph: Graph, tenant: str) -> None:
    other, forgetting = f"{tenant}-other", a_memory(graph).forgetting
    await store_lines(graph, tenant, ENGLISH)
    await store_lines(graph, other, CHINESE[:1], user="zoe")
    before = await memory_of(graph, tenant)
    snapshot = await a_memory(graph).mindmap.snapshot(TenantId(tenant), user_id=None, budget=1000)
    scene = next(node.id for node in snapshot.nodes if node.kind == "Scene")
    for attempt in (
        forgetting.message(TenantId(other), await by_id(graph, tenant, ENGLISH[0])),
        forgetting.scene(TenantId(other), scene),
        forgetting.session(TenantId(other), "alice", "s1"),
    ):
        with pytest.raises(NotFoundError):
            await attempt
    assert await memory_of(graph, tenant) == before


async def test_session_forgotten_before_it_is_read_again_leaves_no_dead_letter(
    graph: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, forgetting, claim = TenantId(tenant), a_memory(graph).forgetting, SessionJobs.claim
    receipt = await a_memory(graph).remember(here, an_incoming("I live in Paris.", "I love jasmine tea."))
    await a_worker(graph).drain()

    async def claim_after(jobs: SessionJobs, of: TenantId, session: str, kind: JobKind, *, even_if_done: bool) -> Any:
        with contextlib.suppress(NotFoundError):
            if even_if_done:
                await forgetting.session(here, "alice", "s1")
        return await claim(jobs, of, session, kind, even_if_done=even_if_done)

    await forgetting.message(here, receipt.message_ids[0])
    monkeypatch.setattr(SessionJobs, "claim", claim_after)
    await a_worker(graph).drain()
    assert await DeadLetters(graph).listed(here) == []
