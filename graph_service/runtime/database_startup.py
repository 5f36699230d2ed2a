"""Connect a service to its database at start: start Neo4j, log in, migrate, prepare vector indexes.

A command waits until this is done. A service does not: it accepts messages into the spool and answers what it can,
because after a crash the local Neo4j may take long (recovery, or the Neo4j of a dead service still locks the store).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from graph_service.auth.keyring import plan_reading
from graph_service.config.settings import Settings
from graph_service.graph.database import connect, open_driver
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.local_neo4j.server_process import ServerSlowError
from graph_service.graph.local_neo4j.server_start import ServerDiedError
from graph_service.graph.store import Graph
from graph_service.runtime.database_watchdog import LocalServerHandle
from graph_service.runtime.local_neo4j import start_server
from graph_service.runtime.progress import Watcher
from graph_service.supervision import cancel, first_done
from schema.errors import ConflictError, MnemosceneError, UnavailableError

_log = logging.getLogger("mnemoscene.database")

_PAUSE_MIN_S: Final = 0.5
_PAUSE_MAX_S: Final = 5.0
# The Neo4j of a dead process unlocks its store within seconds; more failures than this will not heal.
_START_TRIES_MAX: Final = 4


class DatabaseStartup:
    """Connects a `Graph` that has no driver yet.

    Args:
        graph: receives the driver when everything is ready.
        server_handle: receives the local server.
        starting: the running start of the local Neo4j; None with a configured server.
        prepare: creates the vector indexes before the graph is used.
        patient: retry temporary errors (a service); else raise at once (a command).
    """

    def __init__(
        self,
        *,
        settings: Settings,
        server_handle: LocalServerHandle,
        graph: Graph,
        starting: "asyncio.Task[LocalServer] | None",
        prepare: Callable[[Graph], Awaitable[None]],
        on_progress: Watcher,
        patient: bool,
    ) -> None:
        self._settings = settings
        self._server_handle = server_handle
        self._graph = graph
        self._starting = starting
        self._prepare = prepare
        self._on_progress = on_progress
        self._patient = patient
        self._tries = 0
        self._postponed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Return True if the database is connected."""
        return self.task is not None and self.task.done() and not self.task.cancelled() and not self.task.exception()

    def begin(self) -> None:
        """Start connecting in the background; call it once."""
        self.task = asyncio.create_task(self._run(), name="database arrival")

    async def wait(self) -> None:
        """Wait until the database is connected.

        Raises:
            InstallError: the operator must change something.
            ConflictError: an unknown process uses the data directory.
            UnavailableError: the configured Neo4j does not answer, and this is not a service.
        """
        assert self.task is not None, "begin first"
        await asyncio.shield(self.task)

    async def attempted(self) -> None:
        """Wait until the database is connected, or was tried once and does not answer for now.

        Raises:
            InstallError, ConflictError: see `wait`.
        """
        assert self.task is not None, "begin first"
        arrived, _ = await first_done(self.wait(), self._postponed.wait())
        if not arrived.cancelled():
            arrived.result()

    async def close(self) -> None:
        """Cancel connecting; the caller stops a server that was started."""
        await cancel(self.task, self._starting)

    async def _run(self) -> None:
        pause_s = _PAUSE_MIN_S
        while True:
            try:
                await self._attempt()
            except MnemosceneError as error:
                if not self._is_temporary(error):
                    raise
                _log.warning("the database is not available yet, retrying: %s", error)
                self._postponed.set()
            else:
                return
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _PAUSE_MAX_S)

    def _is_temporary(self, error: MnemosceneError) -> bool:
        """Count a failed attempt; return True if a retry may succeed."""
        self._tries += 1
        if not self._patient:
            return False
        if isinstance(error, UnavailableError):
            return True
        temporary = ServerDiedError | ServerSlowError | ConflictError
        return isinstance(error, temporary) and self._tries < _START_TRIES_MAX

    async def _attempt(self) -> None:
        given, database = self._settings.neo4j, None
        if given.uri is None:
            server = await self._server()
            uri, user, password = server.uri, server.user, server.password
        else:
            uri, user, password, database = given.uri, given.user, given.password or "", given.database
        new = await connect(uri=uri, user=user, password=password, database=database, warm_up=plan_reading)
        try:
            await self._prepare(new)
        finally:
            await new.close()
        await self._graph.use(await open_driver(uri=uri, user=user, password=password))

    async def _server(self) -> LocalServer:
        """Return the local server; start it if this process runs none or its own has ended."""
        server = self._server_handle.server
        if server is None or (server.own is not None and server.own.ended()) or server.own is None:
            starting, self._starting = self._starting, None
            if starting is None:
                starting = asyncio.create_task(start_server(self._settings, self._on_progress, lasting=True))
            self._server_handle.server = await starting
            return self._server_handle.server
        return server
