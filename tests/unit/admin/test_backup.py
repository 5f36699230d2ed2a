"""Test that backup and restore are atomic and verified."""

import gzip
import io
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from graph_service.admin.backup import back_up, restore
from graph_service.graph.local_neo4j.owner import _still_exists, try_lock
from schema.errors import ConflictError, InputError, InstallError

CHILD = Path(__file__).with_name("backup_child.py")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Return a data directory as a service leaves it, with an open spool."""
    made = tmp_path / "data"
    for name, content in {
        "neo4j/data/databases/neo4j/store.db": os.urandom(300_000),
        "neo4j/data/transactions/neo4j/log.0": os.urandom(100_000),
        "neo4j/data/databases/store_lock": b"",
        "password": b"hush",
        "audit.jsonl": "茶\n".encode(),
        "owner.json": b"{}",
        "service.json": b"{}",
        "logs/debug.log": b"of yesterday",
    }.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(content)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_restore_returns_everything_but_process_files(data_dir: Path, tmp_path: Path) -> None:
    file, copy = tmp_path / "backup.tar.gz", tmp_path / "copy"
    kept = back_up(data_dir, file)
    assert restore(file, copy) == kept
    left_out = {"owner.json", "service.json", "logs/debug.log", "neo4j/data/databases/store_lock", "start.lock"}
    assert contents(copy) == {name: held for name, held in contents(data_dir).items() if name not in left_out}
    assert kept.files == 4
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE((copy / "password").stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".*"))


def test_spool_under_writes_is_copied_consistently(data_dir: Path, tmp_path: Path) -> None:
    with sqlite3.connect(data_dir / "spool.sqlite3", isolation_level=None) as spool:
        spool.execute("PRAGMA journal_mode = WAL")
        spool.execute("CREATE TABLE episodes (body TEXT)")
        spool.execute("INSERT INTO episodes VALUES ('我喜欢喝茶')")
        assert (data_dir / "spool.sqlite3-wal").stat().st_size > 0
        back_up(data_dir, tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "copy")
    with sqlite3.connect(tmp_path / "copy/spool.sqlite3") as copy:
        assert copy.execute("SELECT body FROM episodes").fetchall() == [("我喜欢喝茶",)]


def test_a_damaged_cache_does_not_prevent_a_backup_and_another_damaged_file_is_named(
    data_dir: Path, tmp_path: Path
) -> None:
    (data_dir / "snapshots.sqlite3").write_bytes(b"no database" * 100)
    back_up(data_dir, tmp_path / "one.backup")
    restore(tmp_path / "one.backup", tmp_path / "copy")
    assert not (tmp_path / "copy/snapshots.sqlite3").exists()
    (data_dir / "spool.sqlite3").write_bytes(b"no database" * 100)
    with pytest.raises(InstallError, match=r"spool\.sqlite3' cannot be read"):
        back_up(data_dir, tmp_path / "two.backup")


def test_existing_files_are_not_overwritten(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "b")
    before = (tmp_path / "b").read_bytes(), contents(data_dir)
    with pytest.raises(ConflictError, match="exists and is not overwritten"):
        back_up(data_dir, tmp_path / "b")
    with pytest.raises(ConflictError, match=r"is not empty.*MNEMOSCENE_DATA_DIR"):
        restore(tmp_path / "b", data_dir)
    assert ((tmp_path / "b").read_bytes(), contents(data_dir)) == before


def test_directory_without_a_database_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="nothing to back up"):
        back_up(tmp_path, tmp_path / "b")


@pytest.mark.parametrize("at", [0.1, 0.9])
def test_truncated_or_changed_backup_is_not_restored(data_dir: Path, tmp_path: Path, at: float) -> None:
    back_up(data_dir, tmp_path / "b")
    whole = (tmp_path / "b").read_bytes()
    place = int(len(whole) * at)
    damaged = {"cut": whole[:place], "changed": whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]}
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=r"use another copy|not a Mnemoscene backup"):
            restore(tmp_path / name, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()


def test_foreign_archive_cannot_write_outside_the_directory(tmp_path: Path) -> None:
    for name in (
        "../outside",
        "/tmp/outside",
        "a/../../outside",
        "C:/outside",
        "a\\..\\outside",
        "owner.json",
        "logs/x",
    ):
        with tarfile.open(tmp_path / "bad", "w:gz") as tar:
            about = tarfile.TarInfo(name)
            about.size = 1
            tar.addfile(about, io.BytesIO(b"x"))
        with pytest.raises(InputError, match="is not a Mnemoscene backup"):
            restore(tmp_path / "bad", tmp_path / "inner" / "copy")
    assert {path.name for path in tmp_path.rglob("*")} == {"bad", "inner"}


def lock_inode(folder: Path) -> int | None:
    """Return the inode of the lock file of a starting process, or None if there is none."""
    return (folder / "start.lock").stat().st_ino if (folder / "start.lock").exists() else None


def test_directory_of_a_starting_process_is_left_alone(data_dir: Path, tmp_path: Path) -> None:
    """Regression: restore deleted the lock file while another process held it, so a second start could succeed."""
    back_up(data_dir, tmp_path / "b")
    copy = tmp_path / "copy"
    copy.mkdir()
    with try_lock(copy / "start.lock") as mine:
        assert mine
        before = lock_inode(copy)
        with pytest.raises(ConflictError, match="another process is starting or restoring"):
            restore(tmp_path / "b", copy)
        assert lock_inode(copy) == before
        with try_lock(copy / "start.lock") as others:
            assert not others
    restore(tmp_path / "b", copy)
    assert contents(copy)["password"] == b"hush"


@pytest.mark.parametrize("volume", [False, True])
def test_start_is_refused_during_a_restore(
    data_dir: Path, tmp_path: Path, volume: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(data_dir, tmp_path / "b")
    copy, held = tmp_path / "copy", list[bool]()
    copy.mkdir()
    if volume:
        monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == copy)

    def start(_done: int, _total: int) -> None:
        with try_lock(copy / "start.lock") as mine:
            held.append(mine)

    before = copy.stat().st_ino
    restore(tmp_path / "b", copy, on_progress=start)
    assert held
    assert not any(held)
    assert (copy.stat().st_ino == before) is volume
    assert {name: held for name, held in contents(copy).items() if name != "start.lock"} == {
        name: held
        for name, held in contents(data_dir).items()
        if name.startswith(("neo4j/data/databases/neo4j", "neo4j/data/tr", "password", "audit"))
    }
    with try_lock(copy / "start.lock") as mine:
        assert mine


def test_directory_created_during_a_restore_is_left_alone(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "b")
    copy = tmp_path / "copy"

    def start(_done: int, _total: int) -> None:
        copy.mkdir(exist_ok=True)
        (copy / "start.lock").touch()

    with pytest.raises(ConflictError, match="another process is starting or restoring"):
        restore(tmp_path / "b", copy, on_progress=start)
    assert set(contents(copy)) == {"start.lock"}
    assert not list(tmp_path.glob(".*"))


def test_concurrent_restores_do_not_interfere(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "b")
    copy, begun = tmp_path / "copy", list[bool]()

    def another(_done: int, _total: int) -> None:
        if not begun:
            begun.append(True)
            restore(tmp_path / "b", copy)

    with pytest.raises(ConflictError):
        restore(tmp_path / "b", copy, on_progress=another)
    assert contents(copy)["password"] == b"hush"
    assert not list(tmp_path.glob(".*"))


def test_leftovers_of_a_dead_process_are_removed(data_dir: Path, tmp_path: Path) -> None:
    back_up(data_dir, tmp_path / "b")
    dead = tmp_path / ".copy.restoring-dead"
    (dead / "neo4j").mkdir(parents=True)
    restore(tmp_path / "b", tmp_path / "copy")
    assert not list(tmp_path.glob(".*"))


def test_refused_backup_keeps_the_partial_file_of_another(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / ".b.part").write_bytes(b"half of it")
    with try_lock(data_dir / "start.lock"), pytest.raises(ConflictError):
        back_up(data_dir, tmp_path / "b")
    assert (tmp_path / ".b.part").read_bytes() == b"half of it"


def test_symbolic_link_at_the_target_is_not_followed(data_dir: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / ".b.part").symlink_to(victim)
    with pytest.raises(InstallError):
        back_up(data_dir, tmp_path / "b")
    assert victim.read_bytes() == b"precious"


def test_lock_on_a_deleted_file_blocks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open(path, "a+b") as opened_before:
        assert _still_exists(opened_before.fileno(), path)
        path.unlink()
        assert not _still_exists(opened_before.fileno(), path)
        path.touch()
        assert not _still_exists(opened_before.fileno(), path)


def an_entry(kind: bytes, size: int = 0, **more: str) -> tarfile.TarInfo:
    about = tarfile.TarInfo("neo4j/x")
    about.type, about.size = kind, size
    for name, value in more.items():
        setattr(about, name, value)
    return about


@pytest.mark.parametrize(
    "about",
    [
        an_entry(tarfile.SYMTYPE, linkname="/etc/passwd"),
        an_entry(tarfile.LNKTYPE, linkname="neo4j/y"),
        an_entry(tarfile.CHRTYPE),
        an_entry(tarfile.FIFOTYPE),
        an_entry(tarfile.DIRTYPE),
        # It would be read into memory as a whole if it were not refused.
        an_entry(tarfile.XHDTYPE, size=8 * 2**30),
        an_entry(tarfile.GNUTYPE_LONGNAME, size=8 * 2**30),
        an_entry(tarfile.GNUTYPE_SPARSE, size=1_000),
    ],
)
def test_only_regular_files_are_restored(tmp_path: Path, about: tarfile.TarInfo) -> None:
    block = about.tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "bad").write_bytes(gzip.compress(block + bytes(1 << 20)))
    with pytest.raises(InputError, match=r"is not a (Mnemoscene )?backup"):
        restore(tmp_path / "bad", tmp_path / "copy")
    assert {path.name for path in tmp_path.rglob("*")} == {"bad"}


def test_backup_larger_than_the_free_space_is_refused_first(tmp_path: Path) -> None:
    """A file of zeros is a thousand times smaller when compressed, so a small backup could fill the disk."""
    about = an_entry(tarfile.REGTYPE, size=shutil.disk_usage(tmp_path).total * 2)
    (tmp_path / "bomb").write_bytes(gzip.compress(about.tobuf(tarfile.GNU_FORMAT) + bytes(50 << 20)))
    with pytest.raises(InstallError, match="are free at"):
        restore(tmp_path / "bomb", tmp_path / "copy")
    assert {path.name for path in tmp_path.rglob("*")} == {"bomb"}


@pytest.mark.parametrize("text", [b"[]", b"5", b"[" * 100_000, b"{}", b'{"shape": 1}', b"9" * 5_000, b"\xff"])
def test_invalid_manifest_is_refused_with_a_message(tmp_path: Path, text: bytes) -> None:
    with tarfile.open(tmp_path / "b", "w:gz") as tar:
        about = tarfile.TarInfo("manifest.json")
        about.size = len(text)
        tar.addfile(about, io.BytesIO(text))
    with pytest.raises((InputError, InstallError)):
        restore(tmp_path / "b", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_backup_of_a_newer_version_is_refused_with_a_remedy(tmp_path: Path) -> None:
    text = b'{"shape": 3, "version": "9.9", "made_at": "2030-01-01", "files": {}}'
    with tarfile.open(tmp_path / "b", "w:gz") as tar:
        about = tarfile.TarInfo("manifest.json")
        about.size = len(text)
        tar.addfile(about, io.BytesIO(text))
    with pytest.raises(InstallError, match=r"made by Mnemoscene '9\.9'.*install that version"):
        restore(tmp_path / "b", tmp_path / "copy")


def test_kill_leaves_no_partial_backup_or_directory(data_dir: Path, tmp_path: Path) -> None:
    """After the kill, the same command succeeds."""
    file, copy = tmp_path / "b", tmp_path / "copy"
    for what, first, second in (("backup", data_dir, file), ("restore", file, copy)):
        for bytes_n in ("1", "250000"):
            command = [sys.executable, str(CHILD), what, str(first), str(second), bytes_n]
            done = subprocess.run(command, cwd=Path(__file__).parents[3], env={**os.environ, "PYTHONPATH": "."})
            assert done.returncode == -signal.SIGKILL
            assert not second.exists()
        (back_up if what == "backup" else restore)(first, second)
    assert contents(copy)["password"] == b"hush"
