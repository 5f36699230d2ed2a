"""Test that messages are spooled while Neo4j is unavailable and replayed in order."""

import asyncio
import contextlib
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.memory.forgetting.user import begin_user_erasure
from graph_service.memory.ingest import episode_writer as intake
from graph_service.memory.ingest.spool import Spool, SpoolDepth, SpoolState, episodes_in
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.ingest.validation import check_request
from graph_service.memory.recall.query import Question
from graph_service.memory.tombstones import TombstoneKind, ensure_tombstone_key, tombstone_id
from schema.errors import ConflictError, NotFoundError, UnavailableError
from schema.ids import TenantId, UserId, memory_id, user_uri
from schema.message import Episode, ProvidedFact
from tests.conftest import Server
from tests.integration.memory.worker.crash_story import STORY
from tests.integration.memory.worker.test_crash import change_numbers, comparable_graph
from tests.support.builders import a_dead_graph, a_job_context, a_memory, a_message, a_worker, an_incoming
from tests.support.tcp_proxy import tcp_proxy

_ROOT = Path(__file__).parents[4]
MB = 2**20


@pytest_asyncio.fixture(loop_scope="session")
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    """Return an empty spool."""
    opened = Spool(tmp_path / "spool.sqlite3", bytes_max=MB)
    yield opened
    await opened.close()


def _replay(graph: Graph, spool: Spool) -> Replay:
    return Replay(graph=graph, spool=spool, job_context=a_job_context())


async def _whole(graph: Graph, tenant: str) -> list[str]:
    for call in STORY:
        await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()
    return await comparable_graph(graph, tenant)


async def test_outage_leaves_the_same_graph_as_no_outage(
    server: Server, graph: Graph, tenant: str, spool: Spool
) -> None:
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        uri = f"bolt://127.0.0.1:{cable.port}"
        far = await connect(uri=uri, user=server.user, password=server.password, database=None)
        memory = a_memory(far, spool=spool)
        first = await memory.remember(TenantId(tenant), STORY[0])
        await cable.cut()
        away = [await memory.remember(TenantId(tenant), call) for call in STORY[1:]]
        assert [first.spooled, *(receipt.spooled for receipt in away)] == [False, True, True]
        assert not await _replay(far, spool).flush()
        await cable.mend(urlsplit(server.uri).port or 0)
        assert await _replay(far, spool).flush()
        await far.close()
    assert await spool.depth() == SpoolDepth(waiting=0, refused=0)
    await a_worker(graph).drain()
    assert await comparable_graph(graph, tenant) == await _whole(graph, f"{tenant}-whole")
    numbers = await change_numbers(graph, tenant)
    assert numbers == list(range(1, len(numbers) + 1))


async def test_request_fails_fast_while_the_database_is_unavailable(tenant: str, spool: Spool) -> None:
    dead = a_dead_graph()
    memory = a_memory(dead, spool=spool)
    await memory.remember(TenantId(tenant), an_incoming("I love tea."))
    started_s = time.monotonic()
    for minute in range(10):
        await memory.remember(TenantId(tenant), an_incoming(f"Minute {minute} passed."))
        assert (await memory.recall(TenantId(tenant), Question(user_id="alice", text="tea"))).degraded
    # Waiting for the database in each of the twenty calls would take longer.
    assert time.monotonic() - started_s < 15
    assert (await spool.depth(TenantId(tenant))).waiting == 11
    await dead.close()


