"""Test that a predicate added to the vocabulary alone works through every interface of a running service."""

import shutil
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli_process import Home

ROOT = Path(__file__).parents[3]
PACKAGES = ("graph_service", "extraction", "schema", "web_viewer")
ADMIRES = """
[ADMIRES]
subject = ["User", "Agent", "Entity"]
object = ["Entity", "User", "Agent"]
en = "admires or looks up to"
zh = "敬佩、仰慕"
"""
REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored dropped } }"
RECALL = """{ recall(userId: "ana", query: "Whom does Ana admire?", kinds: [FACT]) {
  hits { subject predicate object text } } }"""
GRAPH = '{ user(userId: "ana") { facts { nodes { predicate object { name } } } } }'
INDEXES = """{ cypher(statement: "MATCH (:User {user_id: 'ana'})-[f:ADMIRES]->(e:Entity) RETURN e.name AS name") {
  rows } }"""
MCP = {"Accept": "application/json, text/event-stream"}


def a_copy(folder: Path) -> Path:
    """Copy the program and add the predicate to its vocabulary; nothing else is edited."""
    for name in PACKAGES:
        skipped = shutil.ignore_patterns("__pycache__", "node_modules", "src", "tests")
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    vocabulary = folder / "schema" / "predicates.toml"
    vocabulary.write_text(vocabulary.read_text("utf-8") + ADMIRES, encoding="utf-8")
    return folder


def asked(client: httpx.Client, query: str, **variables: Any) -> dict[str, Any]:
    answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
    assert "errors" not in answer, answer
    return dict(answer["data"])


@pytest.mark.slow
def test_a_predicate_added_in_one_place_works_in_a_running_service(tmp_path: Path) -> None:
    """A3: whitelist, statements, indexes, recall, GraphQL, MCP, the prompt and the viewer's snapshot."""
    program = a_copy(tmp_path / "program")
    home = Home(tmp_path, {"PYTHONPATH": str(program), "MNEMOSCENE_EMBEDDING_KIND": "none"})
    with home.running("serve", "--port", "0", "--no-browser", "--json") as service:
        address = str(service.document()["viewer"]).split("?")[0].rstrip("/")
        with httpx.Client(base_url=address, timeout=120, trust_env=False) as client:
            until_ready(client)
            fact = {
                "subject": "user",
                "predicate": "ADMIRES",
                "object": "Ada Lovelace",
                "statement": "Ana admires Ada Lovelace.",
            }
            said = {"role": "USER", "text": "Ada Lovelace is my heroine."}
            given = {"userId": "ana", "sessionId": "s1", "messages": [said], "facts": [fact]}
            assert asked(client, REMEMBER, i=given)["remember"] == {"stored": 1, "dropped": []}
            until_idle(client)
            assert {"predicate": "ADMIRES", "object": {"name": "Ada Lovelace"}} in asked(client, GRAPH)["user"][
                "facts"
            ]["nodes"]
            hits = asked(client, RECALL)["recall"]["hits"]
            assert ("ADMIRES", "Ada Lovelace") in {(hit["predicate"], hit["object"]) for hit in hits}
            assert asked(client, INDEXES)["cypher"]["rows"] == [["Ada Lovelace"]]
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            assert "ADMIRES" in client.post("/mcp", json=body, headers=MCP).text
            snapshot = client.get("/api/snapshot", params={"user": "ana"}).text
            assert '"ADMIRES"' in snapshot


def until_ready(client: httpx.Client) -> None:
    while client.get("/ready").status_code != 200:
        time.sleep(0.2)


def until_idle(client: httpx.Client) -> None:
    while asked(client, "{ jobStatus { waiting leased spooled } }")["jobStatus"] != {
        "waiting": 0,
        "leased": 0,
        "spooled": 0,
    }:
        time.sleep(0.2)
