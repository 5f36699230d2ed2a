"""Test texts of scenes and sessions, which are generated lazily and only after changes."""

from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import unquote

import pytest
import pytest_asyncio

from extraction.extractive_summary import OVERVIEW_TOKENS_MAX
from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.list_cursors import ListName, encode_cursor
from graph_service.memory.service import Memory
from graph_service.memory.summaries.service import SAID_CHARS_MAX, Level
from graph_service.memory.worker.worker import Worker
from schema.errors import InputError, NotFoundError
from schema.ids import TenantId, user_uri
from tests.benchmarks.layer_calls import LONG, READ, TOLD, a_model_worker, count_calls
from tests.support.builders import a_memory, a_message, a_worker, an_incoming, delete_open_jobs
from tests.support.fake_openai import FakeOpenAI, fails, says

TALK_EN = ["I moved to Lisbon in May.", "I love the trams there.", "My sister Ana lives near the river."]
TALK_ZH = ["我五月搬到了里斯本。", "我很喜欢那里的电车。", "我姐姐安娜住在河边。"]


@pytest_asyncio.fixture(autouse=True)
async def no_pending_jobs(graph: Graph) -> None:
    """Delete the jobs of other tests: a worker serves all tenants, and their scenes must not reach these endpoints."""
    await delete_open_jobs(graph)


def memory_with(graph: Graph, worker: Worker) -> Memory:
    """Return the Memory of a process with this worker."""
    memory = a_memory(graph)
    memory.layers.refresh = worker.refresh_layers
    return memory


async def session_of(memory: Memory, tenant: str, *texts: str, **more: Any) -> str:
    """Store messages; return the URI of their session."""
    return (await memory.remember(TenantId(tenant), an_incoming(*texts, **more))).session_uri


@pytest.mark.parametrize("talk", [TALK_EN, TALK_ZH], ids=["en", "zh"])
async def test_each_level_of_a_scene_and_a_session_is_returned(graph: Graph, tenant: str, talk: list[str]) -> None:
    worker = a_worker(graph)
    memory = memory_with(graph, worker)
    session = await session_of(memory, tenant, *talk)
    # Nothing was read yet: requesting the text generates it.
    told = await memory.layers.layer(TenantId(tenant), f"{session}#L0")
    assert (told.level, told.generated_by, told.uri) == (Level.L0, "extractive", f"{session}#L0")
    assert 0 < told.tokens <= 100
    overview = await memory.layers.layer(TenantId(tenant), session)
    assert overview.text.startswith("## ")
    assert overview.tokens <= OVERVIEW_TOKENS_MAX
    lines = (await memory.layers.layer(TenantId(tenant), session, Level.L2)).text.splitlines()
    assert [line.partition("user: ")[2] for line in lines] == talk


async def test_texts_of_a_scene_are_renewed_on_request(graph: Graph, tenant: str) -> None:
    worker = a_worker(graph)
    memory = memory_with(graph, worker)
    texts = [f"My {word} garden has tulips." for word in ("red", "blue", "old", "new", "wide", "small")]
    session = await session_of(memory, tenant, *texts, "I decided to sell the last garden.")
    await worker.drain()
    snapshot = await memory.mindmap.snapshot(TenantId(tenant), user_id=None, budget=100)
    (scene_id,) = [node.id for node in snapshot.nodes if node.kind == "Scene"]
    stored = await memory.layers._row(TenantId(tenant), scene_id)
    assert stored is not None
    assert stored["texts"]["behind"]
    assert "last garden" not in stored["texts"]["overview"]
    await memory.layers.layer(TenantId(tenant), session)
    told = await memory.layers._row(TenantId(tenant), scene_id)
    assert told is not None
    assert not told["texts"]["behind"]
    assert "last garden" in told["texts"]["overview"]


async def test_session_of_many_scenes_is_summarised_scene_by_scene(graph: Graph, tenant: str) -> None:
    worker = a_worker(graph)
    memory = memory_with(graph, worker)
    messages = tuple(a_message(text, minute=90 * place) for place, text in enumerate(TALK_EN))
    session = await session_of(memory, tenant, messages=messages)
    told = await memory.layers.layer(TenantId(tenant), session)
    assert told.text.count("\n### 2026-03-01 ") == 3
    assert "Lisbon" in told.text
    await memory.sessions.close(TenantId(tenant), "alice", "s1")
    await worker.drain()
    report = await memory.layers.generate(TenantId(tenant), user_id=None, session_id=None)
    assert (report.sessions, report.unchanged) == (1, 1)


async def test_only_changed_sessions_cost_a_call(graph: Graph, tenant: str) -> None:
    counted = await count_calls(graph, TenantId(tenant), sessions=20, changed=2)
    assert (counted.first, counted.then, counted.unchanged) == (20, 2, 0)


async def test_overview_that_the_model_failed_to_write_is_written_on_request(graph: Graph, tenant: str) -> None:
    with FakeOpenAI(says(READ), fails(500), says(TOLD)) as fake:
        worker = await a_model_worker(graph, fake)
        memory = memory_with(graph, worker)
        await session_of(memory, tenant, LONG)
        await memory.sessions.close(TenantId(tenant), "alice", "s1")
        await worker.drain()
        snapshot = await memory.mindmap.snapshot(TenantId(tenant), user_id=None, budget=100)
        (scene_id,) = [node.id for node in snapshot.nodes if node.kind == "Scene"]
        before = await memory.layers._row(TenantId(tenant), scene_id)
        assert before is not None
        assert before["texts"]["overview_by"] == "extractive"
        report = await memory.layers.generate(TenantId(tenant), user_id="alice", session_id="s1")
        after = await memory.layers._row(TenantId(tenant), scene_id)
        assert after is not None
        assert (report.created, after["texts"]["overview_by"]) == (1, "fake")


