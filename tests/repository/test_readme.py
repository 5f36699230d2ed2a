"""Test that README.md names existing files, settings and commands; `test_cli.py` runs its commands."""

import re
from datetime import UTC, datetime
from pathlib import Path

from extraction.reader import SceneLine, SceneText
from graph_service.cli.main import COMMANDS
from graph_service.config.settings import KNOWN_KEYS
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.readers import read_with_tags

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


def test_readme_names_existing_files_and_settings() -> None:
    linked = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert [name for name in linked if not (ROOT / name).exists() and name != "docs/viewer.png"] == []
    folders = re.findall(r"^\| `([a-z_./]+/)` \|", README, re.MULTILINE)
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    named = re.findall(r"`((?:service|neo4j|llm|embedding)\.[a-z_]+)`", README)
    assert set(named) - set(KNOWN_KEYS) == set()


def test_readme_names_existing_commands() -> None:
    rows = re.findall(r"^\| ((?:`[a-z]+`(?:, )?)+) \|", README, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([a-z]+)`", row)}
    assert {"serve", "remember", "recall", "forget"} <= names <= set(COMMANDS)


async def test_picture_of_the_readme_is_what_the_reader_reads() -> None:
    (picture,) = [block for block in blocks("text") if block.startswith("message")]
    told = [text for text in re.findall(r'"([^"?]+)"', picture.splitlines()[0])]
    lines = [
        SceneLine(
            message_id=MemoryId(f"m{number}"),
            role=Role.USER,
            speaker=None,
            text=text,
            said_at=datetime(2026, month, 1, tzinfo=UTC),
        )
        for number, (text, month) in enumerate(zip(told, (5, 6), strict=True))
    ]
    reading = await read_with_tags(SceneText(user_names=("Ana",), agent_names=(), lines=tuple(lines)))
    homes = [fact.object for fact in reading.facts if fact.relation == "lives in"]
    assert re.findall(r"lives in-> \((\w+)\)", picture) == homes == ["Porto", "Lisbon"]
