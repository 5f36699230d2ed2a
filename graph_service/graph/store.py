"""Run statements and transactions, with timeouts, retries, a circuit breaker and our own errors."""

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncNeo4jDriver,
    AsyncSession,
    Query,
    unit_of_work,
)
from neo4j.graph import Node
from neo4j.time import DateTime as Neo4jDateTime

from graph_service.circuit_breaker import Breaker, BreakerState
from graph_service.graph.driver_errors import AWAY, ErrorKind, away, classify, error_code, kind_of
from graph_service.graph.round_trips import round_trip
from graph_service.graph.statements import Statement, statement
from graph_service.observability.metrics import DATABASE_FAILURES
from graph_service.version import version
from schema.errors import UnavailableError
from schema.timespan import as_utc

Row = dict[str, Any]
T = TypeVar("T")
Observer = Callable[[Statement], None]

# Identifies this process among the connections of a server.
USER_AGENT: Final = f"mnemoscene/{version()} {secrets.token_hex(8)}"
_READ_TRIES: Final = 3
_DEFINE_TRIES: Final = 20
_CREATED_MEANWHILE: Final = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
# A pooled connection may be older than the server's last start; the second try opens a new one.
_WRITE_LOSSES_MAX: Final = 2
# While the server is unavailable calls fail at once; after this time one call is let through as a probe.
_PROBE_AFTER_S: Final = 3.0
_PROBE_MAX_S: Final = 2.0
# Added to the server's timeout of a statement; ends calls to a server that went silent.
_SILENCE_S: Final = 5.0
# Limit for planning a hot statement that timed out, because the server had no plan of it: `recall/recall` takes 5 to
# 13 s, and up to 50 s on a busy machine. One that takes less than `_PLANNED_S` was there, so the statement is slow.
_PLANNING_MAX_S: Final = 180.0
_PLANNED_S: Final = 1.0
_TIMED_OUT: Final = "Neo.ClientError.Transaction.TransactionTimedOut"
_RETRY_DELAY_S: Final = 0.05
_RETRY_DELAY_MAX_S: Final = 1.0
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})


