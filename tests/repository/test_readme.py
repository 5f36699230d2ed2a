"""Test that README.md names existing files, settings and commands; `test_cli.py` runs its commands."""

import re
from pathlib import Path

import pytest
from graphql import parse, validate

from graph_service.api.graphql.schema import graphql_schema
from graph_service.cli.main import COMMANDS
from graph_service.config.settings import KNOWN_KEYS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def lines() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line.strip()]


def one_liners() -> list[str]:
    """Return the command lines that start from a bare Python."""
    return [line for line in lines() if line.startswith("python3 -m venv .venv && ")]


def test_readme_has_one_line_for_the_demo_and_one_for_the_tests() -> None:
    starts = [line.split(" && ") for line in one_liners()]
    ends = [".venv/bin/mnemoscene demo", ".venv/bin/python -m pytest -n 3"]
    assert [line[-1] for line in starts] == ends
    for line in starts:
        lock = re.fullmatch(r"\.venv/bin/pip install -r (\S+)", line[1])
        assert lock is not None
        assert (ROOT / lock[1]).is_file()
        assert line[2] == ".venv/bin/pip install --no-deps -e ."


def test_ci_script_runs_the_line_of_the_readme() -> None:
    script = (ROOT / ".ci/run").read_text("utf-8")
    pattern = re.search(r"grep -m1 -E '(.+?)' README.md", script)
    assert pattern is not None
    assert [line for line in README.splitlines() if re.search(pattern[1], line)] == [one_liners()[1]]


@pytest.mark.parametrize("text", blocks("graphql"))
def test_graphql_examples_are_valid(text: str) -> None:
    assert validate(graphql_schema._schema, parse(text)) == []


def test_readme_names_existing_files_and_settings() -> None:
    linked = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert [name for name in linked if not (ROOT / name).exists() and name != "docs/viewer.png"] == []
    folders = re.findall(r"^\| `([a-z_./]+/)` \|", README, re.MULTILINE)
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    named = re.findall(r"`((?:service|neo4j|llm|embedding)\.[a-z_]+)`", README)
    assert set(named) - set(KNOWN_KEYS) == set()


def test_readme_lists_every_command() -> None:
    assert [name for name in COMMANDS if f"mnemoscene {name}" not in README and f"`{name}`" not in README] == []
