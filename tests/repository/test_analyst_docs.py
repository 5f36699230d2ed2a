"""Test the commands and queries of docs/analysts.md."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import networkx
import pytest
from graphql import parse, validate
from typer.testing import CliRunner

from graph_service.api.graphql.schema import graphql_schema
from graph_service.cli.main import app
from tests.support.cli_process import Home

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/analysts.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def typed(line: str) -> str:
    """Return the output of a command, run in this process, since starting a process for each takes most of a minute."""
    said, bar, command = line.rpartition(" | ")
    result = CliRunner().invoke(app, shlex.split(command)[1:], input=shlex.split(said)[1] if bar else None)
    assert result.exit_code == 0, (line, result.output, result.exception)
    return result.stdout


@pytest.mark.slow
def test_every_command_of_the_analysts_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_SERVICE_PORT": "0"})
    home.move_in(monkeypatch)
    (tmp_path / "query.cypher").write_text("MATCH (u:User {tenant: $tenant, user_id: $user}) RETURN u.name AS name\n")
    with home.running("serve", "--no-browser", "--json") as service:
        service.document()
        typed("mnemoscene remember 我喜欢喝茉莉花茶。 --user ana --name 安娜")
        asked, carried, reached = ([typed(line) for line in block.splitlines()] for block in blocks("sh"))
        notebook = blocks("python")[0].replace('"mnemoscene"', f'"{sys.executable}", "-m", "graph_service"')
        rows = subprocess.check_output([sys.executable, "-c", f"{notebook}\nprint(json.dumps(rows))"], text=True)
    assert '"one": 1' in asked[-1]
    assert (tmp_path / "answer.csv").read_bytes() == "name\r\n安娜\r\n".encode()
    assert len(carried) == 3
    assert "cypher-shell -a bolt://" in reached[-1]
    assert json.loads(rows) == [{"tenant": name, "name": "安娜"} for name in ("copy", "default")]
    labels = {data["label"] for _, data in networkx.read_graphml(tmp_path / "map.graphml").nodes(data=True)}
    assert "茉莉花茶" in labels


def test_graphql_of_the_analysts_page_is_valid() -> None:
    (text,) = blocks("graphql")
    assert validate(graphql_schema._schema, parse(text)) == []
