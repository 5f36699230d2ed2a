"""Test `init`, `stats`, `trust` and the alternative command names."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_service.cli.main import COMMANDS, app
from graph_service.config.settings import load_settings
from schema.errors import InstallError


def run_command(*words: str) -> Any:
    """Run a command in this process and return its document."""
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, (words, done.output, done.exception)
    return json.loads(done.stdout)


def test_init_gives_a_folder_its_own_memory_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MNEMOSCENE_DATA_DIR")
    first = run_command("init")
    own = home / ".mnemoscene"
    assert (first["created"], first["ready"]) == (["config.toml", ".gitignore"], True)
    assert first["data_dir"] == str(own / "data")
    assert (own / ".gitignore").read_text("utf-8") == "*\n"
    own_settings = home / "config" / "mnemoscene"
    usual = load_settings(environ={}, here=home.parent, user_dir=own_settings)
    here = load_settings(environ={}, here=home, user_dir=own_settings)
    assert (here.folder.state, usual.folder.state) == ("trusted", "absent")
    assert (here.tenant, here.service, here.neo4j) == (usual.tenant, usual.service, usual.neo4j), "it changes nothing"
    (own / "config.toml").write_text('tenant = "mine"\n')
    refused = CliRunner().invoke(app, ["init", "--no-fetch"])
    assert isinstance(refused.exception, InstallError)
    assert "mnemoscene trust" in refused.exception.message
    assert run_command("trust")["settings"] == {"tenant": "'mine'"}
    again = run_command("init", "--no-fetch")
    assert (again["created"], again["ready"]) == ([], False)
    assert (own / "config.toml").read_text("utf-8") == 'tenant = "mine"\n'


def test_init_names_a_folder_that_cannot_be_created(home: Path) -> None:
    (home / ".mnemoscene").touch()
    done = CliRunner().invoke(app, ["init", "--no-fetch"])
    assert isinstance(done.exception, InstallError)
    assert ".mnemoscene cannot be created" in done.exception.message


def test_stats_count_one_tenant_and_alternative_names_work(home: Path, tenant: str) -> None:
    for text in ("I love jasmine tea.", "我喜欢茉莉花茶。"):
        run_command("add", text, "--user", "ana", "--no-wait")
    told = run_command("stats")
    assert (told["messages"], told["sessions"], told["users"]) == (2, 1, 1)
    assert told["jobs_waiting"] >= 1
    assert run_command("stats", "--user", "bob")["messages"] == 0
    assert run_command("stats", "--tenant", f"{tenant}-other") == dict.fromkeys(told, 0)
    hits = run_command("search", "jasmine tea", "--user", "ana")["hits"]
    assert run_command("recall", "jasmine tea", "--user", "ana")["hits"] == hits != []
    assert run_command("delete", "session", "cli", "--user", "ana")["messages"] == 2
    assert run_command("stats")["messages"] == 0
    same = {"add": "remember", "search": "recall", "delete": "forget"}
    assert {name: COMMANDS[name] for name in same} == {name: COMMANDS[of] for name, of in same.items()}


def test_init_does_not_trust_settings_of_somebody_else(home: Path) -> None:
    (home / ".mnemoscene" / "data").mkdir(parents=True)
    done = CliRunner().invoke(app, ["init", "--no-fetch"])
    assert isinstance(done.exception, InstallError)
    assert "files that you have not trusted" in done.exception.message
    assert run_command("trust", "--list")["trusted"] == []


def test_trust_is_added_listed_and_removed(home: Path) -> None:
    config = home / ".mnemoscene" / "config.toml"
    config.parent.mkdir()
    config.write_text('[service]\nport = 7781\n[llm]\napi_key = "hush"\n"\\u001b[2Jx" = 1\n')
    assert run_command("trust")["settings"].items() >= {"service.port": "7781", "llm.api_key": "(secret)"}.items()
    shown = CliRunner().invoke(app, ["trust"])
    assert "service.port = 7781" in shown.stdout
    assert "hush" not in shown.stdout
    assert "\x1b" not in shown.stdout
    assert [(row["directory"], row["state"]) for row in run_command("trust", "--list")["trusted"]] == [
        (str(home.resolve()), "trusted")
    ]
    config.write_text('tenant = "theirs"\n')
    assert [row["state"] for row in run_command("trust", "--list")["trusted"]] == ["changed"]
    assert run_command("trust", str(home), "--remove")["state"] == "untrusted"
    assert run_command("trust", "--list")["trusted"] == []
