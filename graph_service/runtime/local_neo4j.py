"""Start or find the local Neo4j of the settings."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from graph_service.config.settings import Settings
from graph_service.graph.local_neo4j.local_server import (
    LocalServer,
    StartProgress,
    find_local_server,
    start_local_server,
)
from graph_service.runtime.progress import Step, Watcher

_DATABASE: Final = "database"
_STAGES: Final = {
    "waiting": "waiting for another process that is starting it",
    "fetching": "downloading Neo4j, once",
    "starting": "starting Neo4j",
    "ready": "Neo4j is running",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownServer:
    """Address and credentials of a running Neo4j."""

    uri: str
    user: str
    password: str = field(repr=False)


async def start_server(
    settings: Settings, on_progress: Watcher, under_way: asyncio.Event | None = None, *, lasting: bool = False
) -> LocalServer:
    """Return the local Neo4j of the data directory, started here or by another process.

    Args:
        lasting: this process is a service, not a command.
        under_way: set at the first progress report, such as that of a download.
    """

    def report(progress: StartProgress) -> None:
        if under_way is not None:
            under_way.set()
        fetch = progress.fetch
        amount = (fetch.bytes_done, fetch.bytes_total) if fetch else (int(progress.stage == "ready"), None)
        on_progress(Step(part=_DATABASE, doing=_STAGES[progress.stage], done=amount[0], total=amount[1], unit="bytes"))

    return await start_local_server(
        data_dir=settings.data_dir,
        cache_dir=settings.cache_dir,
        heap_mb=settings.neo4j.heap_mb,
        page_cache_mb=settings.neo4j.page_cache_mb,
        start_timeout_s=settings.neo4j.start_timeout_s,
        on_progress=report,
        lasting=lasting,
    )


def known_server(settings: Settings) -> KnownServer | None:
    """Return the configured server, or the local one if it is running; start nothing."""
    given = settings.neo4j
    if given.uri is not None:
        return KnownServer(uri=given.uri, user=given.user, password=given.password or "")
    local = find_local_server(settings.data_dir)
    return KnownServer(uri=local.uri, user=local.user, password=local.password) if local else None
