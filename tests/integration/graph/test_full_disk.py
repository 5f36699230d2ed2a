"""Test disks that are really full: of the database, the spool, the audit log and a backup.

Each disk is a small tmpfs filled by a file; the tests are skipped without the right to mount one.
"""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph_service.admin.backup import back_up
from graph_service.auth.audit import FILE_NAME, AuditEntry, AuditLog, read_audit_log
from graph_service.graph.local_neo4j.owner import read_owner
from graph_service.memory.export_import.staging import NO_TENANT, temporary_staging
from graph_service.memory.ingest.spool import Spool
from schema.errors import InstallError, UnavailableError
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_dead_graph, a_memory, an_incoming
from tests.support.cli_process import Home
from tests.support.open_service import open_service
from tests.support.polling import until

MB = 2**20
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored spooled } }"
RECALL = 'query($q: String!) { recall(userId: "ana", query: $q) { hits { text } } }'
WORDS = ("I keep the spare key under the blue flowerpot.", "备用钥匙在蓝色花盆下面。", "My sister moved to Oslo.")


class Disk:
    """A small disk mounted at a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Fill the disk to the last byte."""
        with self._filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(64 * 1024))
        with self._filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x")

    def free(self) -> None:
        """Free space again."""
        self._filler.unlink()


@contextlib.contextmanager
def small_disk(folder: Path, *, mb: int) -> Iterator[Disk]:
    folder.mkdir(parents=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mb}m", "tmpfs", str(folder)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("a small tmpfs cannot be mounted here; it takes root")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_full_database_disk_loses_nothing_and_needs_no_restart(tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    with (
        small_disk(tmp_path / "data/neo4j", mb=300) as disk,
        home.running("serve", "--port", "0", "--no-browser", "--json") as service,
    ):
        address = str(service.document()["viewer"]).rstrip("/")
        with httpx.Client(base_url=address, timeout=60) as client:

            def ask(query: str, **variables: Any) -> Any:
                answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
                assert "errors" not in answer, answer
                return answer["data"]

            def say(turn: int) -> Any:
                said = {"userId": "ana", "sessionId": f"s{turn}", "messages": [{"role": "USER", "text": WORDS[turn]}]}
                return ask(REMEMBER, input=said)["remember"]

            def state() -> Any:
                return client.get("/ready").json()

            assert say(0)["stored"] == 1
            # On a busy machine Neo4j may have been too slow, and the message waited in the spool.
            until(lambda: state()["ready"] and state()["spool"]["waiting"] == 0)
            before = read_owner(tmp_path / "data")
            assert before is not None
            disk.fill()
            assert say(1) == {"stored": 1, "spooled": True}
            until(lambda: state()["neo4j"] == "broken")
            assert client.get("/ready").status_code == 503
            assert "Neo.DatabaseError" in state()["neo4j_problem"]
            assert say(2) == {"stored": 1, "spooled": True}
            assert ask(RECALL, q=WORDS[1])["recall"]["hits"], "what waits on disk is found meanwhile"
            assert client.get("/health").status_code == 200
            disk.free()
            until(lambda: client.get("/ready").status_code == 200)
            until(lambda: state()["spool"] == {"waiting": 0, "refused": 0, "paused": False})

            def found(words: str) -> bool:
                return words in [hit["text"] for hit in ask(RECALL, q=words)["recall"]["hits"]]

            # On a busy machine the first statements of a new Neo4j may still be planned.
            for words in WORDS:
                until(lambda words=words: found(words))  # type: ignore[misc]
            until(lambda: not any(loop["state"] == "failing" for loop in state()["loops"].values()))
            until(lambda: "open" not in jobs_left(client))
            assert jobs_left(client) == set()
            after = read_owner(tmp_path / "data")
            assert after is not None
            assert after.server.pid != before.server.pid, "Neo4j itself works again only after a new start"


def jobs_left(client: httpx.Client) -> set[str]:
    """Return the states of unfinished jobs, except embedding jobs, which wait for an embedder that is not there."""
    page = client.get("/metrics").text
    # While Neo4j is unavailable or plans its statements, the page lists no jobs.
    found = set() if "mnemoscene_neo4j_up 1.0" in page else {"open"}
    for line in page.splitlines():
        if line.startswith("mnemoscene_jobs{") and 'kind="embed"' not in line and not line.endswith(" 0.0"):
            found.add(line.partition('state="')[2].partition('"')[0])
    return found


async def test_full_spool_disk_refuses_and_stores_nothing_partially(tenant: str, tmp_path: Path) -> None:
    dead = a_dead_graph()
    with small_disk(tmp_path / "spool", mb=2) as disk:
        spool = Spool(disk.folder / "spool.sqlite3", bytes_max=64 * MB)
        memory = a_memory(dead, spool=spool)
        assert (await memory.remember(TenantId(tenant), an_incoming("Before."))).spooled
        disk.fill()
        for turn in range(3):
            with pytest.raises(UnavailableError, match=r"check the disk; nothing was stored"):
                await memory.remember(TenantId(tenant), an_incoming("x" * 90_000, session=f"full-{turn}"))
        assert (await spool.depth()).waiting == 1
        disk.free()
        assert (await memory.remember(TenantId(tenant), an_incoming("After.", session="s2"))).spooled
        listed = await spool.listed(TenantId(tenant))
        assert [one.episode.messages[0].text for one in listed] == ["Before.", "After."]
        await spool.close()
        again = Spool(disk.folder / "spool.sqlite3", bytes_max=64 * MB)
        assert (await again.depth()).waiting == 2
        await again.close()
    await dead.close()


