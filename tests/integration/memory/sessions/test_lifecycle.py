"""Test the states of a session: active, closing, indexing, extracting, closed."""

import asyncio
from datetime import UTC, datetime

import pytest

from extraction.reader import ProposedFact, Quote, Reading, SceneText
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.sessions.lifecycle import close_idle
from graph_service.memory.worker.worker import WorkerRules
from schema.errors import InputError, NotFoundError, UnavailableError
from schema.ids import TenantId
from schema.session import CloseReason, SessionState
from tests.support.builders import a_job_context, a_memory, a_message, a_worker, an_incoming, delete_open_jobs
from tests.support.readers import read_with_tags


@pytest.fixture(autouse=True)
async def no_pending_jobs(graph: Graph) -> None:
    """Delete the jobs of other tests, which the workers here would run and count."""
    await delete_open_jobs(graph)


class CountingReader:
    """A reader that finds one fact in each scene and records its lines; unavailable when told so."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []
        self.away = False

    async def __call__(self, scene: SceneText) -> Reading:
        if self.away:
            raise UnavailableError("the model is away; it will be asked again")
        self.seen.append(tuple(line.text for line in scene.lines))
        fact = ProposedFact(
            subject="@user", predicate="PREFERS", object="tea", statement="likes tea", quotes=(Quote(line=0),)
        )
        return Reading(reader="counting", facts=(fact,))

    def readers(self) -> Readers:
        return Readers(first=self, fallback=read_with_tags, waits_for_ripe=True)


async def test_closed_session_went_through_every_state_in_order(graph: Graph, tenant: str) -> None:
    memory, states = a_memory(graph), []
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea.", "我喜欢弹钢琴。"))
    states.append((await memory.sessions.one(TenantId(tenant), "alice", "s1")).state)
    states.append((await memory.sessions.close(TenantId(tenant), "alice", "s1")).state)
    reached: list[str] = []
    await a_worker(graph, job_context=a_job_context(on_step=reached.append)).drain()
    closed = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert states == [SessionState.ACTIVE, SessionState.CLOSING]
    steps = [step for step in reached if step.startswith("close ")]
    assert steps == ["close claimed", "close indexing", "close extracting", "close summarised", "close committed"]
    assert (closed.state, closed.close_reason, closed.messages) == (SessionState.CLOSED, CloseReason.REQUEST, 2)
    assert (closed.unread, closed.unembedded, closed.unextracted) == (0, 0, 0)
    assert closed.closed_at is not None


async def test_closing_twice_or_after_the_end_changes_nothing(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)
    await memory.remember(TenantId(tenant), an_incoming())
    for _ in range(2):
        await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await worker.drain()
    before = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    again = await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await worker.drain()
    assert again == before == await memory.sessions.one(TenantId(tenant), "alice", "s1")


async def test_new_message_makes_a_closed_session_active(graph: Graph, tenant: str) -> None:
    memory, worker = a_memory(graph), a_worker(graph)
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await worker.drain()
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    assert (await memory.sessions.one(TenantId(tenant), "alice", "s1")).state is SessionState.CLOSED, "a repetition"
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea.", "And hiking."))
    again = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (again.state, again.close_reason, again.closed_at) == (SessionState.ACTIVE, None, None)


async def test_message_during_closing_keeps_the_session_open(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea.", "And hiking."))
    await a_worker(graph).drain()
    open_still = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (open_still.state, open_still.unread, open_still.problem) == (SessionState.ACTIVE, 0, None)


async def test_only_idle_sessions_are_closed(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming())
    await close_idle(graph, idle_s=3600, now=datetime.now(UTC))
    assert (await memory.sessions.one(TenantId(tenant), "alice", "s1")).state is SessionState.ACTIVE
    # Each call closes a limited number, and other tests leave sessions behind.
    while await close_idle(graph, idle_s=0, now=datetime.now(UTC)):
        pass
    idle = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (idle.state, idle.close_reason) == (SessionState.CLOSING, CloseReason.IDLE)


async def test_running_worker_closes_idle_sessions(graph: Graph, tenant: str) -> None:
    memory, stop = a_memory(graph), asyncio.Event()
    await memory.remember(TenantId(tenant), an_incoming())
    worker = a_worker(graph, rules=WorkerRules(idle_s=0.2, poll_s=0.1))
    running = asyncio.create_task(worker.run(stop))
    try:
        async with asyncio.timeout(20):
            while (await memory.sessions.one(TenantId(tenant), "alice", "s1")).state is not SessionState.CLOSED:  # noqa: ASYNC110  another task's doing
                await asyncio.sleep(0.05)
    finally:
        stop.set()
        await running


async def test_shutdown_closes_the_sessions_of_the_process(graph: Graph, tenant: str) -> None:
    memory, other = a_memory(graph), a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(session="mine"))
    await other.remember(TenantId(tenant), an_incoming(session="theirs"))
    await memory.sessions.close_active()
    states = {view.session_id: view.state for view in await memory.sessions.latest(TenantId(tenant), "alice")}
    assert states == {"mine": SessionState.CLOSING, "theirs": SessionState.ACTIVE}


async def test_scene_is_read_once_however_its_messages_arrived(graph: Graph, tenant: str) -> None:
    reader, memory = CountingReader(), a_memory(graph)
    worker = a_worker(graph, readers=reader.readers())
    texts = ["Hello there.", "I love tea.", "你好。", "And Anna does too."]
    for number in range(1, len(texts) + 1):
        await memory.remember(TenantId(tenant), an_incoming(*texts[:number]))
        await worker.drain()
    waiting = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    # The local reader has read the scene at once; the model waits until it is complete.
    assert (reader.seen, waiting.scenes, waiting.unextracted) == ([], 1, 0)
    later = a_message("Good morning.", minute=600)
    await memory.remember(TenantId(tenant), an_incoming(messages=(later,)))
    await worker.drain()
    assert reader.seen == [tuple(texts)], "a later scene has begun, so the first one is read"
    latest = a_message("I moved to Porto.", minute=1200)
    await memory.remember(TenantId(tenant), an_incoming(messages=(latest,)))
    await worker.drain()
    assert reader.seen == [tuple(texts)], "small talk is left to the local reader"
    await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await worker.drain()
    assert reader.seen == [tuple(texts), ("I moved to Porto.",)]
    done = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (done.state, done.scenes, done.unextracted) == (SessionState.CLOSED, 3, 0)


async def test_session_closes_without_an_unavailable_model_that_reads_it_later(graph: Graph, tenant: str) -> None:
    reader, memory = CountingReader(), a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("I love tea."))
    await memory.sessions.close(TenantId(tenant), "alice", "s1")
    reader.away = True
    worker = a_worker(graph, readers=reader.readers())
    while await worker.run_one():
        pass
    closed = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (closed.state, closed.problem, closed.unextracted) == (SessionState.CLOSED, None, 0)
    events = await memory.fact_events(TenantId(tenant), "alice", "s1", first=10)
    assert {event.read_by for event in events} == {"rules"}, "the facts of the local reader stand"
    assert reader.seen == []
    reader.away = False
    await worker.drain()
    done = await memory.sessions.one(TenantId(tenant), "alice", "s1")
    assert (done.state, done.problem, reader.seen) == (SessionState.CLOSED, None, [("I love tea.",)])


async def test_other_tenants_and_users_neither_see_nor_close_a_session(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming())
    for of, user in ((f"{tenant}-other", "alice"), (tenant, "bob")):
        assert await memory.sessions.latest(TenantId(of), user) == []
        with pytest.raises(NotFoundError, match="no session"):
            await memory.sessions.close(TenantId(of), user, "s1")
    assert (await memory.sessions.one(TenantId(tenant), "alice", "s1")).state is SessionState.ACTIVE


async def test_invalid_ids_are_refused_with_every_reason(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    with pytest.raises(InputError, match=r"userId is empty.*sessionId contains a control"):
        await memory.sessions.close(TenantId(tenant), " ", "s\n1")
    with pytest.raises(InputError, match="limit is 0"):
        await memory.sessions.latest(TenantId(tenant), "alice", limit=0)
