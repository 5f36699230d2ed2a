"""Test the local Neo4j: sharing, refusing, stopping with its owner, restarting."""

import asyncio
import fcntl
import json
import os
import signal
import stat
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import neo4j
import platformdirs
import psutil
import pytest
import pytest_asyncio

from extraction.verified_files import hashed, write_record
from graph_service.graph.local_neo4j.class_archive import UNUSED_MAX_S, ClassArchive, class_archive, drop_unused
from graph_service.graph.local_neo4j.jar_cache import ensure_jars
from graph_service.graph.local_neo4j.launch_settings import QUICK_COMPILER_ONLY, launch_settings
from graph_service.graph.local_neo4j.local_server import LocalServer, find_local_server
from graph_service.graph.local_neo4j.owner import Owner, ProcessMark, read_owner, write_owner
from graph_service.observability.progress import Step
from schema.errors import ConflictError, InstallError
from tests.support.neo4j_server import start_local_server

CACHE_DIR = Path(platformdirs.user_cache_dir("mnemoscene"))
START_MAX_S = 180.0
OTHER_PROCESS = """
import asyncio, json, sys
from pathlib import Path
from tests.support.neo4j_server import start_local_server

async def main():
    server = await start_local_server(data_dir=Path(sys.argv[1]), cache_dir=Path(sys.argv[2]), start_timeout_s=180)
    print(json.dumps({"uri": server.uri, "owned": server.owned}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()

asyncio.run(main())
"""


async def start(data_dir: Path, **options: object) -> LocalServer:
    return await start_local_server(
        data_dir=data_dir,
        cache_dir=CACHE_DIR,
        start_timeout_s=START_MAX_S,
        **options,  # type: ignore[arg-type]  # the tests name one option at a time
    )


async def other_process(data_dir: Path) -> asyncio.subprocess.Process:
    """Start another Python that starts or shares the server, and stops it when its stdin ends."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        OTHER_PROCESS,
        str(data_dir),
        str(CACHE_DIR),
        cwd=Path(__file__).parents[3],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def reported(process: asyncio.subprocess.Process) -> dict[str, object]:
    assert process.stdout is not None
    got: dict[str, object] = json.loads(await asyncio.wait_for(process.stdout.readline(), START_MAX_S))
    return got


async def ask(server: LocalServer, query: str) -> object:
    """Return the single value of a query."""
    async with neo4j.AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        records = (await driver.execute_query(neo4j.Query(query))).records
        return records[0][0] if records else None


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a path with spaces and Chinese characters."""
    return tmp_path_factory.mktemp("local") / "my data 记忆"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def served(data_dir: Path) -> AsyncIterator[LocalServer]:
    server = await start(data_dir)
    yield server
    await server.stop()


async def test_started_server_accepts_its_password(served: LocalServer, data_dir: Path) -> None:
    assert served.owned
    assert await ask(served, "RETURN 1 AS one") == 1
    with pytest.raises(neo4j.exceptions.AuthError):
        async with neo4j.AsyncGraphDatabase.driver(served.uri, auth=("neo4j", "neo4j")) as driver:
            await driver.verify_connectivity()


