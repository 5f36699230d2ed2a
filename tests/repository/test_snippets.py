"""Test that a test runs or checks every fenced block of every page.

Blocks of the pages in `TESTED_IN` are run by the tests named there, those of the other pages here.
"""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from graph_service.cli.main import COMMANDS, app
from graph_service.config.settings import load_settings
from graph_service.evaluation.dataset import read_all

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("clients/*/README.md")]
)
_HERE = "tests/repository/test_snippets.py"
_CLI = "tests/integration/cli/test_cli.py"
_MCP = "tests/repository/test_mcp_docs.py"
# The tests that run the blocks of a page in a language, or check blocks that are for another program.
TESTED_IN = {
    ("README.md", "sh"): _CLI,
    ("README.md", "text"): "tests/repository/test_readme.py",
    ("README.md", "json"): _MCP,
    ("README.md", "python"): "tests/integration/client/test_memory.py",
    ("clients/typescript/README.md", "js"): "tests/integration/client/test_typescript.py",
    ("clients/python/README.md", "python"): "tests/integration/client/test_memory.py",
    ("clients/python/README.md", "sh"): _HERE,
    ("docs/analysts.md", "graphql"): "tests/repository/test_analyst_docs.py",
    ("docs/analysts.md", "python"): "tests/repository/test_analyst_docs.py",
    ("docs/analysts.md", "sh"): "tests/repository/test_analyst_docs.py",
    ("docs/context.md", "sh"): _HERE,
    ("docs/cookbook.md", "cypher"): "tests/integration/memory/test_analyst_queries.py",
    ("docs/cookbook.md", "sh"): _HERE,
    ("docs/evaluation.md", "json"): _HERE,
    ("docs/evaluation.md", "sh"): _HERE,
    ("docs/graphql.md", "graphql"): "tests/integration/api/test_graphql_docs.py",
    ("docs/importing.md", "sh"): "tests/integration/importers/test_documented_imports.py",
    ("docs/coding-agents.md", "sh"): _HERE,
    ("docs/mem0.md", "python"): "clients/python/tests/test_mem0.py",
    ("docs/mcp.md", "json"): _MCP,
    ("docs/mcp.md", "python"): "tests/integration/mcp/test_snippet.py",
    ("docs/mcp.md", "sh"): "tests/integration/mcp/test_stdio.py",
    ("docs/operators.md", "sh"): "tests/repository/test_operations.py",
    ("docs/operators.md", "toml"): _HERE,
    ("docs/security.md", "http"): _HERE,
    ("docs/security.md", "sh"): _HERE,
    ("docs/security.md", "toml"): _HERE,
    ("docs/settings.md", "toml"): _HERE,
    ("tests/README.md", "sh"): _HERE,
    ("web_viewer/README.md", ""): _HERE,
}
# First words of lines for other programs than ours, which are run by whoever installs it, or by CI.
_OTHERS = (
    "python3 -m venv .venv",
    "pip install ./clients/python",
    "pip install './clients/python[",
    "pip install 'mnemoscene-server[otel]'",
    ".venv/bin/python -m pytest",
)
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    return [text for found, text in _FENCED.findall((ROOT / page).read_text("utf-8")) if found == language]


def every(language: str) -> list[tuple[str, str]]:
    return [(named(page), text) for page in PAGES for text in blocks(named(page), language)]


def commands(page: str) -> list[list[str]]:
    """Return the calls of our program on a page, without the program's name."""
    lines = [line for text in blocks(page, "sh") for line in text.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("mnemoscene ")]


def test_every_block_of_every_page_is_run_by_a_test() -> None:
    """Add missing ones to `TESTED_IN`, with the test that runs them."""
    found = {(named(page), language) for page in PAGES for language, _ in _FENCED.findall(page.read_text("utf-8"))}
    assert found == set(TESTED_IN)
    for (page, _), tested in TESTED_IN.items():
        assert tested == _HERE or Path(page).name in (ROOT / tested).read_text("utf-8"), (page, tested)
    for page in PAGES:
        text = page.read_text("utf-8")
        assert len(_FENCED.findall(text)) * 2 == len(re.findall(r"^\s*```", text, re.MULTILINE)), named(page)


def test_every_shell_line_is_an_existing_command() -> None:
    group: Any = get_command(app)
    for page, text in every("sh"):
        for line in filter(None, text.splitlines()):
            words = shlex.split(line.rpartition(" | ")[2])
            while "=" in words[0]:
                words.pop(0)
            if Path(words[0]).name != "mnemoscene":
                assert line.startswith(_OTHERS), (page, line)
                continue
            with group.make_context("mnemoscene", words[1:]) as context:
                name, command, rest = group.resolve_command(context, context._protected_args + context.args)
                while hasattr(command, "resolve_command") and rest and not rest[0].startswith("-"):
                    name, command, rest = command.resolve_command(context, rest)
                command.make_context(name, rest)