async def test_kill_right_after_the_acknowledgement_loses_nothing(graph: Graph, tenant: str, tmp_path: Path) -> None:
    path = tmp_path / "spool.sqlite3"
    command = [sys.executable, "-m", "tests.integration.memory.ingest.spool_child", str(path), tenant]
    child = await asyncio.create_subprocess_exec(*command, cwd=_ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await child.communicate()
    assert (child.returncode, said.split()) == (-9, [b"True"] * len(STORY))
    spool = Spool(path, bytes_max=MB)
    assert path.stat().st_mode & 0o077 == 0
    await _replay(graph, spool).flush()
    await spool.close()
    await a_worker(graph).drain()
    assert await comparable_graph(graph, tenant) == await _whole(graph, f"{tenant}-whole")


async def test_later_messages_of_a_user_are_spooled_behind_earlier_ones(
    graph: Graph, tenant: str, spool: Spool
) -> None:
    """Order is guaranteed within a user, so nobody else waits, neither in this tenant nor in another."""
    dead = a_dead_graph()
    await a_memory(dead, spool=spool).remember(TenantId(tenant), an_incoming("先说的话。", session="一"))
    await dead.close()
    memory = a_memory(graph, spool=spool)
    assert (await memory.remember(TenantId(tenant), an_incoming("后说的话。", session="二"))).spooled
    assert not (await memory.remember(TenantId(tenant), an_incoming("Hello.", user="bob"))).spooled
    assert not (await memory.remember(TenantId(f"{tenant}-other"), an_incoming("Hello."))).spooled
    listed = (await memory.spool.status(TenantId(tenant))).episodes
    assert [one.episode.messages[0].text for one in listed] == ["先说的话。", "后说的话。"]
    assert (await memory.spool.status(TenantId(f"{tenant}-other"))).episodes == ()
    await _replay(graph, spool).flush()
    assert not (await memory.remember(TenantId(tenant), an_incoming("Later.", session="3"))).spooled


@pytest.mark.slow
async def test_many_episodes_of_many_sessions_are_replayed_in_few_commits_in_order(
    graph: Graph, tenant: str, tmp_path: Path
) -> None:
    spool, dead, other = Spool(tmp_path / "many.sqlite3", bytes_max=64 * MB), a_dead_graph(), f"{tenant}-one-by-one"
    calls = [
        an_incoming(
            messages=(a_message(f"Word {number} of {number % 7}.", id=f"m{number}"),),
            user=f"user-{number % 3}",
            session=f"s{number % 7}",
            user_name=("Ana" if number % 2 else None),
        )
        for number in range(250)
    ]
    away = a_memory(dead, spool=spool)
    for call in calls:
        await away.remember(TenantId(tenant), call)
        await a_memory(graph).remember(TenantId(other), call)
    commits = Counter[str]()
    replay = Replay(graph=graph, spool=spool, job_context=a_job_context(on_step=lambda step: commits.update([step])))
    assert await replay.flush()
    assert (await spool.depth(), commits["replay stored"]) == (SpoolDepth(waiting=0, refused=0), 2)
    assert await comparable_graph(graph, tenant) == await comparable_graph(graph, other)
    assert await change_numbers(graph, tenant) == list(range(1, len(await change_numbers(graph, tenant)) + 1))
    for session in range(7):
        told = await said_in(graph, tenant, f"s{session}")
        assert told == sorted(told, key=lambda text: int(text.split()[1]))
    await spool.close()
    await dead.close()


async def said_in(graph: Graph, tenant: str, session: str) -> list[str]:
    """Return the messages of a session in the order of their storage."""
    query = (
        "MATCH (s:Session {tenant: $tenant, session_id: $session})"
        " MATCH (m:Message {tenant: $tenant, session_id: s.id}) RETURN m.text AS text ORDER BY m.received_at"
    )
    async with graph.reading() as reading:
        result = await reading.run(query, {"tenant": tenant, "session": session})
        return [row["text"] async for row in result]


async def test_conflicting_episode_in_a_batch_does_not_block_the_others(
    graph: Graph, tenant: str, spool: Spool
) -> None:
    whose, dead = TenantId(tenant), a_dead_graph()
    await a_memory(graph).remember(whose, an_incoming(messages=(a_message("I love tea.", id="m1"),)))
    away = a_memory(dead, spool=spool)
    for number in range(5):
        await away.remember(whose, an_incoming(f"Before {number}.", session=f"b{number}"))
    await away.remember(whose, an_incoming(messages=(a_message("I hate tea.", id="m1"),)))
    for number in range(5):
        await away.remember(whose, an_incoming(f"After {number}.", session=f"a{number}"))
    assert await _replay(graph, spool).flush()
    assert await spool.depth(whose) == SpoolDepth(waiting=0, refused=1)
    assert ((await spool.listed(whose))[0].error or "").startswith("CONFLICT: ")
    assert await said_in(graph, tenant, "a4") == ["After 4."]
    await dead.close()


@pytest.mark.parametrize("body", ["{", '{"of": "another version"}', None, b"\x00\xff"])
async def test_unreadable_row_is_put_aside_and_blocks_nothing(
    graph: Graph, tenant: str, tmp_path: Path, body: object
) -> None:
    path, whose, dead = tmp_path / "spool.sqlite3", TenantId(tenant), a_dead_graph()
    spool = Spool(path, bytes_max=MB)
    away = a_memory(dead, spool=spool)
    await away.remember(whose, an_incoming("The first."))
    await away.remember(whose, an_incoming("The second.", session="s2"))
    await away.remember(TenantId(f"{tenant}-other"), an_incoming("Of another tenant."))
    await spool.close()
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        # A column of type text would hide what a damaged file may contain.
        file.execute("UPDATE episodes SET body = ? WHERE number = 1", ("" if body is None else body,))
    spool = Spool(path, bytes_max=MB)
    assert await _replay(graph, spool).flush()
    assert await spool.depth() == SpoolDepth(waiting=0, refused=1)
    (aside,) = (await a_memory(graph, spool=spool).spool.status(whose)).episodes
    assert ((aside.error or "").partition(":")[0], aside.episode.user_id) == ("UNREADABLE", "alice")
    assert await said_in(graph, tenant, "s2") == ["The second."]
    rows, _ = await spool.newest(whose, "alice", episodes_max=5, chars_max=MB)
    assert list(episodes_in(rows)) == []
    assert await spool.forget(whose, user_id="alice") == 0
    assert await spool.depth() == SpoolDepth(waiting=0, refused=0), "what cannot be read is forgotten with its user"
    await spool.close()
    await dead.close()


async def test_damaged_page_of_the_spool_file_blocks_nobody(graph: Graph, tenant: str, tmp_path: Path) -> None:
    """The long text of the first row is on pages of its own; the rest of the file can be read."""
    path, whose, dead = tmp_path / "spool.sqlite3", TenantId(tenant), a_dead_graph()
    spool = Spool(path, bytes_max=MB)
    away = a_memory(dead, spool=spool)
    await away.remember(whose, an_incoming("x" * 40_000, user="carol"))
    await away.remember(whose, an_incoming("The second.", session="s2"))
    await spool.close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        file.execute("PRAGMA journal_mode = DELETE").fetchall()
    raw = bytearray(path.read_bytes())
    page = raw.index(b"x" * 4_000) // 4096
    # An overflow page starts with the number of the next one.
    raw[page * 4096 : page * 4096 + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(raw))
    spool = Spool(path, bytes_max=MB)
    await _replay(graph, spool).flush()
    assert await said_in(graph, tenant, "s2") == ["The second."]
    assert not await spool.has_waiting(whose, "alice")
    await spool.close()
    await dead.close()


async def test_episode_that_always_fails_is_put_aside_while_others_are_stored(
    graph: Graph, tenant: str, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates a bug for one user's text: a TypeError instead of an expected error."""
    whose, dead = TenantId(tenant), a_dead_graph()
    away = a_memory(dead, spool=spool)
    await away.remember(whose, an_incoming("Poison.", user="carol"))
    await away.remember(whose, an_incoming("Behind it.", user="carol", session="s2"))
    await away.remember(whose, an_incoming("Of another user.", session="s3"))
    as_it_was = intake._parameters

    def fails(episode: Episode, epoch: str) -> dict[str, Any]:
        if episode.messages[0].text == "Poison.":
            raise TypeError("Poison.")
        return as_it_was(episode, epoch)

    monkeypatch.setattr(intake, "_parameters", fails)
    replay = _replay(graph, spool)
    assert not await replay.flush()
    assert await said_in(graph, tenant, "s3") == ["Of another user."]
    assert await said_in(graph, tenant, "s2") == [], "what a user said later waits behind what they said before"
    while not await replay.flush():
        assert (await spool.depth()).waiting
    assert await spool.depth() == SpoolDepth(waiting=0, refused=1)
    error = (await spool.listed(whose))[0].error or ""
    assert (error.startswith("INTERNAL: TypeError"), "Poison" in error) == (True, False)
    assert await said_in(graph, tenant, "s2") == ["Behind it."]
    await dead.close()


async def test_episodes_of_a_user_being_forgotten_wait_and_others_do_not(
    graph: Graph, tenant: str, spool: Spool
) -> None:
    whose, memory = TenantId(tenant), a_memory(graph, spool=spool)
    for user in ("alice", "bob"):
        await memory.remember(whose, an_incoming("Said before.", user=user))
    await begin_forgetting(graph, whose, "alice")
    assert (await memory.remember(whose, an_incoming("Said meanwhile.", session="s2"))).spooled
    dead = a_dead_graph()
    await a_memory(dead, spool=spool).remember(whose, an_incoming("Of Bob.", user="bob", session="s3"))
    await a_memory(dead, spool=spool).remember(TenantId(f"{tenant}-other"), an_incoming("Of others.", session="s4"))
    await dead.close()
    replay = _replay(graph, spool)
    for _ in range(8):
        assert not await replay.flush()
    assert (await said_in(graph, tenant, "s3"), await said_in(graph, f"{tenant}-other", "s4")) == (
        ["Of Bob."],
        ["Of others."],
    )
    (waiting,) = await spool.listed(whose)
    assert (waiting.state, waiting.failures) == (SpoolState.WAITING, 0)
    await a_worker(graph).drain()
    assert await replay.flush()
    assert await said_in(graph, tenant, "s2") == ["Said meanwhile."]
    assert await spool.depth() == SpoolDepth(waiting=0, refused=0)


async def begin_forgetting(graph: Graph, tenant: TenantId, user_id: str) -> None:
    """Mark that a user is being forgotten, as a service does that crashes right afterwards."""
    user = memory_id(user_uri(tenant, UserId(user_id)))
    now_ms = round(datetime.now(UTC).timestamp() * 1000)
    salt = (await ensure_tombstone_key(graph, tenant, "salt")).salt
    mark = {
        "id": tombstone_id(salt, TombstoneKind.USER, user),
        "kind": TombstoneKind.USER.value,
        "user_node_id": user,
        "at_ms": now_ms,
    }
    await begin_user_erasure(graph, tenant, UserId(user_id), user, mark, now_ms=now_ms)


async def test_crash_within_a_replayed_batch_stores_nothing_twice(graph: Graph, tenant: str, tmp_path: Path) -> None:
    dead = a_dead_graph()
    for place in ("replay loaded", "replay stored", "replay removed"):
        spool, whose = Spool(tmp_path / f"{place}.sqlite3", bytes_max=MB), f"{tenant}-{place[7:]}"
        for call in STORY:
            await a_memory(dead, spool=spool).remember(TenantId(whose), call)

        def end(step: str, place: str = place) -> None:
            if step == place:
                raise _ProcessKilledError

        with pytest.raises(_ProcessKilledError):
            await Replay(graph=graph, spool=spool, job_context=a_job_context(on_step=end)).flush()
        await spool.close()
        spool = Spool(tmp_path / f"{place}.sqlite3", bytes_max=MB)
        assert await _replay(graph, spool).flush()
        await spool.close()
        await a_worker(graph).drain()
        assert await comparable_graph(graph, whose) == await _whole(graph, f"{whose}-whole")
    await dead.close()


class _ProcessKilledError(BaseException):
    """The end of a process at a step; nothing catches it."""


async def test_one_tenant_can_use_only_half_of_the_spool(tenant: str, tmp_path: Path) -> None:
    path, dead = tmp_path / "spool.sqlite3", a_dead_graph()
    spool = Spool(path, bytes_max=4 * MB)
    memory, greedy, modest = a_memory(dead, spool=spool), TenantId(tenant), TenantId(f"{tenant}-modest")

    numbers = count()

    async def fill() -> tuple[int, str]:
        kept = 0
        while True:
            try:
                await memory.remember(greedy, an_incoming("x" * 50_000, session=f"s{next(numbers)}"))
            except UnavailableError as error:
                return kept, error.message
            kept += 1

    kept, why = await fill()
    assert (20 <= kept <= 42, "its share" in why, "spool.mb_max" in why) == (True, True, True)
    await memory.remember(modest, an_incoming("There is room for others."))
    gone = await spool.forget(greedy, session_id="s3")
    assert (gone, (await fill())[0]) == (1, 1), "what goes makes room"
    await spool.close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        counted = dict(file.execute("SELECT tenant, sum(length(CAST(body AS BLOB))) FROM episodes GROUP BY tenant"))
        assert dict(file.execute("SELECT tenant, bytes FROM shares")) == counted
    await dead.close()


async def test_concurrent_writes_share_a_commit(tenant: str, tmp_path: Path) -> None:
    """Fifty concurrent callers: each acknowledgement is durable, with far fewer writes to disk."""
    dead, spool = a_dead_graph(), Spool(tmp_path / "spool.sqlite3", bytes_max=8 * MB)
    await spool.put(an_episode(tenant, "the first makes the file"))
    commits: list[str] = []
    file = spool._file()
    file.set_trace_callback(lambda text: commits.append(text) if text == "COMMIT" else None)
    await asyncio.gather(*(spool.put(an_episode(tenant, f"word {number}")) for number in range(200)))
    assert (await spool.depth()).waiting == 201
    assert len(commits) < 100
    await spool.close()
    await dead.close()


def an_episode(tenant: str, text: str) -> Episode:
    incoming = an_incoming(text, session=text)
    return check_request(TenantId(tenant), incoming, now=datetime.now(UTC)).episode


async def test_episode_refused_by_neo4j_is_put_aside_and_blocks_nothing(
    graph: Graph, tenant: str, spool: Spool
) -> None:
    whose, other = TenantId(tenant), TenantId(f"{tenant}-other")
    await a_memory(graph).remember(whose, an_incoming(messages=(a_message("I love tea.", id="m1"),)))
    clash, dead = an_incoming(messages=(a_message("I hate tea.", id="m1"),)), a_dead_graph()
    away = a_memory(dead, spool=spool)
    await away.remember(whose, clash)
    await away.remember(whose, an_incoming("I love Oslo."))
    assert await _replay(graph, spool).flush()
    assert await spool.depth(whose) == SpoolDepth(waiting=0, refused=1)
    refused = (await spool.listed(whose))[0]
    assert "another text" in (refused.error or "")
    with pytest.raises(ConflictError):
        await away.remember(whose, clash)
    with pytest.raises(NotFoundError):
        await away.spool.drop(other, refused.number)
    await away.spool.retry(whose, refused.number)
    await _replay(graph, spool).flush()
    assert await spool.depth(whose) == SpoolDepth(waiting=0, refused=1)
    await away.spool.drop(whose, refused.number)
    assert await spool.depth(whose) == SpoolDepth(waiting=0, refused=0)
    await dead.close()


async def test_paused_spool_keeps_its_episodes_over_a_restart(graph: Graph, tenant: str, tmp_path: Path) -> None:
    path, dead = tmp_path / "spool.sqlite3", a_dead_graph()
    first = Spool(path, bytes_max=MB)
    memory = a_memory(dead, spool=first)
    await memory.remember(TenantId(tenant), an_incoming("I love tea."))
    await memory.spool.pause(True)
    await first.close()
    again = Spool(path, bytes_max=MB)
    await _replay(graph, again).flush()
    assert (await again.depth()).waiting == 1
    await again.pause(False)
    await _replay(graph, again).flush()
    assert (await again.depth()).waiting == 0
    await again.close()
    await dead.close()


async def test_full_spool_raises_and_stores_nothing(tenant: str, tmp_path: Path) -> None:
    dead, spool = a_dead_graph(), Spool(tmp_path / "spool.sqlite3", bytes_max=100_000)
    memory = a_memory(dead, spool=spool)
    with pytest.raises(UnavailableError, match=r"spool\.mb_max"):
        await memory.remember(TenantId(tenant), an_incoming("x" * 90_000))
    assert (await spool.depth()).waiting == 0
    await spool.close()
    await dead.close()


async def test_repeated_call_is_spooled_once(tenant: str, spool: Spool) -> None:
    dead = a_dead_graph()
    memory = a_memory(dead, spool=spool)
    receipts = [await memory.remember(TenantId(tenant), STORY[0]) for _ in range(2)]
    assert [(receipt.stored, receipt.repeated) for receipt in receipts] == [(3, 0), (0, 3)]
    assert (await spool.depth()).waiting == 1
    await dead.close()


async def test_forgetting_deletes_spooled_messages(tenant: str, spool: Spool) -> None:
    """Of one tenant only, together with facts whose evidence was a forgotten message."""
    fact = ProvidedFact(subject="user", predicate="PREFERS", object="tea", statement="Alice likes tea.")
    dead, whose, other = a_dead_graph(), TenantId(tenant), TenantId(f"{tenant}-other")
    memory = a_memory(dead, spool=spool)
    told = await memory.remember(whose, an_incoming("I love tea.", "I live in Oslo.", facts=(fact,), summary="Tea."))
    await memory.remember(whose, an_incoming("A secret.", user="bob"))
    await memory.remember(other, an_incoming("I love tea.", "I live in Oslo."))
    assert await spool.forget(whose, message_ids=[told.message_ids[0]]) == 1
    left = (await spool.listed(whose))[0].episode
    assert ([m.text for m in left.messages], left.facts, left.summary) == (["I live in Oslo."], (), None)
    assert await spool.forget(whose, user_id="bob") == 1
    assert await spool.forget(whose, user_id="alice", session_id="s1") == 1
    assert await spool.depth(whose) == SpoolDepth(waiting=0, refused=0)
    assert (await spool.depth(other)).waiting == 1
    await dead.close()