def test_password_file_is_private(served: LocalServer, data_dir: Path) -> None:
    assert stat.S_IMODE((data_dir / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert served.password not in repr(served)


async def test_second_process_shares_the_server(served: LocalServer, data_dir: Path) -> None:
    second = await other_process(data_dir)
    assert {"uri": served.uri, "owned": False} == await reported(second)
    await asyncio.wait_for(second.communicate(b""), START_MAX_S)
    assert await ask(served, "RETURN 1 AS one") == 1, "leaving must not stop a shared server"


async def test_locked_store_without_owner_record_is_refused(served: LocalServer, data_dir: Path) -> None:
    """A record may be lost, or be of another host that mounts the same volume."""
    owner = read_owner(data_dir)
    assert owner is not None
    (data_dir / "owner.json").unlink()
    with pytest.raises(ConflictError, match="locked by a process without a record"):
        await start(data_dir)
    write_owner(data_dir, owner)
    assert find_local_server(data_dir) is not None


@pytest.mark.slow
async def test_concurrent_starts_share_one_server_that_ends_with_its_owner(tmp_path: Path) -> None:
    starters = [await other_process(tmp_path), await other_process(tmp_path)]
    got = [await reported(starter) for starter in starters]
    assert len({answer["uri"] for answer in got}) == 1
    assert sorted(bool(answer["owned"]) for answer in got) == [False, True]
    found, record = find_local_server(tmp_path), read_owner(tmp_path)
    assert found is not None
    assert record is not None
    await ask(found, "CREATE (:Survivor {name: '茶'})")
    server = psutil.Process(record.server.pid)

    psutil.Process(record.starter.pid).kill()
    await asyncio.to_thread(server.wait, START_MAX_S)
    assert find_local_server(tmp_path) is None
    for starter in starters:
        await starter.communicate(b"")

    after = await start(tmp_path)
    assert after.owned
    assert await ask(after, "MATCH (n:Survivor) RETURN n.name") == "茶"

    # Then Java is killed while its owner lives: stopping is harmless, and the next start recovers.
    record = read_owner(tmp_path)
    assert record is not None
    os.kill(record.server.pid, signal.SIGKILL)
    await after.stop()
    again = await start(tmp_path)
    assert await ask(again, "MATCH (n:Survivor) RETURN n.name") == "茶"
    await again.stop()
    assert find_local_server(tmp_path) is None
    await again.stop()


@pytest.mark.slow
async def test_owner_killed_during_start_does_not_delay_the_next_start(
    tmp_path: Path,
) -> None:
    """Regression: its server was recorded only when it answered, so the next start found the store locked by an unknown
    process."""
    starter = await other_process(tmp_path)
    async with asyncio.timeout(START_MAX_S):
        while (record := read_owner(tmp_path)) is None:
            assert starter.returncode is None
            await asyncio.wait([asyncio.create_task(starter.wait())], timeout=0.02)
    assert (record.uri, find_local_server(tmp_path)) == ("", None)
    starter.kill()
    await starter.wait()
    server = await start(tmp_path)
    assert await ask(server, "RETURN 1 AS one") == 1
    assert record.server.process() is None
    await server.stop()


@pytest.mark.slow
async def test_orphan_that_cannot_close_its_store_is_killed(tmp_path: Path) -> None:
    """A stopped process simulates one that hangs; waiting for it counts towards the start."""
    starter = await other_process(tmp_path)
    await reported(starter)
    record = read_owner(tmp_path)
    assert record is not None
    found = find_local_server(tmp_path)
    assert found is not None
    await ask(found, "CREATE (:Survivor {name: '茶'})")
    os.kill(record.server.pid, signal.SIGSTOP)
    starter.kill()
    await starter.wait()
    stages: list[str] = []
    server = await start(tmp_path, on_progress=lambda step: stages.append(step.doing))
    assert record.server.process() is None
    assert stages == ["starting Neo4j", "Neo4j is running"]
    assert await ask(server, "MATCH (n:Survivor) RETURN n.name") == "茶"
    await server.stop()


async def test_server_starting_in_another_process_is_awaited_not_killed(tmp_path: Path) -> None:
    """The record says "starting" and nobody holds the lock: a start that claims it would kill that server."""
    sleeps = [await asyncio.create_subprocess_exec("sleep", "600") for _ in range(2)]
    starter, server = (ProcessMark.of(process.pid) for process in sleeps)
    write_owner(tmp_path, Owner(starter=starter, server=server, uri=""))
    waiting = asyncio.Event()
    task = asyncio.create_task(
        start(tmp_path, on_progress=lambda step: waiting.set() if step.doing.startswith("waiting") else None)
    )
    await asyncio.wait_for(waiting.wait(), START_MAX_S)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [process.returncode for process in sleeps] == [None, None]
    for process in sleeps:
        process.kill()
        await process.wait()


def test_lasting_server_uses_both_compilers_and_the_same_archive(tmp_path: Path) -> None:
    jars = (tmp_path / "a.jar",)
    quick, lasting = (
        launch_settings(tmp_path, jars, heap_mb=64, page_cache_mb=8, new_password=None, lasting=one)["java_options"]
        for one in (False, True)
    )
    assert set(quick) ^ set(lasting) == {QUICK_COMPILER_ONLY}
    assert QUICK_COMPILER_ONLY in quick


def test_archives_unused_for_a_month_are_deleted(tmp_path: Path) -> None:
    archives = [ClassArchive(tmp_path / f"{name}.aot", ()) for name in ("left", "used", "new")]
    for archive in archives:
        archive.path.touch()
        write_record(archive.path, {"archive": f"{hashed(archive.path)[0]}|"})
        archive.path.with_suffix(".log").touch()
    for archive in archives[:2]:
        os.utime(archive.path, (0, time.time() - UNUSED_MAX_S - 60))
    assert archives[1].java_options() == (f"-XX:AOTCache={archives[1].path}",)
    drop_unused(tmp_path, now_s=time.time())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.aot", "new.log", "used.aot", "used.log"]


def test_class_archive_without_record_is_not_used(tmp_path: Path) -> None:
    archive = ClassArchive(tmp_path / "planted.aot", ())
    archive.path.write_bytes(b"code")
    assert archive.java_options() == ()
    archive.path.write_bytes(b"ours")
    write_record(archive.path, {"archive": f"{hashed(archive.path)[0]}|"})
    assert archive.java_options() == archive.java_options() == (f"-XX:AOTCache={archive.path}",)
    state = archive.path.stat()
    archive.path.write_bytes(b"evil")
    os.utime(archive.path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert archive.java_options() == ()


def test_java_loads_no_jar_from_the_data_directory(tmp_path: Path) -> None:
    """Neo4j loads each jar of its plugins folder, which may have come with a data directory."""
    folders = set()
    for _ in range(2):
        launch_settings(tmp_path, (tmp_path / "a.jar",), heap_mb=64, page_cache_mb=8, new_password=None)
        (line,) = [line for line in (tmp_path / "neo4j.conf").read_text().splitlines() if "directories.plugins" in line]
        folders.add(line.partition("=")[2])
    assert len(folders) == 2, "a name that nobody knows before"
    assert not any((tmp_path / folder).exists() for folder in folders)


def test_owner_record_with_a_remote_address_is_ignored(tmp_path: Path) -> None:
    me = ProcessMark.of(os.getpid())
    (tmp_path / "password").write_text("secret", encoding="utf-8")
    write_owner(tmp_path, Owner(starter=me, server=me, uri="bolt://203.0.113.7:7687"))
    assert find_local_server(tmp_path) is None


@pytest.mark.slow
async def test_broken_class_archive_is_deleted_and_the_start_succeeds(tmp_path: Path) -> None:
    jars = ensure_jars(CACHE_DIR / "jars")
    (tmp_path / "jars").symlink_to(CACHE_DIR / "jars")
    archive = class_archive(tmp_path, tuple(tmp_path / "jars" / jar.name for jar in jars))
    archive.path.parent.mkdir()
    archive.path.write_bytes(b"not an archive" * 1000)
    write_record(archive.path, {"archive": f"{hashed(archive.path)[0]}|"})
    # Mark a build as tried, so that the test does not leave one running.
    archive.tried_path.touch()
    steps: list[Step] = []
    server = await start_local_server(
        data_dir=tmp_path / "data", cache_dir=tmp_path, start_timeout_s=START_MAX_S, on_progress=steps.append
    )
    assert await ask(server, "RETURN 1 AS one") == 1
    await server.stop()
    assert not archive.path.exists()
    assert [step.doing for step in steps] == ["starting Neo4j", "Neo4j is running"]


async def test_unwritable_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InstallError, match=r"file/data.*cannot be used.*writable"):
        await start(tmp_path / "file" / "data")


async def test_cancelled_start_leaves_no_process(tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children()}
    started = asyncio.Event()
    task = asyncio.create_task(
        start(tmp_path, on_progress=lambda step: started.set() if step.doing.startswith("starting") else None)
    )
    await asyncio.wait_for(started.wait(), START_MAX_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The start lock is free once the starting thread has stopped its child.
    await asyncio.wait_for(asyncio.to_thread(_wait_for_lock, tmp_path / "start.lock"), START_MAX_S)
    assert {child.pid for child in psutil.Process().children()} <= before
    assert find_local_server(tmp_path) is None


def test_owner_record_of_an_ended_process_is_stale(tmp_path: Path) -> None:
    """Process ids are reused: the start time distinguishes the old process from the new one."""
    me = ProcessMark.of(os.getpid())
    before_me = ProcessMark(pid=me.pid, started_s=me.started_s - 3600)
    write_owner(tmp_path, Owner(starter=before_me, server=me, uri="bolt://127.0.0.1:1"))
    (tmp_path / "password").write_text("secret", encoding="utf-8")
    assert find_local_server(tmp_path) is None
    write_owner(tmp_path, Owner(starter=me, server=me, uri="bolt://127.0.0.1:1"))
    assert find_local_server(tmp_path) is not None


def test_malformed_owner_record_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "owner.json").write_text('{"starter": {"pid": 1', encoding="utf-8")
    assert read_owner(tmp_path) is None


def _wait_for_lock(path: Path) -> None:
    with path.open("rb") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
