"""Test that a service restarts its local Neo4j when it is killed."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx

from graph_service.graph.local.owner import read_owner
from tests.support.cli_process import Home
from tests.support.polling import until

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored spooled } }"
RECALL = 'query($q: String!) { recall(userId: "ana", query: $q) { hits { text } } }'
WORDS = ("I keep the spare key under the blue flowerpot.", "备用钥匙在蓝色花盆下面。")


def test_a_killed_local_neo4j_is_started_again_and_nothing_is_lost(tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOGRAPH_EMBEDDING_KIND": "none"})
    with home.running("serve", "--port", "0", "--no-browser", "--json") as service:
        address = str(service.document()["viewer"]).rstrip("/")
        with httpx.Client(base_url=address, timeout=30) as client:

            def ask(query: str, **variables: Any) -> Any:
                return client.post("/graphql", json={"query": query, "variables": variables}).json()["data"]

            # GraphQL is loaded with the first request; how long that takes is not what is asked here.
            ask("{ __typename }")
            owner = read_owner(tmp_path / "data")
            assert owner is not None
            os.kill(owner.server.pid, signal.SIGKILL)
            started_s = time.monotonic()
            said = {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": text} for text in WORDS]}
            told = ask(REMEMBER, input=said)
            assert (told["remember"]["spooled"], time.monotonic() - started_s < 3) == (True, True)
            assert client.get("/ready").status_code == 503
            assert client.get("/ready").json()["spool"]["waiting"] == 1
            until(lambda: client.get("/ready").status_code == 200)
            until(lambda: client.get("/ready").json()["spool"]["waiting"] == 0)
            for words in WORDS:
                assert words in [hit["text"] for hit in ask(RECALL, q=words)["recall"]["hits"]]
            again = read_owner(tmp_path / "data")
            assert again is not None
            assert again.server.pid != owner.server.pid
    assert again.server.process() is None, "the service stops the server that it started later"