class Writing:
    """An open write transaction; it may be retried, so its steps must not call a model, the network or a clock."""

    def __init__(self, tx: AsyncManagedTransaction, observer: Observer | None) -> None:
        self._tx = tx
        self._observer = observer

    async def run(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Run one statement and return its rows as plain Python values."""
        if self._observer:
            self._observer(statement)
        with round_trip(statement.name, "write"):
            result = await self._tx.run(statement.text, statement.values(parameters))
            return [_plain(dict(zip(record.keys(), record.values(), strict=True))) async for record in result]


class Graph:
    """A database behind one driver, with a circuit breaker.

    While the server does not answer all calls fail at once, so that they take milliseconds instead of a connection
    timeout. `answers` probes it, and so does one call every few seconds. Everything that reads or writes may then raise
    `UnavailableError`; docstrings say so only where something of the call remains or another resource can be missing.

    In a cluster (`neo4j://`) reads go to the leader, which has what every process has just written. Only those of
    analysts, and statements with `may lag` in their header, go to followers, with the bookmarks of this process.

    Args:
        driver: without retries of its own (`max_transaction_retry_time=0`).
        observer: called with each statement that is sent; tests count round trips with it.
        timeout_s: limit for one statement or transaction, enforced by the server.
    """

    def __init__(
        self, driver: AsyncDriver, *, database: str | None, timeout_s: float = 30.0, observer: Observer | None = None
    ) -> None:
        self._driver = driver
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._database = database
        self._timeout_s = timeout_s
        self._breaker = Breaker(failures_max=1, open_s=_PROBE_AFTER_S)
        self._problem: str | None = None
        # Set by an error of the database itself, until `answers` finds that it works.
        self._suspect = False
        self._planning: set[asyncio.Task[None]] = set()
        self.observer = observer

    @property
    def away(self) -> bool:
        """Return True if the server did not answer the last call."""
        return self._breaker.state(time.monotonic()) is not BreakerState.CLOSED

    @property
    def broken(self) -> str | None:
        """Return the error code of a database that has stopped although its server answers; else None.

        After a commit that failed on a full disk Neo4j stops the database, for reads too, until the server is
        restarted, even if there is room again.
        """
        return self._problem

    async def read(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Run one read-only statement in one round trip and return its rows; a single server refuses writes.

        Raises:
            UnavailableError: the server does not answer, or stopped the statement.
        """
        query, values = Query(statement.text, timeout=self._timeout_s), statement.values(parameters)

        async def once() -> list[Row]:
            if self.observer:
                self.observer(statement)
            session = self._session(self._read_mode(statement))
            with round_trip(statement.name, "read"):
                async with session:
                    result = await session.run(query, values)
                    return [_plain(dict(zip(record.keys(), record.values(), strict=True))) async for record in result]

        try:
            return await self._with_retries(once, losses_max=_READ_TRIES)
        except UnavailableError as error:
            is_late = error_code(error.__cause__ or error).startswith(_TIMED_OUT)
            if not statement.hot or not is_late or await self._plan(statement, values) < _PLANNED_S:
                raise
        return await self._with_retries(once, losses_max=_READ_TRIES)

    async def _plan(self, statement: Statement, values: dict[str, Any]) -> float:
        """Let the server plan a statement, with a limit of its own; return the seconds that it took.

        Planning goes on when the caller gives up.
        """

        async def once() -> None:
            async with self._session(self._read_mode(statement)) as session:
                await (await session.run(Query(f"EXPLAIN {statement.text}", timeout=_PLANNING_MAX_S), values)).consume()

        started_s = time.monotonic()
        planning = asyncio.create_task(self._with_retries(once, losses_max=1, limit_s=_PLANNING_MAX_S))
        self._planning.add(planning)
        planning.add_done_callback(self._planning.discard)
        await asyncio.shield(planning)
        return time.monotonic() - started_s

    async def write(self, steps: Callable[[Writing], Awaitable[T]]) -> T:
        """Run `steps` in one transaction and return its result after the commit; an error rolls back.

        Raises:
            UnavailableError: the server does not answer. The commit may have arrived, so all writes are idempotent.
        """

        @unit_of_work(timeout=self._timeout_s)
        async def work(tx: AsyncManagedTransaction) -> T:
            return await steps(Writing(tx, self.observer))

        async def once() -> T:
            async with self._session("WRITE") as session:
                return await session.execute_write(work)

        return await self._with_retries(once, losses_max=_WRITE_LOSSES_MAX)

    async def run(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Run one statement that writes in a transaction of its own, and return its rows; see `write`."""
        return await self.write(lambda writing: writing.run(statement, parameters))

    async def define(self, statement: Statement, parameters: Mapping[str, Any]) -> None:
        """Run one idempotent schema statement, in a transaction without writes of data.

        Several processes may set up one database, so deadlocks are retried, and an index that another process created
        between the check of IF NOT EXISTS and the creation is accepted.
        """
        tries_left = _DEFINE_TRIES
        while True:
            tries_left -= 1
            try:
                async with self._session("WRITE") as session:
                    result = await session.run(statement.text, statement.values(parameters))
                    await result.consume()
            except Exception as error:
                if getattr(error, "code", None) == _CREATED_MEANWHILE:
                    return
                kind = kind_of(error)
                if kind is None:
                    raise
                if kind is not ErrorKind.BUSY or not tries_left:
                    raise classify(error) from error
            else:
                return
            await asyncio.sleep(random.uniform(0, _RETRY_DELAY_MAX_S))

    def reading(self) -> AsyncSession:
        """Return a session in READ mode without retries and breaker, for `read_only_query.py`."""
        return self._session("READ", fetch_size=200)

    def _session(self, access_mode: str, **more: Any) -> AsyncSession:
        if self._routes:
            more["bookmark_manager"] = self._bookmarks
        return self._driver.session(database=self._database, default_access_mode=access_mode, **more)

    def _read_mode(self, statement: Statement) -> str:
        """Return READ, with which a server refuses writes and a cluster asks a follower, or WRITE for the leader."""
        return "WRITE" if self._routes and not statement.may_lag else "READ"

    @property
    def _routes(self) -> bool:
        return isinstance(self._driver, AsyncNeo4jDriver)

    async def answers(self) -> bool:
        """Return True if the server answers and its database works; takes two seconds at most."""
        try:
            async with asyncio.timeout(_PROBE_MAX_S):
                await self._driver.verify_connectivity()
                if self._suspect:
                    # A stopped database accepts log-ins. Only asked when suspected: a server that has just started
                    # takes seconds for its first statement.
                    async with self.reading() as session:
                        result = await session.run(Query(statement("schema/ping").text, timeout=_PROBE_MAX_S))
                        await result.consume()
        except Exception as error:
            kind = kind_of(error)
            if kind is None:
                raise
            self._problem = error_code(error) if kind is ErrorKind.BROKEN else None
            self._breaker.failed(time.monotonic())
            return False
        self._problem, self._suspect = None, False
        self._breaker.succeeded()
        return True

    async def use(self, driver: AsyncDriver) -> None:
        """Replace the driver, because the server has a new address; calls in flight are retried there."""
        old, self._driver = self._driver, driver
        # Another server may not know the old bookmarks, and would wait for them.
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._problem, self._suspect = None, False
        self._breaker.succeeded()
        await old.close()

    async def close(self) -> None:
        """Close the driver; statements in flight end with an error."""
        for planning in self._planning:
            planning.cancel()
        await self._driver.close()

    async def _with_retries(
        self, once: Callable[[], Awaitable[T]], *, losses_max: int, limit_s: float | None = None
    ) -> T:
        """Call `once`; retry lost connections up to `losses_max` times, and deadlocks until the timeout.

        Raises:
            MnemosceneError: for errors of the driver and the server, see `classify`; errors of the steps themselves
                are passed on.
        """
        if not self._breaker.allows(time.monotonic()):
            raise away("seen a moment ago", _PROBE_AFTER_S)
        limit_s = limit_s or self._timeout_s
        until_s, losses, delay_s = time.monotonic() + limit_s, 0, _RETRY_DELAY_S
        while True:
            try:
                async with asyncio.timeout(limit_s + _SILENCE_S):
                    answer = await once()
            except Exception as error:
                kind = kind_of(error)
                losses += kind is ErrorKind.LOST
                if self._is_retried(kind, losses < losses_max, time.monotonic() + delay_s <= until_s):
                    pass
                elif kind is None:
                    # An error of the steps: the server answered.
                    self._breaker.succeeded()
                    raise
                else:
                    self._suspect = self._suspect or kind is ErrorKind.BROKEN
                    if kind in AWAY:
                        self._breaker.failed(time.monotonic())
                    if kind is not ErrorKind.REFUSED:
                        DATABASE_FAILURES.add()
                    raise classify(error) from error
            else:
                self._breaker.succeeded()
                return answer
            # Jitter, so that deadlocked writers do not collide again.
            await asyncio.sleep(delay_s * random.uniform(0.5, 1.5))
            delay_s = min(delay_s * 2, _RETRY_DELAY_MAX_S)

    def _is_retried(self, kind: ErrorKind | None, losses_left: bool, time_left: bool) -> bool:
        """Return True if the call is to be retried; tell the breaker if the server answered."""
        if kind in (ErrorKind.BUSY, ErrorKind.STOPPED, ErrorKind.REFUSED):
            self._breaker.succeeded()
        return (kind is ErrorKind.BUSY and time_left) or (kind is ErrorKind.LOST and losses_left)


def _plain(row: Row) -> Row:
    # Not the driver's `data()`, which converts byte strings byte by byte: two seconds for a recall.
    return {name: _plain_value(value) for name, value in row.items()}


def _plain_value(value: Any) -> Any:
    # Fast paths: nearly all values are plain or lists of them; a recall returns thousands.
    if type(value) in _PLAIN:
        return value
    if type(value) is list:
        return value if _PLAIN.issuperset(map(type, value)) else [_plain_value(item) for item in value]
    match value:
        case Neo4jDateTime():
            return as_utc(value.to_native())
        case datetime():
            return as_utc(value)
        case dict():
            return _plain(value)
        case Node():
            return _plain(dict(value.items()))
        case _:
            return value
