"""A real Neo4j for each test process: a container where a Docker engine answers, the local server otherwise."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import platformdirs
import pytest
import pytest_asyncio
from hypothesis import settings

from graph_service.graph.database import connect
from graph_service.graph.local.local_server import start_local_server
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph

# A property holds or does not hold; how long a machine takes to look at an example says nothing of it.
settings.register_profile("mnemograph", deadline=None)
settings.load_profile("mnemograph")

# Vectors of the test embedder (tests/support/embedders.py).
TEST_MODEL, TEST_DIM, TEST_TOKEN_MODEL = "hashed-words", 64, "hashed-words/64"


@dataclass(frozen=True)
class Server:
    """How to reach the Neo4j of this run."""

    uri: str
    user: str
    password: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Command lines first, each call of which starts a process, and pure tests last: the two processes end together."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    path = str(item.path)
    return 2 if "/unit/" in path else 0 if any(part in path for part in ("/repository/", "/cli/", "/mcp/")) else 1


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server() -> AsyncIterator[Server]:
    """One empty Neo4j, shared by all tests of this process; they keep apart by tenant."""
    given = os.environ.get("MNEMOGRAPH_TEST_URI")
    if given:  # a server that a developer keeps running, to save its start
        yield Server(uri=given, user="neo4j", password=os.environ["MNEMOGRAPH_TEST_PASSWORD"])
        return
    if _docker_answers():
        from testcontainers.neo4j import Neo4jContainer

        with Neo4jContainer("neo4j:2026-community", password="mnemograph-tests") as container:
            yield Server(uri=container.get_connection_url(), user="neo4j", password="mnemograph-tests")
        return
    data_dir = Path(tempfile.mkdtemp(prefix="mnemograph-tests-"))
    local = await start_local_server(
        data_dir=data_dir, cache_dir=Path(platformdirs.user_cache_dir("mnemograph")), start_timeout_s=240
    )
    yield Server(uri=local.uri, user=local.user, password=local.password)
    await local.stop()
    shutil.rmtree(data_dir, ignore_errors=True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def graph(server: Server) -> AsyncIterator[Graph]:
    """A connected graph with all migrations and vector indexes for the test embedder."""
    connected = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    await prepare_vectors(connected, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
    yield connected
    await connected.close()


@pytest.fixture
def tenant() -> str:
    """A tenant of this test alone."""
    return f"t-{uuid4().hex[:12]}"


def _docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    import docker
    from docker.errors import DockerException

    try:
        docker.from_env(timeout=3).ping()
    except (DockerException, OSError):
        return False
    return True