def test_commands_named_in_prose_exist() -> None:
    prose = {named(page): re.findall(r"`mnemoscene ([a-z-]+)", page.read_text("utf-8")) for page in PAGES}
    assert sum(map(len, prose.values())) > 20
    assert [(page, name) for page, names in prose.items() for name in names if name not in COMMANDS] == []


@pytest.mark.parametrize(("page", "text"), every("toml"), ids=lambda value: value if value.endswith(".md") else "")
def test_settings_shown_on_a_page_are_accepted(page: str, text: str, tmp_path: Path) -> None:
    key = tmp_path / "issuer.pem"
    key.write_text("-----BEGIN PUBLIC KEY-----\nMA==\n-----END PUBLIC KEY-----\n")
    file = tmp_path / "config.toml"
    file.write_text(text.replace("/etc/mnemoscene/issuer.pem", str(key)))
    told = load_settings(environ={}, here=tmp_path, user_dir=tmp_path / "user", config=file)
    for section, values in tomllib.loads(file.read_text()).items():
        if not isinstance(values, dict):
            assert getattr(told, section) == values
            continue
        for name, value in values.items():
            assert str(getattr(getattr(told, section), name)) == str(value)


def test_credentials_are_sent_as_documented() -> None:
    (text,) = blocks("docs/security.md", "http")
    assert re.fullmatch(r"Authorization: Bearer mnk_…\n", text)


def test_commands_of_the_viewer_page_exist() -> None:
    scripts = json.loads((ROOT / "web_viewer/package.json").read_text("utf-8"))["scripts"]
    lines = blocks("web_viewer/README.md", "")[0].splitlines()
    asked = [match[1] for line in lines if (match := re.match(r"npm (?:run )?(\w+)(?: |$)", line)) and match[1] != "ci"]
    assert len(asked) >= 3
    assert set(asked) <= set(scripts)


def test_data_set_of_the_evaluation_page_is_read(tmp_path: Path) -> None:
    for name, text in zip(("c1", "ana"), blocks("docs/evaluation.md", "json"), strict=True):
        (tmp_path / f"{name}.json").write_text(text)
    read = read_all([tmp_path])
    (talk,), (memory,) = read.conversations, read.memories
    assert (memory.user_id, len(memory.messages), len(memory.questions), len(memory.facts)) == ("ana", 1, 1, 1)
    assert (talk.id, talk.user_id, len(talk.messages), len(talk.questions)) == ("c1", "Ana", 1, 1)


def typed(words: list[str]) -> str:
    """Run a command in this process and return its output; fail if it fails."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout


def test_commands_of_the_security_page_run(home: Path) -> None:
    made: dict[str, str] = {}
    try:
        for words in commands("docs/security.md"):
            told = typed(
                [next(iter(made)) if word == "ID" else word for word in words] + ["--json"] * ("create" in words)
            )
            if "create" in words:
                key = json.loads(told)
                made[key["id"]] = key["name"]
    finally:
        # A remaining key would lock other tests out.
        for key in json.loads(typed(["keys", "--json"]))["keys"]:
            if key["id"] in made:
                typed(["keys", "revoke", key["id"]])
                typed(["keys", "delete", key["id"]])
    assert list(made.values()) == ["the shop's agent", "acme's dashboard", "the operator"]


def test_commands_of_the_context_and_query_pages_run(home: Path) -> None:
    typed(["remember", "I love the coffee at Porto's station.", "--user", "ana", "--no-wait"])
    (words,) = commands("docs/context.md")
    assert "Porto" in typed(words)
    (home / "query.cypher").write_text("MATCH (u:User {tenant: $tenant, user_id: $user}) RETURN u.user_id AS who")
    asked, written = commands("docs/cookbook.md")
    assert "ana" in typed(asked)
    typed(written)
    assert (home / "users.csv").read_text("utf-8").startswith("u.name")


def test_commands_of_the_evaluation_page_run(home: Path) -> None:
    text, everyday = blocks("docs/evaluation.md", "json")
    for folder in ("conversations", "conversations/locomo"):
        (home / folder).mkdir()
    (home / "conversations/locomo/c1.json").write_text(text)
    (home / "conversations/ana.json").write_text(everyday)
    for words in commands("docs/evaluation.md"):
        assert "c1" in typed([*words, "--json"]) or (home / "figures.json").is_file()
    assert json.loads((home / "figures.json").read_text("utf-8"))["everyday"]["groups"]["all"]["answer@1"] == 1.0
