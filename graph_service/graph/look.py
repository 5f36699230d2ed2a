"""Looks at a database that answers, without changing anything in it: its clock, its version of the data."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph_service.graph.database import open_driver
from graph_service.graph.migrate import unknown_migrations
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph

_ANSWER_MAX_S = 5.0


@asynccontextmanager
async def looking(*, uri: str, user: str, password: str, database: str | None) -> AsyncIterator[Graph]:
    """A graph for reading; no migration is run.

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


async def clock_apart_s(graph: Graph) -> float:
    """By how much the server's clock is ahead of ours, as far as the way there and back lets one tell."""
    started_s = time.time()
    rows = await graph.read(statement("read/clock"), {})
    return float(rows[0]["now_ms"] / 1000 - (started_s + time.time()) / 2)


async def written_by_newer(graph: Graph) -> list[str]:
    """Migrations that ran there and are not known here."""
    rows = await graph.read(statement("read/migrations"), {})
    return unknown_migrations(row["name"] for row in rows)
