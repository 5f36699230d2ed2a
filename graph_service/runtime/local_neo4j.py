"""The local Neo4j as the settings want it: started with progress, or found running."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from graph_service.config.settings import Settings
from graph_service.graph.local.local_server import LocalServer, StartProgress, find_local_server, start_local_server
from graph_service.runtime.progress import Step, Watcher

_DATABASE: Final = "database"
_STAGES: Final = {
    "waiting": "waiting for another process that starts it",
    "fetching": "fetching Neo4j, once",
    "starting": "starting Neo4j",
    "ready": "Neo4j runs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownServer:
    """A Neo4j that is given or runs already."""

    uri: str
    user: str
    password: str = field(repr=False)


async def start_server(
    settings: Settings, on_progress: Watcher, under_way: asyncio.Event | None = None, *, lasting: bool = False
) -> LocalServer:
    """Return the local Neo4j of the data directory, started or shared.

    Args:
        lasting: this process will answer for long.
        under_way: set when Java's process runs, or before it when that takes longer (something is fetched first).
    """

    def tell(progress: StartProgress) -> None:
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
        on_progress=tell,
        lasting=lasting,
    )


def known_server(settings: Settings) -> KnownServer | None:
    """Return the given server, or the local one if it runs; starts nothing."""
    given = settings.neo4j
    if given.uri is not None:
        return KnownServer(uri=given.uri, user=given.user, password=given.password or "")
    local = find_local_server(settings.data_dir)
    return KnownServer(uri=local.uri, user=local.user, password=local.password) if local else None
