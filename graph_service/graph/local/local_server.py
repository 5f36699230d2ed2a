"""Starts, finds, shares and stops the local Neo4j of a data directory.

The process that starts a server owns it: the server stops when its owner stops it, exits or is killed. Another process
may share it meanwhile; when the owner leaves, the sharer's driver fails and the sharer may start the server itself.
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from graph_service.graph.local.jar_lock import FetchProgress
from graph_service.graph.local.server_start import OwnServer, ServerAccess, Stage, StartRequest, find_server, get_server

USER: Final = "neo4j"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartProgress:
    """What the start is doing.

    Attributes:
        fetch: set while `stage` is "fetching".
    """

    stage: Stage
    fetch: FetchProgress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running local Neo4j.

    Attributes:
        uri: `bolt://127.0.0.1:PORT`; the port changes with each start.
        owned: True: this process started it and stops it. False: another one's, shared.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    owned: bool
    own: OwnServer | None = field(default=None, repr=False)

    async def stop(self) -> None:
        """Stop an owned server, in about a second; close drivers first. Does nothing to a shared or stopped one."""
        if self.own is not None:
            await asyncio.to_thread(self.own.stop)


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
    """Return the local Neo4j of `data_dir`, started here unless it runs already.

    The first start on a machine fetches about 180 MB of jars into `cache_dir`; that time does not count against
    `start_timeout_s`.

    Args:
        cache_dir: jars and class archives, for all data directories of this user.
        on_progress: called in the running event loop.
        share: False refuses a directory in use instead of sharing its server.
        lasting: it will answer for long: a start takes a second more, answers after the first minutes a third less.

    Raises:
        ConflictError: the directory is in use and `share` is False, or its store is locked by an unknown process.
        InstallError: jars, Java, memory or disk do not allow a start; the message says which.
    """
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def tell(stage: Stage, fetch: FetchProgress | None) -> None:
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
        tell=tell,
        cancelled=cancelled,
    )
    try:
        return _local_server(await asyncio.to_thread(get_server, request))
    finally:
        # A cancelled caller must not leave its thread, or the process it starts, behind.
        cancelled.set()


def find_local_server(data_dir: Path) -> LocalServer | None:
    """Return the server of this directory when it runs and its owner lives; None otherwise. Starts and changes
    nothing.
    """
    found = find_server(data_dir)
    return None if found is None else _local_server(found)


def _local_server(access: ServerAccess) -> LocalServer:
    return LocalServer(
        uri=access.uri, user=USER, password=access.password, owned=access.own is not None, own=access.own
    )
