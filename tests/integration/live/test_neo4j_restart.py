"""Test that a service restarts its local Neo4j when it is killed."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph_service.graph.local_neo4j.owner import read_owner
from tests.support.cli_process import Home

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored spooled } }"
RECALL = 'query($q: String!) { recall(userId: "ana", query: $q) { hits { text } } }'
PATIENCE_S = 120.0
WORDS = ("I keep the spare key under the blue flowerpot.", "备用钥匙在蓝色花盆下面。")


def _until(met: Callable[[], bool]) -> None:
    """Poll until the condition is met: only the service's responses show a restart."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not met():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("words", WORDS)
def test_killed_local_neo4j_is_restarted_and_nothing_is_lost(tmp_path: Path, words: str) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"})
    with home.running("serve", "--port", "0", "--no-browser", "--json") as service:
        address = str(service.document()["viewer"]).rstrip("/")
        with httpx.Client(base_url=address, timeout=120) as client:

            def ask(query: str, **variables: Any) -> Any:
                return client.post("/graphql", json={"query": query, "variables": variables}).json()["data"]

            # The first request loads GraphQL, which is not what is measured here.
            ask("{ __typename }")
            owner = read_owner(tmp_path / "data")
            assert owner is not None
            os.kill(owner.server.pid, signal.SIGKILL)
            started_s = time.monotonic()
            said = {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": words}]}
            told = ask(REMEMBER, input=said)
            assert (told["remember"]["spooled"], time.monotonic() - started_s < 3) == (True, True)
            assert client.get("/ready").status_code == 503
            assert client.get("/ready").json()["spool"]["waiting"] == 1
            _until(lambda: client.get("/ready").status_code == 200)
            _until(lambda: client.get("/ready").json()["spool"]["waiting"] == 0)
            assert words in [hit["text"] for hit in ask(RECALL, q=words)["recall"]["hits"]]
            again = read_owner(tmp_path / "data")
            assert again is not None
            assert again.server.pid != owner.server.pid
    assert again.server.process() is None, "the service stops the server that it started later"
