"""Watch Neo4j: restart the local server when it ends, and notify when the database answers again."""

import asyncio
import logging
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from graph_service.config.settings import Settings
from graph_service.graph.database import open_driver
from graph_service.graph.local_neo4j.local_server import LocalServer, find_local_server
from graph_service.graph.store import Graph
from graph_service.runtime.local_neo4j import start_server
from graph_service.runtime.progress import Step
from graph_service.supervision import first_done, has_result, wait_for_any
from schema.errors import MnemosceneError

_log = logging.getLogger("mnemoscene.database")

_POLL_S: Final = 0.25
# Backoff between restarts of a local server.
_RESTART_MIN_S: Final = 1.0
_RESTART_MAX_S: Final = 30.0
# A database that is broken for longer is restarted; before, it may be starting or recovering.
_BROKEN_MAX_S: Final = 2.0
# With less free disk space a restart would fail again.
_FREE_MIN_BYTES: Final = 16 * 2**20


class LocalServerHandle:
    """The current local Neo4j of this process; None with a configured server."""

    def __init__(self, server: LocalServer | None) -> None:
        self.server = server

    async def stop(self) -> None:
        """Stop the local server, if this process runs it."""
        if self.server is not None:
            await self.server.stop()


class DatabaseWatch:
    """Keeps a `Graph` connected.

    Args:
        on_return: called each time the database answers again; must not block.
        arrived: returns when the database is connected for the first time; watching begins then.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        server_handle: LocalServerHandle,
        graph: Graph,
        on_return: Callable[[], None],
        arrived: Callable[[], Awaitable[None]],
    ) -> None:
        self._arrived = arrived
        self._settings = settings
        self._server_handle = server_handle
        self._graph = graph
        self._on_return = on_return
        self._broken_since_s: float | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until `stop` is set."""
        arrival, _ = await first_done(self._arrived(), stop.wait())
        if stop.is_set() or not has_result(arrival):
            return
        self._on_return()
        restart_s = _RESTART_MIN_S
        while not stop.is_set():
            pause_s = _POLL_S
            try:
                if await self._has_ended():
                    await self._restart()
                    self._on_return()
                    restart_s = _RESTART_MIN_S
                elif self._graph.away and await self._graph.answers():
                    _log.info("Neo4j answers again")
                    self._on_return()
                elif await self._needs_restart():
                    await self._stop_broken()
            except MnemosceneError as error:
                _log.warning("Neo4j could not be started again: %s", error)
                pause_s, restart_s = restart_s, min(restart_s * 2, _RESTART_MAX_S)
            await wait_for_any(stop, timeout_s=pause_s)

    async def _has_ended(self) -> bool:
        """Return True if the local server has ended; that of another process is checked only if it does not answer."""
        server = self._server_handle.server
        if server is None:
            return False
        if server.own is not None:
            return server.own.ended()
        if not self._graph.away or await self._graph.answers():
            return False
        found = await asyncio.to_thread(find_local_server, self._settings.data_dir)
        return found is None or found.uri != server.uri

    async def _needs_restart(self) -> bool:
        """Return True if our local server must be restarted although its process is alive.

        After a failed commit (a full disk, a failed log) Neo4j accepts log-ins but refuses every statement until it is
        restarted, even if there is room again.
        """
        server, problem = self._server_handle.server, self._graph.broken
        if server is None or server.own is None or problem is None:
            self._broken_since_s = None
            return False
        now_s = time.monotonic()
        if self._broken_since_s is None:
            self._broken_since_s = now_s
            _log.error("the database of the local Neo4j does not work: %s", problem, extra={"code": "UNAVAILABLE"})
        if now_s - self._broken_since_s < _BROKEN_MAX_S:
            return False
        return await asyncio.to_thread(_free_bytes, self._settings.data_dir) >= _FREE_MIN_BYTES

    async def _stop_broken(self) -> None:
        """Stop a local server whose database has stopped; the loop then finds it ended and starts it."""
        server, self._broken_since_s = self._server_handle.server, None
        if server is not None and server.own is not None:
            _log.warning("stopping the local Neo4j, because its database works only after a restart")
            await asyncio.to_thread(server.own.stop)

    async def _restart(self) -> None:
        _log.warning("the local Neo4j has ended; restarting it")
        server = await start_server(self._settings, _log_step, lasting=True)
        driver = await open_driver(uri=server.uri, user=server.user, password=server.password)
        self._server_handle.server = server
        await self._graph.use(driver)
        _log.info("the local Neo4j is running again")


def _free_bytes(data_dir: Path) -> int:
    own = data_dir / "neo4j"
    # The database may be on a disk of its own.
    return shutil.disk_usage(own if own.exists() else data_dir).free


def _log_step(step: Step) -> None:
    _log.debug("%s: %s", step.part, step.doing)
