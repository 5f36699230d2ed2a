"""Test how a compacted database takes the place of the old one, with files instead of a database."""

import sqlite3
from pathlib import Path

import pytest

from graph_service.admin.backup import compact
from graph_service.graph.local_neo4j.local_server import replace_store, settle_store
from graph_service.graph.local_neo4j.owner import try_lock
from schema.errors import ConflictError, InstallError


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "neo4j").mkdir(parents=True)
    (folder / "neo4j" / "store").write_text("old, with forgotten words")
    (folder / "password").write_text("secret")
    (folder / "audit.jsonl").write_text("kept")
    return folder


def contents(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "start.lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode(errors="replace") for path in files}


def copies(old: Path, fresh: Path) -> None:
    assert (old / "password").read_text() == (fresh / "password").read_text() == "secret"
    words = (old / "neo4j" / "store").read_text()
    (fresh / "neo4j").mkdir()
    (fresh / "neo4j" / "store").write_text(words.replace(", with forgotten words", ", copied"))


def test_compact_swaps_in_the_copy_and_deletes_caches(data_dir: Path) -> None:
    (data_dir / "snapshots.sqlite3").write_bytes(b"a damaged cache with forgotten words")
    done = compact(data_dir, copy=copies)
    assert contents(data_dir) == {"neo4j/store": "old, copied", "password": "secret", "audit.jsonl": "kept"}
    assert (done.bytes_before, done.bytes_after) == (25, 11)
    assert [path.name for path in data_dir.parent.iterdir()] == ["data"]


def test_compact_empties_the_write_ahead_log_of_the_spool(data_dir: Path) -> None:
    file = sqlite3.connect(data_dir / "spool.sqlite3")
    try:
        file.executescript(
            "PRAGMA journal_mode = WAL; CREATE TABLE one (text); INSERT INTO one VALUES ('Quantenschaf');"
        )
        file.executescript("PRAGMA secure_delete = ON; DELETE FROM one;")
        assert any("Quantenschaf" in text for text in contents(data_dir).values())
        compact(data_dir, copy=copies)
        assert not any("Quantenschaf" in text for text in contents(data_dir).values())
    finally:
        file.close()


@pytest.mark.parametrize("fault", [ConflictError("the copy differs"), OSError("no space left"), KeyboardInterrupt()])
def test_compact_leaves_the_old_database_when_copying_fails(data_dir: Path, fault: BaseException) -> None:
    before = contents(data_dir)

    def fails(old: Path, fresh: Path) -> None:
        copies(old, fresh)
        raise fault

    with pytest.raises((ConflictError, InstallError, KeyboardInterrupt)):
        compact(data_dir, copy=fails)
    assert contents(data_dir) == before
    assert [path.name for path in data_dir.parent.iterdir()] == ["data"]


def test_compact_refuses_while_another_process_starts_a_database(data_dir: Path) -> None:
    with (
        try_lock(data_dir / "start.lock"),
        pytest.raises(ConflictError, match=r"running or starting.*export --output FILE"),
    ):
        compact(data_dir, copy=copies)


def test_no_process_starts_the_database_while_it_is_compacted(data_dir: Path) -> None:
    def checks(old: Path, fresh: Path) -> None:
        with try_lock(data_dir / "start.lock") as mine:
            assert not mine
        copies(old, fresh)

    compact(data_dir, copy=checks)


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_an_interrupted_replacement_leaves_one_whole_store(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "store").write_text("new")
    done: list[Path] = []
    real = Path.rename

    def rename(path: Path, target: Path) -> Path:
        if len(done) == renames:
            raise KeyboardInterrupt
        done.append(path)
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr("shutil.rmtree", lambda _folder: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        replace_store(data_dir, fresh)
    monkeypatch.undo()
    settle_store(data_dir)
    assert contents(data_dir / "neo4j") == {"store": "new" if renames == 2 else "old, with forgotten words"}
    assert not (data_dir / "neo4j.replaced").exists()
