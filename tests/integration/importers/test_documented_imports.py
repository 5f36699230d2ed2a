"""Test that the commands in docs/importing.md work, are idempotent, and report what was dropped."""

import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_service.cli.main import app
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.entity_resolution.test_merges import edges
from tests.support.cli_process import Home
from tests.unit.importers.test_foreign_files import MEMORY_FILE, a_chat

TEXT = (Path(__file__).parents[3] / "docs/importing.md").read_text("utf-8")
GRAPHITI = """
CREATE (e:Episodic {uuid: $g + '-e', group_id: $g, source: 'message', content: 'Ana: I moved to Lisbon.',
        valid_at: datetime('2025-05-01T00:00Z'), created_at: datetime()})
CREATE (a:Entity:Person {uuid: $g + '-a', group_id: $g, name: 'Bo', summary: 'A friend.', name_embedding: [0.1]})
CREATE (b:Entity {uuid: $g + '-b', group_id: $g, name: 'Lisbon', summary: ''})
CREATE (e)-[:MENTIONS {uuid: $g + '-m', group_id: $g}]->(a)
CREATE (a)-[:RELATES_TO {uuid: $g + '-f', group_id: $g, name: 'LIVED_NEAR',
        fact: 'Bo lived near Lisbon', episodes: [$g + '-e'],
        valid_at: datetime('2020-01-01T00:00Z'), invalid_at: datetime('2024-01-01T00:00Z'), fact_embedding: [0.1]}]->(b)
"""
FORGET = "MATCH (n {group_id: $g}) DETACH DELETE n"


@pytest.fixture
def folder(tmp_path: Path, server: Server, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the files of the page, and settings for the database of the tests."""
    Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant}).move_in(monkeypatch)
    (tmp_path / "password").write_text(f"{server.password}\n")
    (tmp_path / "memory.jsonl").write_text(MEMORY_FILE)
    memory = {"id": "m1", "memory": "I love jasmine tea.", "created_at": "2025-05-01T10:00:00Z", "metadata": {"a": 1}}
    (tmp_path / "mem0.json").write_text(json.dumps({"results": [memory]}))
    with zipfile.ZipFile(tmp_path / "chatgpt.zip", "w") as archive:
        # As ChatGPT writes it since 2026; the other format is that of the Claude export below.
        archive.writestr("conversations-000.json", json.dumps([a_chat()]))
        archive.writestr("conversations-001.json", json.dumps([{**a_chat(), "conversation_id": "c2"}]))
    with zipfile.ZipFile(tmp_path / "slack.zip", "w") as archive:
        said = [{"type": "message", "user": user, "text": "Hi", "ts": f"17791382{user}.1"} for user in ("40", "50")]
        archive.writestr("general/2026-05-18.json", json.dumps(said))
        archive.writestr("users.json", json.dumps([{"id": "40", "real_name": "Ana Lima"}]))
    talk = {"uuid": "1", "sender": "human", "text": "我住在上海。", "created_at": "2026-02-14T10:04:22.000Z"}
    (tmp_path / "conversations.json").write_text(json.dumps([{"uuid": "c", "chat_messages": [talk]}]))
    return tmp_path


def typed(line: str, *more: str) -> Any:
    result = CliRunner().invoke(app, [*shlex.split(line)[1:], *more])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return json.loads(result.stdout)


async def in_graph(graph: Graph, statement: str, group: str) -> None:
    async with graph._driver.session() as session:
        await (await session.run(statement, g=group)).consume()


@pytest.fixture
async def group(graph: Graph, tenant: str) -> Any:
    """Create the graph of a Graphiti in the same database."""
    await in_graph(graph, GRAPHITI, tenant)
    yield tenant
    await in_graph(graph, FORGET, tenant)


def test_every_import_of_the_page_runs_and_repeats(folder: Path, server: Server, group: str) -> None:
    block = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[0]
    lines = [line.replace("bolt://127.0.0.1:7687", server.uri) for line in block.splitlines()]
    lines[-1] += f" --graphiti-group {group}"
    # Without waiting: the database of the tests has jobs of other tests too.
    first = [typed(line, "--json", "--no-wait") for line in lines]
    assert [(one["stored"], one["repeated"]) for one in first] == [(1, 0), (5, 0), (6, 0), (1, 0), (2, 0), (1, 0)]
    assert first[0]["dropped"] == {"metadata": 1}
    assert first[2]["dropped"]["calls of tools"] == 2
    assert first[5] == first[5] | {"kept": {"messages": 1, "facts": 1, "groups": 1}, "users": ["ana"]}
    assert first[5]["dropped"] == {"summaries of Graphiti": 1}
    again = [typed(line, "--json", "--no-wait") for line in lines]
    assert [(one["stored"], one["repeated"]) for one in again] == [(0, 1), (0, 5), (0, 6), (0, 1), (0, 2), (0, 1)]


async def test_imported_memories_are_in_the_graph(graph: Graph, tenant: str, tmp_path: Path) -> None:
    from graph_service.importers.reader import read_file
    from graph_service.importers.source import FileFormat, Owner
    from tests.support.builders import a_memory, a_worker

    found = read_file(MEMORY_FILE, name="memory.jsonl", form=FileFormat.AUTO, owner=Owner(user_id="ana"))
    for call in found.calls:
        await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()
    assert {("ana", "PREFERS", "tea"), ("ana", "RELATES_TO", "Acme")} <= set(await edges(graph, tenant))


def test_invalid_file_is_named_and_nothing_is_stored(folder: Path) -> None:
    (folder / "bad.jsonl").write_text(f'{MEMORY_FILE}\n{{"type": "entity"}}')
    with pytest.raises(Exception, match=r"nothing was stored[\s\S]*bad\.jsonl line 5"):
        typed("mnemoscene import mem0.json bad.jsonl --user ana", "--json")
    assert typed("mnemoscene cypher 'MATCH (n {tenant: $tenant}) RETURN count(n) AS n'", "--json") == [{"n": 0}]
    done = typed("mnemoscene import bad.jsonl --user ana --skip-invalid --no-wait", "--json")
    assert (done["stored"], len(done["invalid"])) == (5, 1)
    assert "bad.jsonl line 5: name: Field required" in done["invalid"][0]
