"""Start, find, share and stop the local Neo4j of a data directory.

The process that starts a server owns it: the server stops when its owner stops it, exits or is killed. Other
processes may share it; when the owner exits, their drivers fail and they may start the server themselves.
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graph_service.graph.local_neo4j.jar_lock import FetchProgress
from graph_service.graph.local_neo4j.server_start import (
    LocalServer,
    Stage,
    StartRequest,
    find_local_server,
    get_server,
)

__all__ = ["LocalServer", "StartProgress", "find_local_server", "start_local_server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartProgress:
    """Progress of starting the local Neo4j.

    Attributes:
        fetch: set while `stage` is "fetching".
    """

    stage: Stage
    fetch: FetchProgress | None = None


async def start_local_server(
    *,
    data_dir: Path,
    cache_dir: Path,
    heap_mb: int = 512,
    page_cache_mb: int = 64,
    start_timeout_s: float = 60,
    on_progress: Callable[[StartProgress], None] | None = None,
    share: bool = True,
    lasting: bool = False,
) -> LocalServer:
    """Return the local Neo4j of `data_dir`; start it unless it is running.

    The first start on a machine downloads about 180 MB of jars into `cache_dir`, outside of `start_timeout_s`.

    Args:
        cache_dir: for jars and class archives of all data directories of this user.
        on_progress: called in the running event loop.
        share: False: raise ConflictError instead of sharing a running server.
        lasting: the server will run for long: the start takes a second more, later queries a third less.

    Raises:
        ConflictError: the directory is in use and `share` is False, or its store is locked by an unknown process.
        InstallError: jars, Java, memory or disk do not allow a start; the message says which.
    """
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def report(stage: Stage, fetch: FetchProgress | None) -> None:
        if on_progress is not None:
            loop.call_soon_threadsafe(on_progress, StartProgress(stage=stage, fetch=fetch))

    request = StartRequest(
        data_dir=data_dir,
        cache_dir=cache_dir,
        heap_mb=heap_mb,
        page_cache_mb=page_cache_mb,
        timeout_s=start_timeout_s,
        share=share,
        lasting=lasting,
        report=report,
        cancelled=cancelled,
    )
    try:
        return await asyncio.to_thread(get_server, request)
    finally:
        # If the caller was cancelled, end the thread and the process it starts.
        cancelled.set()
