"""Start or find the local Neo4j of the settings."""

from graph_service.config.settings import Settings
from graph_service.graph.local_neo4j.local_server import LocalServer, find_local_server, start_local_server
from graph_service.observability.progress import Watcher


async def start_server(settings: Settings, on_progress: Watcher, *, lasting: bool = False) -> LocalServer:
    """Return the local Neo4j of the data directory, started here or by another process.

    Args:
        lasting: this process is a service, not a command.
    """
    return await start_local_server(
        data_dir=settings.data_dir,
        cache_dir=settings.cache_dir,
        heap_mb=settings.neo4j.heap_mb,
        page_cache_mb=settings.neo4j.page_cache_mb,
        start_timeout_s=settings.neo4j.start_timeout_s,
        on_progress=on_progress,
        lasting=lasting,
    )


def known_server(settings: Settings) -> LocalServer | None:
    """Return the configured server, or the local one if it is running; start nothing."""
    given = settings.neo4j
    if given.uri is not None:
        return LocalServer(uri=given.uri, user=given.user, password=given.password or "")
    return find_local_server(settings.data_dir)
