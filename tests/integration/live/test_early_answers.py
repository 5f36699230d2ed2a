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

from graph_service.graph.local_neo4j.owner import read_owner
from tests.conftest import Server
from tests.support.cli_process import Home, Running
from tests.support.polling import until

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored spooled } }"
RECALL = 'query($q: String!) { recall(userId: "ana", query: $q) { degraded hits { text } } }'
BOTH = {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_NEO4J_START_TIMEOUT_S": "300"}


def answers(client: httpx.Client, status: int) -> bool:
    try:
        return client.get("/ready").status_code == status
    except httpx.TransportError:
        return False


def kill(service: Running, data_dir: Path) -> None:
    """Kill the database and the service, as the kernel does when memory runs out."""
    owner = read_owner(data_dir)
    assert owner is not None
    os.kill(owner.server.pid, signal.SIGKILL)
    assert service.stop(signal.SIGKILL) == -signal.SIGKILL


@contextmanager
def nobody_starts(data_dir: Path) -> Iterator[None]:
    """Hold the start lock of the database, so that it does not start before the end of the block."""
    with (data_dir / "start.lock").open("a+b") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        yield


def ask(client: httpx.Client, query: str, **variables: Any) -> Any:
    return client.post("/graphql", json={"query": query, "variables": variables}).json()["data"]


def recalled(client: httpx.Client) -> tuple[bool, set[str]]:
    """Return whether the answer was made without the database, and which keys of the question it names."""
    answer = (ask(client, RECALL, q="where is the key") or {"recall": {"degraded": True, "hits": []}})["recall"]
    texts = " ".join(hit["text"] for hit in answer["hits"])
    return answer["degraded"], {place for place in ("flowerpot", "shed") if place in texts}


def said(text: str) -> dict[str, Any]:
    return {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": text}]}


@pytest.mark.slow
def test_service_listens_spools_and_answers_before_its_database_is_started(tmp_path: Path, free_port: int) -> None:
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
                # On a busy machine the first message waits too, if the database did not store it in time.
                assert client.get("/ready").json()["spool"]["waiting"] in (2, 3)
                assert service.process.poll() is None
            # The document is printed when the database is available, as always.
            assert service.document()["graphql"].endswith("/graphql")
            until(lambda: answers(client, 200))
            until(lambda: client.get("/ready").json()["spool"]["waiting"] == 0)
            # On a busy machine a database that has just started may miss the time limit of its first questions.
            until(lambda: recalled(client) == (False, {"flowerpot", "shed"}))
            assert service.stop() == 0


@pytest.mark.slow
def test_keys_are_known_without_the_database_and_access_stays_locked(tmp_path: Path, free_port: int) -> None:
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
            # SIGTERM while the service waits for the database stops it in order.
            assert service.stop() == 0


def test_service_exits_with_the_reason_when_its_database_cannot_start(tmp_path: Path) -> None:
    """It already listens by then; whoever started it must still get the reason."""
    home = Home(tmp_path, BOTH | {"MNEMOSCENE_CACHE_DIR": str(tmp_path / "no" / "cache")})
    (tmp_path / "no").touch()
    done = home.run_process("serve", "--port", "0", "--no-browser")
    assert (done.code, "cannot be stored" in done.err or "cannot be used" in done.err) == (7, True)


def test_service_exits_with_the_reason_when_its_database_refuses_the_credentials(
    server: Server, tmp_path: Path
) -> None:
    # A wrong user instead of a wrong password: Neo4j locks a user after a few wrong ones.
    home = Home(tmp_path, {**server.environ, "NEO4J_USER": "nobody"})
    done = home.run_process("serve", "--port", "0", "--no-browser")
    assert (done.code, "set NEO4J_USER and NEO4J_PASSWORD" in done.err, "Traceback" in done.err) == (7, True, False)


@pytest.fixture
def free_port() -> int:
    """Return a port that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])
