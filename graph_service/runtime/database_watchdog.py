"""Notices that Neo4j is away, starts the local one again, and says when it answers."""

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from graph_service.config.settings import Settings
from graph_service.graph.database import open_driver
from graph_service.graph.local.local_server import LocalServer, find_local_server
from graph_service.graph.store import Graph
from graph_service.runtime.local_neo4j import start_server
from graph_service.runtime.progress import Step
from schema.errors import MnemographError

_log = logging.getLogger("mnemograph.database")

_POLL_S: Final = 0.25
# Between two starts of a local server that keeps ending.
_RESTART_MIN_S: Final = 1.0
_RESTART_MAX_S: Final = 30.0
# A database that refuses to work for so long is started again; until then it may be starting or recovering.
_BROKEN_MAX_S: Final = 2.0
# With less room on its disk it would only stop again.
_ROOM_MIN_BYTES: Final = 16 * 2**20


class LocalServerHandle:
    """The local Neo4j of this process: another one after a restart, none when a server was given."""

    def __init__(self, server: LocalServer | None) -> None:
        self.server = server

    async def stop(self) -> None:
        """Stop the server if it is ours."""
        if self.server is not None:
            await self.server.stop()


class DatabaseWatch:
    """Keeps a `Graph` connected.

    Args:
        on_return: called each time the database answers again; must not wait.
        arrived: returns when the database is there for the first time; until then nothing is watched.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        seat: LocalServerHandle,
        graph: Graph,
        on_return: Callable[[], None],
        arrived: Callable[[], Awaitable[None]],
    ) -> None:
        self._arrived = arrived
        self._settings = settings
        self._seat = seat
        self._graph = graph
        self._on_return = on_return
        self._broken_since_s: float | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until `stop` is set."""
        if not await self._first(stop):
            return
        self._on_return()
        restart_s = _RESTART_MIN_S
        while not stop.is_set():
            pause_s = _POLL_S
            try:
                if await self._lost():
                    await self._start_again()
                    self._on_return()
                    restart_s = _RESTART_MIN_S
                elif self._graph.away and await self._graph.answers():
                    _log.info("Neo4j answers again")
                    self._on_return()
                elif await self._stopped_working():
                    await self._stop_broken()
            except MnemographError as error:
                _log.warning("Neo4j could not be started again: %s", error)
                pause_s, restart_s = restart_s, min(restart_s * 2, _RESTART_MAX_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await stop.wait()

    async def _first(self, stop: asyncio.Event) -> bool:
        """Return whether the database came at all, before `stop`; what kept it away ends the service elsewhere."""
        coming, stopped = asyncio.ensure_future(self._arrived()), asyncio.ensure_future(stop.wait())
        await asyncio.wait((coming, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not coming.done():
            coming.cancel()
        (problem,) = await asyncio.gather(coming, return_exceptions=True)
        return problem is None

    async def _lost(self) -> bool:
        """Return whether the local server has ended; one that another process runs is only looked for when it is
        silent.
        """
        server = self._seat.server
        if server is None:
            return False
        if server.own is not None:
            return server.own.ended()
        if not self._graph.away or await self._graph.answers():
            return False
        found = await asyncio.to_thread(find_local_server, self._settings.data_dir)
        return found is None or found.uri != server.uri

    async def _stopped_working(self) -> bool:
        """Return whether the local server that we run must be started again, although its process lives.

        After a commit that failed (a full disk, a failed log) Neo4j answers and lets in, and refuses every statement
        until it is started again, however much room there is by then.
        """
        server, problem = self._seat.server, self._graph.broken
        if server is None or server.own is None or problem is None:
            self._broken_since_s = None
            return False
        now_s = time.monotonic()
        if self._broken_since_s is None:
            self._broken_since_s = now_s
            _log.error("the database of the local Neo4j does not work: %s", problem, extra={"code": "UNAVAILABLE"})
        if now_s - self._broken_since_s < _BROKEN_MAX_S:
            return False
        return await asyncio.to_thread(_room_bytes, self._settings.data_dir) >= _ROOM_MIN_BYTES

    async def _stop_broken(self) -> None:
        """End the process of a local server whose database stopped; the next look finds it ended and starts it."""
        server, self._broken_since_s = self._seat.server, None
        if server is not None and server.own is not None:
            _log.warning("the local Neo4j is ended, because its database works only after a new start")
            await asyncio.to_thread(server.own.stop)

    async def _start_again(self) -> None:
        _log.warning("the local Neo4j has ended; it is started again")
        server = await start_server(self._settings, _tell, lasting=True)
        driver = await open_driver(uri=server.uri, user=server.user, password=server.password)
        self._seat.server = server
        await self._graph.use(driver)
        _log.info("the local Neo4j runs again")


def _room_bytes(data_dir: Path) -> int:
    own = data_dir / "neo4j"
    # The database may lie on a disk of its own.
    return shutil.disk_usage(own if own.exists() else data_dir).free


def _tell(step: Step) -> None:
    _log.debug("%s: %s", step.part, step.doing)
