"""Read-only checks of a server: its version, clock and data version."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from graph_service.graph.database import OLDEST_VERSION, open_driver, version_of
from graph_service.graph.schema_setup import outdated_migrations, unknown_migrations
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from schema.errors import InstallError, UnavailableError

_ANSWER_MAX_S = 5.0


@asynccontextmanager
async def open_for_reading(*, uri: str, user: str, password: str, database: str | None) -> AsyncIterator[Graph]:
    """Connect without running migrations, and yield the graph.

    Raises:
        InstallError: wrong address or password, or a server that is too old.
        UnavailableError: nothing answers.
    """
    driver = await open_driver(uri=uri, user=user, password=password, connect_timeout_s=_ANSWER_MAX_S)
    graph = Graph(driver, database=database, timeout_s=_ANSWER_MAX_S)
    try:
        yield graph
    finally:
        await graph.close()


async def clock_offset_s(graph: Graph) -> float:
    """Return by how many seconds the server's clock is ahead of ours, to within half a round trip."""
    started_s = time.time()
    rows = await graph.read(statement("schema/server_clock"), {})
    return float(rows[0]["now_ms"] / 1000 - (started_s + time.time()) / 2)


async def foreign_migrations(graph: Graph) -> tuple[list[str], list[str]]:
    """Return the names of migrations that only a newer version has, and those of a version whose data are too old."""
    names = [row["name"] for row in await graph.read(statement("schema/applied_version"), {})]
    return unknown_migrations(names), outdated_migrations(names)


async def probe_server(*, uri: str, user: str, password: str) -> str:
    """Return the version of the server, such as `2026.08.1`.

    Raises:
        InstallError: wrong address or password, or a server that is too old.
        UnavailableError: nothing answers.
    """
    try:
        driver = AsyncGraphDatabase.driver(
            uri, auth=(user, password), connection_timeout=_ANSWER_MAX_S, telemetry_disabled=True
        )
    except (ConfigurationError, ValueError) as error:
        raise InstallError(f"{uri!r} is not the address of a Neo4j: {error}") from error
    async with driver:
        try:
            server = await driver.get_server_info()
        except AuthError as error:
            raise InstallError(f"{uri} refused the user {user!r}") from error
        except (DriverError, Neo4jError, OSError) as error:
            raise UnavailableError(f"no Neo4j answers at {uri} ({type(error).__name__})") from error
    version = server.agent.partition("/")[2]
    if version_of(version) < OLDEST_VERSION:
        raise InstallError(f"{uri} is version {version}; 2026.02 or newer is needed")
    return version
