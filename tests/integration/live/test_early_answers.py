"""Test a service that answers before its database is available."""

import fcntl
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph_service.graph.local.owner import read_owner
from tests.support.cli_process import Home, Running
from tests.support.polling import until

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored spooled } }"
RECALL = 'query($q: String!) { recall(userId: "ana", query: $q) { degraded hits { text } } }'
BOTH = {"MNEMOGRAPH_EMBEDDING_KIND": "none", "MNEMOGRAPH_NEO4J_START_TIMEOUT_S": "300"}


def answers(client: httpx.Client, status: int) -> bool:
    try:
        return client.get("/ready").status_code == status
    except httpx.TransportError:
        return False


def kill(service: Running, data_dir: Path) -> None:
    """Kill the database and the service, as a machine does that runs out of memory."""
    owner = read_owner(data_dir)
    assert owner is not None
    os.kill(owner.server.pid, signal.SIGKILL)
    assert service.stop(signal.SIGKILL) == -signal.SIGKILL


@contextmanager
def nobody_starts(data_dir: Path) -> Iterator[None]:
    """Hold the lock of whoever starts the database: it does not come before the end of the block."""
    with (data_dir / "start.lock").open("a+b") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        yield


def ask(client: httpx.Client, query: str, **variables: Any) -> Any:
    return client.post("/graphql", json={"query": query, "variables": variables}).json()["data"]


def recalled(client: httpx.Client) -> tuple[bool, set[str]]:
    """Whether the answer was made without the database, and which places of the key it names."""
    answer = (ask(client, RECALL, q="where is the key") or {"recall": {"degraded": True, "hits": []}})["recall"]
    texts = " ".join(hit["text"] for hit in answer["hits"])
    return answer["degraded"], {place for place in ("flowerpot", "shed") if place in texts}


def said(text: str) -> dict[str, Any]:
    return {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": text}]}


@pytest.mark.slow
def test_a_service_listens_spools_and_answers_before_its_database_is_there(tmp_path: Path, free_port: int) -> None:
    home, data_dir = Home(tmp_path, BOTH), tmp_path / "data"
    command = ("serve", "--port", str(free_port), "--no-browser", "--json")
    with httpx.Client(base_url=f"http://127.0.0.1:{free_port}", timeout=60) as client:
        with home.running(*command) as service:
            service.document()
            assert ask(client, REMEMBER, input=said("I keep the key under the blue flowerpot."))["remember"]["stored"]
            kill(service, data_dir)
        with home.running(*command) as service:
            with nobody_starts(data_dir):
                until(lambda: answers(client, 503))
                told = client.get("/ready").json()
                assert (told["neo4j"], told["database"], told["worker"]) == ("down", "local", "running")
                for text in ("The spare key hangs in the shed.", "备用钥匙挂在棚子里。"):
                    assert ask(client, REMEMBER, input=said(text))["remember"] == {"stored": 1, "spooled": True}
                degraded, places = recalled(client)
                assert (degraded, "shed" in places) == (True, True)
                # The first message waits, too, where the machine was so busy that the database did not take it in time.
                assert client.get("/ready").json()["spool"]["waiting"] in (2, 3)
                assert service.process.poll() is None
            # The document comes when the database is there, as ever.
            assert service.document()["graphql"].endswith("/graphql")
            until(lambda: answers(client, 200))
            until(lambda: client.get("/ready").json()["spool"]["waiting"] == 0)
            # On a busy machine a database that has just started may not answer its first questions in time.
            until(lambda: recalled(client) == (False, {"flowerpot", "shed"}))
            assert service.stop() == 0


def test_keys_are_known_while_the_database_is_away_and_doors_stay_locked(tmp_path: Path, free_port: int) -> None:
    home, data_dir = Home(tmp_path, BOTH), tmp_path / "data"
    command = ("serve", "--port", str(free_port), "--no-browser", "--json")
    with httpx.Client(base_url=f"http://127.0.0.1:{free_port}", timeout=60) as client:
        with home.running(*command) as service:
            service.document()
            key = home.run("--json", "keys", "create", "agent", "--role", "write").document()["key"]
            until(lambda: client.post("/graphql", json={"query": "{ __typename }"}).status_code == 401)
            until(lambda: key.split("_")[1] in (data_dir / "keys.json").read_text())
            kill(service, data_dir)
        assert key not in (data_dir / "keys.json").read_text()
        assert (data_dir / "keys.json").stat().st_mode & 0o077 == 0
        with home.running(*command) as service, nobody_starts(data_dir):
            until(lambda: answers(client, 503))
            body = {"query": REMEMBER, "variables": {"input": said("I love tea.")}}
            assert "UNAUTHORIZED" in client.post("/graphql", json=body).text
            told = client.post("/graphql", json=body, headers={"Authorization": f"Bearer {key}"}).json()
            assert told["data"]["remember"] == {"stored": 1, "spooled": True}
            # A stop while the database is still awaited ends the service in order.
            assert service.stop() == 0


def test_a_database_that_cannot_start_ends_a_service_with_its_reason(tmp_path: Path) -> None:
    """It listens already then; whoever started it must still be told."""
    home = Home(tmp_path, BOTH | {"MNEMOGRAPH_CACHE_DIR": str(tmp_path / "no" / "cache")})
    (tmp_path / "no").touch()
    done = home.run("serve", "--port", "0", "--no-browser")
    assert (done.code, "cannot be stored" in done.err or "cannot be used" in done.err) == (7, True)


@pytest.fixture
def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])
