"""Test the command line with the local database that `serve` and `demo` start."""

import json
import signal
from pathlib import Path

import httpx
import pytest

from tests.support.cli_process import Home
from tests.support.polling import until


def test_service_starts_a_database_that_commands_share_and_stops_it_in_order(tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    with home.running("serve", "--port", "0", "--no-browser", "--json") as running:
        where = running.document()
        assert where["tenant"] == "default"
        ready = f"{str(where['viewer']).rstrip('/')}/ready"
        until(lambda: httpx.get(ready, timeout=30).status_code == 200)
        assert httpx.get(ready, timeout=30).json()["database"] == "local"
        _says_how_to_log_in(home)
        _doctor_names_each_requirement(home)
        # A new database plans the statements of remember and recall for many seconds; the demo, which is slow, asks it.
        assert home.run("stats", "--json").document()["messages"] == 0
        assert running.stop(signal.SIGTERM) == 0
    assert home.run("db", "status", "--json").document()["running"] is False


def _says_how_to_log_in(home: Home) -> None:
    found = home.run("db", "uri", "--json").document()
    assert found["uri"].startswith("bolt://127.0.0.1:")
    assert Path(found["password_file"]).stat().st_mode & 0o077 == 0
    assert home.run("db", "status", "--json").document()["running"] is True
    assert found["password_file"] in home.run("db", "shell-hint").out


def _doctor_names_each_requirement(home: Home) -> None:
    done = home.run("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(done.out)["checks"]}
    assert {"Python", "settings", "data directory", "Java", "Neo4j's jars", "viewer", "port"} <= set(checks)
    assert checks["local Neo4j"]["ok"] is True
    assert "version 2026" in checks["Neo4j answers"]["finding"]
    assert all(check["fix"] for check in checks.values() if check["ok"] is False)
    assert done.code == (0 if all(check["ok"] is not False for check in checks.values()) else 7)


def places_of(words: str, folder: Path) -> list[str]:
    """Return the files under a folder that contain some words, in an encoding that Neo4j uses."""
    encoded = [words.encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be")]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in files if any(one in path.read_bytes() for one in encoded)]


@pytest.mark.slow
def test_backup_of_a_running_database_restores_equal_and_without_forgotten_words(tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    with home.running("db", "start", "--json") as running:
        running.document()
        assert home.run("remember", "My hint is Quantenschaf81.", "--user", "ana").code == 0
        assert home.run("remember", "I moved to Porto.", "--user", "bob", "--tenant", "other").code == 0
        assert home.run("remember", "我住在上海。", "--user", "bob").code == 0
        key = home.run("keys", "create", "reader", "--role", "read", "--json").document()
        assert home.run("forget", "user", "ana", "--yes").code == 0
        done = home.run("backup", "all.tar.gz", "--json").document()
        assert done["file"] == "all.tar.gz"
        exported = [home.run("export", "--tenant", tenant).out for tenant in ("default", "other")]
        assert places_of("Quantenschaf81", tmp_path / "data"), "what was forgotten stays in the files of the database"
    copy = Home(tmp_path, {**home.more, "MNEMOSCENE_DATA_DIR": str(tmp_path / "restored")})
    assert copy.run("restore", "all.tar.gz", "--json").document()["version"] == done["version"]
    assert places_of("Quantenschaf81", tmp_path / "restored") == []
    with copy.running("db", "start", "--json") as running:
        running.document()
        assert [copy.run("export", "--tenant", tenant).out for tenant in ("default", "other")] == exported
        assert key["id"] in copy.run("keys", "--json").out


@pytest.mark.slow
def test_compact_keeps_the_memory_and_leaves_no_forgotten_word_in_any_file(tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    with home.running("db", "start", "--json") as running:
        running.document()
        assert home.run("remember", "My hint is Quantenschaf81.", "--user", "ana").code == 0
        assert home.run("remember", "我住在上海。", "--user", "bob").code == 0
        key = home.run("keys", "create", "reader", "--role", "read", "--json").document()
        assert home.run("forget", "user", "ana", "--yes").code == 0
        exported = home.run("export").out
        refused = home.run("compact")
        assert refused.code != 0
        assert "running" in refused.err
    assert places_of("Quantenschaf81", tmp_path / "data")
    done = home.run("compact", "--json").document()
    assert done["bytes_after"] > 0
    assert places_of("Quantenschaf81", tmp_path / "data") == []
    assert sorted(path.name for path in tmp_path.glob(".data*")) == []
    with home.running("db", "start", "--json") as running:
        running.document()
        assert home.run("export").out == exported
        assert key["id"] in home.run("keys", "--json").out


@pytest.mark.slow
def test_demo_answers_its_questions_on_both_runs(tmp_path: Path) -> None:
    home = Home(tmp_path, {})
    done = [home.run_process("demo", "--once", "--port", "0", "--no-browser", "--json") for _ in range(2)]
    first, again = (one.document() for one in done)
    assert [line for one in done for line in one.err.splitlines() if line.startswith("{")] == []
    assert (first["stored"], again["stored"], again["repeated"]) == (362, 0, 362)
    found = {answer["user"]: json.dumps(answer["hits"], ensure_ascii=False) for answer in first["answers"]}
    assert all(animal in found["bart"] for animal in ("elephants", "penguins"))
    assert "strawberry cake" in found["lisa"]
    assert "流浪地球" in found["zhang-manting"]
    assert all(
        any(hit["evidence"] or hit["kind"] == "message" for hit in answer["hits"]) for answer in again["answers"]
    )
