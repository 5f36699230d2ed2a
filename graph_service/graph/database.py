"""Connect to a Neo4j server: driver, log-in, version check, migrations; look at one without changing it."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import AuthError, ClientError, ConfigurationError

from graph_service.graph import driver_values
from graph_service.graph.driver_errors import error_code, kind_of
from graph_service.graph.schema_setup import migrate
from graph_service.graph.statements import statement
from graph_service.graph.store import USER_AGENT, Graph
from schema.errors import InstallError, UnavailableError

# The first version whose Cypher 25 has SEARCH with filters inside the vector index.
OLDEST_VERSION = (2026, 2)
CONNECT_MAX_S = 5.0


async def connect(
    *,
    uri: str,
    user: str,
    password: str,
    database: str | None,
    timeout_s: float = 30.0,
    warm_up: Callable[[Graph], Awaitable[object]] | None = None,
) -> Graph:
    """Connect, check the server's version, run missing migrations and return the graph.

    Args:
        warm_up: runs concurrently with the check of migrations: a server that has just started takes a second for its
            first statement, and hardly longer for two at once.

    Raises:
        InstallError: wrong address or password, or a server older than 2026.02.
        UnavailableError: the server does not answer.
    """
    driver = await open_driver(uri=uri, user=user, password=password)
    try:
        graph = Graph(driver, database=database, timeout_s=timeout_s)
        await asyncio.gather(migrate(graph), *([] if warm_up is None else [warm_up(graph)]))
    except BaseException:
        await driver.close()
        raise
    return graph


def graph_without_server(database: str | None) -> Graph:
    """Return a graph that is unavailable until `use` sets a driver; its placeholder address is port 0."""
    driver = AsyncGraphDatabase.driver("bolt://127.0.0.1:0", auth=("neo4j", ""), max_transaction_retry_time=0)
    return Graph(driver, database=database)


async def open_driver(*, uri: str, user: str, password: str) -> AsyncDriver:
    """Log in, check the server's version, and return the driver; it does not retry, because `Graph` does.

    Raises:
        InstallError: wrong address or password, or a server older than 2026.02.
        UnavailableError: the server does not answer.
    """
    driver_values.install()
    try:
        driver = AsyncGraphDatabase.driver(
            uri,
            auth=(user, password),
            connection_timeout=CONNECT_MAX_S,
            max_transaction_retry_time=0,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent=USER_AGENT,
        )
    except (ConfigurationError, ValueError) as error:
        raise InstallError(f"NEO4J_URI is {uri!r}: {error}. Use bolt://host:7687 or neo4j+s://host") from error
    try:
        _check_version(await _log_in(driver, uri=uri, user=user), uri)
    except BaseException:
        await driver.close()
        raise
    return driver


async def _log_in(driver: AsyncDriver, *, uri: str, user: str) -> str:
    """Log in and return the server's version, which it sends in its answer."""
    try:
        server = await driver.get_server_info()
    except AuthError as error:
        raise InstallError(
            f"{uri} refused the user {user!r}: set NEO4J_USER and NEO4J_PASSWORD to what the server expects"
        ) from error
    except ClientError as error:
        raise InstallError(f"{uri} refused the connection ({error.code}): {error.message}") from error
    except Exception as error:
        if kind_of(error) is None:
            raise
        raise UnavailableError(
            f"no Neo4j answers at {uri} ({error_code(error)}): start it, or unset NEO4J_URI to use the local one"
        ) from error
    return server.agent.partition("/")[2]


def _check_version(text: str, uri: str) -> None:
    if version_of(text) < OLDEST_VERSION:
        raise InstallError(
            f"the Neo4j at {uri} is version {text}; Mnemoscene needs 2026.02 or newer (Cypher 25 SEARCH with filters). "
            "Upgrade it, or unset NEO4J_URI: the service then starts a local Neo4j by itself"
        )


def version_of(text: str) -> tuple[int, int]:
    """Return year and month of a version such as `2026.08.1` or `5.26.0-aura`; (0, 0) if unreadable."""
    found = re.match(r"(\d+)\.(\d+)", text)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


async def open_for_reading(*, uri: str, user: str, password: str, database: str | None) -> tuple[Graph, str]:
    """Connect without running migrations; return the graph, which the caller closes, and the server's version.

    Raises:
        InstallError: wrong address or password, or a server that is too old.
        UnavailableError: nothing answers.
    """
    driver = await open_driver(uri=uri, user=user, password=password)
    version = (await driver.get_server_info()).agent.partition("/")[2]
    return Graph(driver, database=database, timeout_s=CONNECT_MAX_S), version


async def clock_offset_s(graph: Graph) -> float:
    """Return by how many seconds the server's clock is ahead of ours, to within half a round trip."""
    started_s = time.time()
    rows = await graph.read(statement("schema/server_clock"), {})
    return float(rows[0]["now_ms"] / 1000 - (started_s + time.time()) / 2)
