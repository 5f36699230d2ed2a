"""Fixtures for all tests: one Neo4j per test process, in a container if Docker answers, else as a local server."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from hypothesis import settings

from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from tests.support.builders import delete_open_jobs, delete_open_sessions
from tests.support.cli_process import Home
from tests.support.neo4j_server import KEEP_PLANS, start_test_server

# No deadline: the time an example takes on a loaded machine says nothing about the property.
settings.register_profile("ci", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("ci")

# Databases and spools of tests write in memory where there is room: a disk takes milliseconds for each commit. No test
# needs files to outlive the machine; those about full disks mount disks of their own.
MEMORY_DIR = Path("/dev/shm")
MEMORY_MIN_BYTES = 4 * 1024**3


def pytest_configure() -> None:
    """Choose the folder of temporary files before pytest or a test asks for it; child processes inherit it."""
    if "TMPDIR" in os.environ or not MEMORY_DIR.is_dir() or not os.access(MEMORY_DIR, os.W_OK):
        return
    if shutil.disk_usage(MEMORY_DIR).free >= MEMORY_MIN_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY_DIR)


# Vectors of the test embedder (tests/support/embedders.py).
TEST_MODEL, TEST_DIM, TEST_TOKEN_MODEL = "hashed-words", 64, "hashed-words/64"


@dataclass(frozen=True)
class Server:
    """The address and credentials of the Neo4j of this process."""

    uri: str
    user: str
    password: str

    @property
    def environ(self) -> dict[str, str]:
        """The settings of a service or command that uses this Neo4j, without an embedder."""
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USER": self.user,
            "NEO4J_PASSWORD": self.password,
            "MNEMOSCENE_EMBEDDING_KIND": "none",
        }


# Tests that create and drop indexes of the shared Neo4j; those of everyday questions do so for the real embedder.
CHANGE_INDEXES = (
    "/api/test_everyday_questions.py",
    "/api/test_embedder_change.py",
    "/graph/test_database.py",
    "/graph/test_statements.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that start processes first and pure tests last, so that both xdist workers end together.

    Tests that change indexes come before all others, when hardly any statement is planned yet. Browser tests follow
    those of the memory: from then on a service runs, whose worker does the jobs of all tenants.
    """
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    path = str(item.path)
    # Neo4j plans every statement again after an index was created or dropped: 6 s for recall alone.
    if path.endswith(CHANGE_INDEXES):
        return -1
    if "/unit/" in path:
        return 3
    if "/viewer/" in path:
        return 2
    return 0 if any(part in path for part in ("/repository/", "/cli/", "/mcp/")) else 1


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server() -> AsyncIterator[Server]:
    """Start one empty Neo4j for all tests of this process; tests are separated by tenant."""
    given = os.environ.get("MNEMOSCENE_TEST_URI")
    if given:  # Reuse a running server, to save the start.
        with _used_alone(given):
            yield Server(uri=given, user="neo4j", password=os.environ["MNEMOSCENE_TEST_PASSWORD"])
        return
    if _docker_answers():
        from testcontainers.neo4j import Neo4jContainer

        name, value = KEEP_PLANS
        setting = f"NEO4J_{name.replace('_', '__').replace('.', '_')}"
        with Neo4jContainer("neo4j:2026-community", password="mnemoscene-tests").with_env(setting, value) as container:
            yield Server(uri=container.get_connection_url(), user="neo4j", password="mnemoscene-tests")
        return
    data_dir = Path(tempfile.mkdtemp(prefix="mnemoscene-tests-"))
    local = await start_test_server(data_dir)
    yield Server(uri=local.uri, user=local.user, password=local.password)
    await local.stop()
    shutil.rmtree(data_dir, ignore_errors=True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def graph(server: Server) -> AsyncIterator[Graph]:
    """Connect, with the schema and the vector indexes of the test embedder."""
    connected = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    await prepare_vectors(connected, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
    _graphs.append(connected)
    yield connected
    _graphs.remove(connected)
    await connected.close()


# The connection of this process while it is open.
_graphs: list[Graph] = []


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def no_jobs_left() -> AsyncIterator[None]:
    """Delete the open jobs and sessions that a module leaves, which workers of later tests would process."""
    yield
    for connected in _graphs:
        await delete_open_jobs(connected)
        await delete_open_sessions(connected)


@pytest.fixture
def tenant() -> str:
    """Return a tenant used by this test only."""
    return f"t-{uuid4().hex[:12]}"


@pytest.fixture
def home(tmp_path: Path, server: Server, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this process its own folder and settings for the Neo4j of the tests and `tenant`."""
    Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant}).move_in(monkeypatch)
    return tmp_path


@contextlib.contextmanager
def _used_alone(uri: str) -> Iterator[None]:
    """Fail if another test process uses this database: workers run the jobs of all tenants, and modules delete them."""
    name = f"mnemoscene-tests-{hashlib.sha256(uri.encode()).hexdigest()[:16]}.lock"
    with (Path(tempfile.gettempdir()) / name).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pytest.exit(f"another test process uses {uri}: wait for it, or unset MNEMOSCENE_TEST_URI", returncode=4)
        yield


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
