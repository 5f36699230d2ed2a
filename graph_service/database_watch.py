"""Notices that Neo4j is away, starts the local one again, and says when it answers."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from graph_service.graph.database import open_driver
from graph_service.graph.local.local_server import LocalServer, find_local_server
from graph_service.graph.store import Graph
from graph_service.local_neo4j import start_server
from graph_service.settings import Settings
from graph_service.step import Step
from schema.errors import MnemographError

_log = logging.getLogger("mnemograph.database")

_POLL_S: Final = 0.25
# Between two starts of a local server that keeps ending.
_RESTART_MIN_S: Final = 1.0
_RESTART_MAX_S: Final = 30.0


class Seat:
    """The local Neo4j of this process: another one after a restart, none when a server was given."""

    def __init__(self, server: LocalServer | None) -> None:
        self.server = server

    async def stop(self) -> None:
        """Stops the server if it is ours."""
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
        seat: Seat,
        graph: Graph,
        on_return: Callable[[], None],
        arrived: Callable[[], Awaitable[None]],
    ) -> None:
        self._arrived = arrived
        self._settings = settings
        self._seat = seat
        self._graph = graph
        self._on_return = on_return

    async def run(self, stop: asyncio.Event) -> None:
        """Watches until `stop` is set."""
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
            except MnemographError as error:
                _log.warning("Neo4j could not be started again: %s", error)
                pause_s, restart_s = restart_s, min(restart_s * 2, _RESTART_MAX_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await stop.wait()

    async def _first(self, stop: asyncio.Event) -> bool:
        """Whether the database came at all, before `stop`; what kept it away ends the service elsewhere."""
        coming, stopped = asyncio.ensure_future(self._arrived()), asyncio.ensure_future(stop.wait())
        await asyncio.wait((coming, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not coming.done():
            coming.cancel()
        (problem,) = await asyncio.gather(coming, return_exceptions=True)
        return problem is None

    async def _lost(self) -> bool:
        """Whether the local server has ended; one that another process runs is only looked for when it is silent."""
        server = self._seat.server
        if server is None:
            return False
        if server.own is not None:
            return server.own.ended()
        if not self._graph.away or await self._graph.answers():
            return False
        found = await asyncio.to_thread(find_local_server, self._settings.data_dir)
        return found is None or found.uri != server.uri

    async def _start_again(self) -> None:
        _log.warning("the local Neo4j has ended; it is started again")
        server = await start_server(self._settings, _tell, lasting=True)
        driver = await open_driver(uri=server.uri, user=server.user, password=server.password)
        self._seat.server = server
        await self._graph.use(driver)
        _log.info("the local Neo4j runs again")


def _tell(step: Step) -> None:
    _log.debug("%s: %s", step.part, step.doing)