async def test_full_text_of_a_long_session_is_returned_in_parts(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    # The first three have the same time, so that only their positions distinguish them.
    texts = [f"part {number} {letter * 69_000}" for number, letter in enumerate("abcdefg")]
    messages = tuple(a_message(text, minute=max(place, 2)) for place, text in enumerate(texts))
    session = await session_of(memory, tenant, messages=messages)
    told, after, parts = list[str](), None, 0
    while parts == 0 or after is not None:
        part = await memory.layers.layer(TenantId(tenant), session, Level.L2, after=after)
        lines = part.text.splitlines()
        assert len(part.text) <= SAID_CHARS_MAX + 1_000
        assert lines[-1].startswith("[cut here, more was said") == (part.next_cursor is not None)
        told += lines[:-1] if part.next_cursor else lines
        after, parts = part.next_cursor, parts + 1
    assert [line.partition("user: ")[2] for line in told] == texts
    assert parts == 4
    with pytest.raises(InputError, match="not a cursor of lines"):
        await memory.layers.layer(TenantId(tenant), session, Level.L2, after="bad")
    with pytest.raises(InputError, match="other texts have one page"):
        await memory.layers.layer(
            TenantId(tenant), session, Level.L1, after=encode_cursor(ListName.LINES, 1, 1, "none")
        )


async def test_texts_of_another_tenant_are_not_found(graph: Graph, tenant: str) -> None:
    memory = memory_with(graph, a_worker(graph))
    session = await session_of(memory, tenant, *TALK_EN)
    with pytest.raises(NotFoundError):
        await memory.layers.layer(TenantId(f"{tenant}-other"), session)
    report = await memory.layers.generate(TenantId(f"{tenant}-other"), user_id=None, session_id=None)
    assert report.sessions == 0


async def test_entities_categories_and_the_longest_ids_are_read_by_their_uris(graph: Graph, tenant: str) -> None:
    memory, whose, user = memory_with(graph, a_worker(graph)), TenantId(tenant), "用" * 200
    said = a_message("I love jasmine tea. My driving test was on 3 March 2026.", id="息" * 200, zone="Asia/Shanghai")
    receipt = await memory.remember(whose, an_incoming(messages=(said,), user=user, session="会" * 200))
    await memory.sessions.close(whose, user, "会" * 200)
    await a_worker(graph).drain()
    for uri in (receipt.session_uri, unquote(receipt.session_uri), f"{receipt.uris[0]}/"):
        assert "jasmine tea" in (await memory.layers.layer(whose, uri, Level.L2)).text
    message = await memory.layers.layer(whose, unquote(receipt.uris[0]))
    assert (message.zone, message.start is not None) == ("Asia/Shanghai", True)
    assert (message.mentioned_start or datetime.max.replace(tzinfo=UTC)).date() <= date(2026, 3, 3)
    [session] = await memory.nodes.named(whose, user, ["jasmine tea"])
    for level in Level:
        entity = await memory.layers.layer(whose, session.uri, level)
        assert (entity.title, "jasmine tea" in entity.text) == ("jasmine tea", True)
    owner = user_uri(tenant, user)
    preferences = await memory.layers.layer(whose, f"{owner}/profile/preferences", Level.L2)
    assert (preferences.uri, "jasmine tea" in preferences.text) == (f"{owner}/profile/preferences#L2", True)
    assert "jasmine tea" not in (await memory.layers.layer(whose, f"{owner}/profile/work", Level.L2)).text
    for uri in (entity.uri, preferences.uri):
        with pytest.raises(NotFoundError):
            await memory.layers.layer(TenantId(f"{tenant}-other"), uri)


async def test_invalid_uris_are_refused_with_the_reason(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    with pytest.raises(InputError, match="#L0, #L1, #L2"):
        await memory.layers.layer(TenantId(tenant), "memory://x/session/a/b#L7")
    with pytest.raises(NotFoundError, match="no scene, session, message, user, agent, entity or fact"):
        await memory.layers.layer(TenantId(tenant), "memory://x/session/a/b")
    with pytest.raises(InputError, match="userId"):
        await memory.layers.generate(TenantId(tenant), user_id=None, session_id="s1")
    with pytest.raises(NotFoundError, match="sessions"):
        await memory.layers.generate(TenantId(tenant), user_id="alice", session_id="s1")


@pytest.mark.parametrize("secret", ["The code of the vault is heliotrope.", "保险柜的密码是天芥菜。"], ids=["en", "zh"])
async def test_forgotten_message_is_in_no_text_of_its_session(graph: Graph, tenant: str, secret: str) -> None:
    worker = a_worker(graph)
    memory = memory_with(graph, worker)
    receipt = await memory.remember(TenantId(tenant), an_incoming("I moved to Lisbon in May.", secret))
    assert secret in (await memory.layers.layer(TenantId(tenant), receipt.session_uri)).text
    await memory.forgetting.message(TenantId(tenant), receipt.message_ids[1])
    lives = Statement(
        name="test/lives",
        text="MATCH (l:SessionLifecycle {tenant: $tenant}) RETURN properties(l) AS life",
        parameters=frozenset({"tenant"}),
        columns=("life",),
        hot=False,
    )
    (row,) = await graph.read(lives, {"tenant": tenant})
    assert secret not in str(row)
    told = await memory.layers.layer(TenantId(tenant), receipt.session_uri)
    assert ("Lisbon" in told.text, secret in told.text) == (True, False)
