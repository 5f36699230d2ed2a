"""The database of a process: connect to it at the start, and restart the local Neo4j when it ends.

A command waits until it is connected. A service does not: it accepts messages into the spool and answers what it can,
because after a crash the local Neo4j may take long (recovery, or the Neo4j of a dead service still locks the store).
"""

import asyncio
import logging
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from graph_service.auth.keyring import plan_reading
from graph_service.config.settings import Settings
from graph_service.graph.database import connect, open_driver
from graph_service.graph.local_neo4j.local_server import LocalServer, ServerDiedError, find_local_server, start_server
from graph_service.graph.local_neo4j.server_process import ServerSlowError
from graph_service.graph.store import Graph
from graph_service.observability.progress import Watcher
from graph_service.supervision import cancel, first_done, has_result, wait_for_any
from schema.errors import ConflictError, MnemosceneError, UnavailableError

_log = logging.getLogger("mnemoscene.database")

_PAUSE_MIN_S: Final = 0.5
_PAUSE_MAX_S: Final = 5.0
# The Neo4j of a dead process unlocks its store within seconds; more failures than this will not heal.
_START_TRIES_MAX: Final = 4
_POLL_S: Final = 0.25
# Backoff between restarts of a local server.
_RESTART_MIN_S: Final = 1.0
_RESTART_MAX_S: Final = 30.0
# A database that is broken for longer is restarted; before, it may be starting or recovering.
_BROKEN_MAX_S: Final = 2.0
# With less free disk space a restart would fail again.
_FREE_MIN_BYTES: Final = 16 * 2**20


@dataclass(slots=True, kw_only=True, eq=False)
class Database:
    """Connects a `Graph` that has no driver yet, and keeps it connected.

    Args:
        graph: receives the driver when everything is ready.
        starting: the running start of the local Neo4j; None with a configured server.
        prepare: creates the vector indexes before the graph is used.
        patient: retry temporary errors (a service); else raise at once (a command).

    Attributes:
        server: the local Neo4j; None with a configured server, or while it starts.
        task: connects for the first time.
        on_return: called each time the database answers again; must not block.
    """

    settings: Settings
    graph: Graph
    starting: "asyncio.Task[LocalServer] | None"
    prepare: Callable[[Graph], Awaitable[None]]
    on_progress: Watcher
    patient: bool
    server: LocalServer | None = field(default=None, init=False)
    task: asyncio.Task[None] | None = field(default=None, init=False)
    on_return: Callable[[], None] = field(default_factory=lambda: lambda: None, init=False)
    _tries: int = field(default=0, init=False)
    _postponed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _broken_since_s: float | None = field(default=None, init=False)

    @property
    def connected(self) -> bool:
        return self.task is not None and self.task.done() and has_result(self.task)

    def begin(self) -> None:
        """Start connecting in the background; call it once."""
        self.task = asyncio.create_task(self._connect(), name="database arrival")

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
        arrived, _ = await first_done(self.wait(), self._postponed.wait())
        if not arrived.cancelled():
            arrived.result()

    async def close(self) -> None:
        """Cancel connecting; `stop_server` stops a server that was started."""
        await cancel(self.task, self.starting)

    async def stop_server(self) -> None:
        """Stop the local server, if this process runs it."""
        if self.server is not None:
            await self.server.stop()

    async def run(self, stop: asyncio.Event) -> None:
        """Keep the database connected until `stop` is set, from when it was connected for the first time."""
        arrival, _ = await first_done(self.wait(), stop.wait())
        if not has_result(arrival):
            # Its error ends the service, which sets `stop`.
            await stop.wait()
        if stop.is_set():
            return
        self.on_return()
        restart_s = _RESTART_MIN_S
        while not stop.is_set():
            pause_s = _POLL_S
            try:
                if await self._has_ended():
                    await self._restart()
                    self.on_return()
                    restart_s = _RESTART_MIN_S
                elif self.graph.away and await self.graph.answers():
                    _log.info("Neo4j answers again")
                    self.on_return()
                elif await self._needs_restart():
                    await self._stop_broken()
            except MnemosceneError as error:
                _log.warning("Neo4j could not be started again: %s", error)
                pause_s, restart_s = restart_s, min(restart_s * 2, _RESTART_MAX_S)
            await wait_for_any(stop, timeout_s=pause_s)

    async def _connect(self) -> None:
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
        if not self.patient:
            return False
        if isinstance(error, UnavailableError):
            return True
        temporary = ServerDiedError | ServerSlowError | ConflictError
        return isinstance(error, temporary) and self._tries < _START_TRIES_MAX

    async def _attempt(self) -> None:
        given, database = self.settings.neo4j, None
        if given.uri is None:
            server = await self._started()
            uri, user, password = server.uri, server.user, server.password
        else:
            uri, user, password, database = given.uri, given.user, given.password or "", given.database
        new = await connect(uri=uri, user=user, password=password, database=database, warm_up=plan_reading)
        try:
            await self.prepare(new)
        finally:
            await new.close()
        await self.graph.use(await open_driver(uri=uri, user=user, password=password))

    async def _started(self) -> LocalServer:
        """Return the local server; start it if this process runs none or its own has ended."""
        if self.server is None or self.server.own is None or self.server.own.ended():
            starting, self.starting = self.starting, None
            if starting is None:
                starting = asyncio.create_task(start_server(self.settings, self.on_progress, lasting=True))
            self.server = await starting
        return self.server

    async def _has_ended(self) -> bool:
        """Return True if the local server has ended; that of another process is checked only if it does not answer."""
        if self.server is None:
            return False
        if self.server.own is not None:
            return self.server.own.ended()
        if not self.graph.away or await self.graph.answers():
            return False
        found = await asyncio.to_thread(find_local_server, self.settings.data_dir)
        return found is None or found.uri != self.server.uri

    async def _needs_restart(self) -> bool:
        """Return True if our local server must be restarted although its process is alive.

        After a failed commit (a full disk, a failed log) Neo4j accepts log-ins but refuses every statement until it is
        restarted, even if there is room again.
        """
        problem = self.graph.broken
        if self.server is None or self.server.own is None or problem is None:
            self._broken_since_s = None
            return False
        now_s = time.monotonic()
        if self._broken_since_s is None:
            self._broken_since_s = now_s
            _log.error("the database of the local Neo4j does not work: %s", problem, extra={"code": "UNAVAILABLE"})
        if now_s - self._broken_since_s < _BROKEN_MAX_S:
            return False
        data_dir = self.settings.data_dir
        own = data_dir / "neo4j"
        # The database may be on a disk of its own.
        disk = await asyncio.to_thread(lambda: shutil.disk_usage(own if own.exists() else data_dir))
        return disk.free >= _FREE_MIN_BYTES

    async def _stop_broken(self) -> None:
        """Stop a local server whose database has stopped; the loop then finds it ended and starts it."""
        self._broken_since_s = None
        if self.server is not None and self.server.own is not None:
            _log.warning("stopping the local Neo4j, because its database works only after a restart")
            await asyncio.to_thread(self.server.own.stop)

    async def _restart(self) -> None:
        _log.warning("the local Neo4j has ended; restarting it")
        server = await start_server(
            self.settings, lambda step: _log.debug("%s: %s", step.part, step.doing), lasting=True
        )
        driver = await open_driver(uri=server.uri, user=server.user, password=server.password)
        self.server = server
        await self.graph.use(driver)
        _log.info("the local Neo4j is running again")
