"""Read-only checks of a server: its version, clock and data version."""

import time

from graph_service.graph.database import open_driver
from graph_service.graph.schema_setup import outdated_migrations, unknown_migrations
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph

_ANSWER_MAX_S = 5.0


async def open_for_reading(*, uri: str, user: str, password: str, database: str | None) -> tuple[Graph, str]:
    """Connect without running migrations; return the graph, which the caller closes, and the server's version.

    Raises:
        InstallError: wrong address or password, or a server that is too old.
        UnavailableError: nothing answers.
    """
    driver = await open_driver(uri=uri, user=user, password=password, connect_timeout_s=_ANSWER_MAX_S)
    version = (await driver.get_server_info()).agent.partition("/")[2]
    return Graph(driver, database=database, timeout_s=_ANSWER_MAX_S), version


async def clock_offset_s(graph: Graph) -> float:
    """Return by how many seconds the server's clock is ahead of ours, to within half a round trip."""
    started_s = time.time()
    rows = await graph.read(statement("schema/server_clock"), {})
    return float(rows[0]["now_ms"] / 1000 - (started_s + time.time()) / 2)


async def foreign_migrations(graph: Graph) -> tuple[list[str], list[str]]:
    """Return the names of migrations that only a newer version has, and those of a version whose data are too old."""
    names = [row["name"] for row in await graph.read(statement("schema/applied_version"), {})]
    return unknown_migrations(names), outdated_migrations(names)