async def test_spool_that_cannot_be_created_refuses_and_works_later(tenant: str, tmp_path: Path) -> None:
    dead = a_dead_graph()
    with small_disk(tmp_path / "spool", mb=2) as disk:
        spool = Spool(disk.folder / "spool.sqlite3", bytes_max=64 * MB)
        memory = a_memory(dead, spool=spool)
        disk.fill()
        with pytest.raises(UnavailableError, match="check the disk"):
            await memory.remember(TenantId(tenant), an_incoming("Too early."))
        disk.free()
        assert (await memory.remember(TenantId(tenant), an_incoming("In time."))).spooled
        await spool.close()
    await dead.close()


async def test_audit_line_on_a_full_disk_is_lost_and_the_next_is_complete(tmp_path: Path) -> None:
    deed = AuditEntry(at=datetime.now(UTC), who="ana", tenant="t", interface="graphql", what=("remember",))
    with small_disk(tmp_path / "audit", mb=1) as disk:
        log = AuditLog(disk.folder, bytes_max=64 * MB)
        assert await log.write(deed)
        disk.fill()
        # Some bytes of a line may still fit into the last page; the line is cut there.
        assert [await log.write(deed) for _ in range(60)][-1] is False
        assert "No space left" in (log.problem or "")
        disk.free()
        assert await log.write(deed)
        assert log.problem is None
        whole = read_audit_log(disk.folder, tenant=None, rows_max=100)
        assert whole[-1]["what"] == ["remember"]
        lines = (disk.folder / FILE_NAME).read_text("utf-8").splitlines()
        assert json.loads(lines[0])
        assert json.loads(lines[-1])


@pytest.mark.slow
async def test_full_audit_log_disk_fails_no_request(server: Server, tenant: str, tmp_path: Path) -> None:
    """The write is committed by then; an error response would make the caller repeat it."""
    with small_disk(tmp_path / "data", mb=4) as disk:
        async with open_service(server, disk.folder) as service:
            key = await service.key(tenant)
            headers = {"Mnemoscene-Tenant": tenant}
            try:
                async with service.client(key.text, **headers) as client:
                    disk.fill()
                    for turn in range(40):
                        said = {
                            "userId": "ana",
                            "sessionId": "s",
                            "messages": [{"role": "USER", "text": f"Turn {turn}."}],
                        }
                        body = {"query": REMEMBER, "variables": {"input": said}}
                        answer = (await client.post("/graphql", json=body)).json()
                        assert answer["data"] == {"remember": {"stored": 1, "spooled": False}}
                    told = (await client.get("/ready")).json()
                    # Requests succeed, but a full disk is reported: the next one may need the spool.
                    assert (told["ready"], told["degraded"], told["disk"]["state"]) == (False, True, "full")
                    assert "No space left" in told["audit_problem"]
                    disk.free()
                    body["variables"]["input"]["sessionId"] = "s2"  # type: ignore[index]
                    await client.post("/graphql", json=body)
                    assert (await client.get("/ready")).json()["audit_problem"] is None
            finally:
                await service.forget_keys()


def test_backup_on_a_full_disk_leaves_no_file(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "neo4j").mkdir(parents=True)
    (data / "neo4j/store.db").write_bytes(os.urandom(8 * MB))
    (data / "password").write_bytes(b"hush")
    with small_disk(tmp_path / "disk", mb=2) as disk:
        with pytest.raises(InstallError, match=r"No space left.*nothing was left behind"):
            back_up(data, disk.folder / "memories.tar.gz")
        assert list(disk.folder.iterdir()) == []


def test_full_disk_of_temporary_files_is_named_and_no_spool_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data/neo4j").mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "data/spool.sqlite3")) as spool:
        spool.executescript(f"CREATE TABLE episodes (body); INSERT INTO episodes VALUES (zeroblob({2 * MB}))")
    with small_disk(tmp_path / "temporary", mb=1) as disk:
        monkeypatch.setattr("tempfile.tempdir", str(disk.folder))
        with pytest.raises(InstallError, match=r"could not be copied to .*/temporary/.* full"):
            back_up(tmp_path / "data", tmp_path / "memories.tar.gz")
        rows = [{"node": "User", "properties": {"id": f"{number}", "name": "x" * 1_000}} for number in range(2_000)]
        with (
            pytest.raises(UnavailableError, match=r"temporary could not be written.* TMPDIR"),
            temporary_staging(source=NO_TENANT, target=TenantId("t")) as staging,
        ):
            staging.add(rows)
        assert list(disk.folder.iterdir()) == []


def test_full_disk_of_the_output_is_no_bug(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "graph_service", "db", "status"]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, env=Home(tmp_path, {}).environ)
    assert (done.returncode, "No space left on device" in done.stderr, "bug" in done.stderr) == (7, True, False)
