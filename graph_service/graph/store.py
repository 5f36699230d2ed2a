"""Running statements: one read or one transaction at a time, with time limits and our own errors."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncSession, Query, unit_of_work
from neo4j.graph import Node
from neo4j.time import DateTime as Neo4jDateTime

from graph_service.circuit_breaker import Breaker, BreakerState
from graph_service.graph.driver_errors import AWAY, ErrorKind, away, classify, kind_of, why_of
from graph_service.graph.round_trips import RoundTrip
from graph_service.graph.statements import Statement, statement
from graph_service.observability.metrics import DATABASE_FAILURES
from schema.timespan import as_utc

Row = dict[str, Any]
T = TypeVar("T")
Observer = Callable[[Statement], None]

_READ_TRIES: Final = 3
# A pooled connection may be older than the server's last start; the second try opens a new one.
_WRITE_LOSSES_MAX: Final = 2
# While the server is away calls fail at once; so long after its last failure one of them may try.
_PROBE_AFTER_S: Final = 3.0
_PROBE_MAX_S: Final = 2.0
# Above the server's own limit on a statement: ends calls whose server went silent.
_SILENCE_S: Final = 5.0
_RETRY_DELAY_S: Final = 0.05
_RETRY_DELAY_MAX_S: Final = 1.0
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})


class Writing:
    """An open transaction. Nothing in it may call a model, the network or a clock: it may run twice."""

    def __init__(self, tx: AsyncManagedTransaction, observer: Observer | None) -> None:
        self._tx = tx
        self._observer = observer

    async def run(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Return rows of one statement, as plain values."""
        if self._observer:
            self._observer(statement)
        with RoundTrip(statement.name, "write"):
            result = await self._tx.run(statement.text, dict(parameters))
            return [_plain(dict(zip(record.keys(), record.values(), strict=True))) async for record in result]


class Graph:
    """One database, reached through one driver.

    When the server does not answer, all calls fail at once until it does: a dead server must cost a request
    milliseconds, not the time-out of a connection. `answers` asks it, and so does one call every few seconds.

    Args:
        driver: without retries of its own (`max_transaction_retry_time=0`).
        observer: called with each statement as it is sent; tests count round trips with it.
        timeout_s: bound on one statement or transaction, enforced by the server.
    """

    def __init__(
        self, driver: AsyncDriver, *, database: str | None, timeout_s: float = 30.0, observer: Observer | None = None
    ) -> None:
        self._driver = driver
        self._database = database
        self._timeout_s = timeout_s
        self._breaker = Breaker(failures_max=1, open_s=_PROBE_AFTER_S)
        self._problem: str | None = None
        # Set by an error of the database itself, until a statement went through again.
        self._suspect = False
        self.observer = observer

    @property
    def away(self) -> bool:
        """True if the server did not answer when it was asked last."""
        return self._breaker.state(time.monotonic()) is not BreakerState.CLOSED

    @property
    def broken(self) -> str | None:
        """The code of the error with which the database refused to work when it was asked last.

        The server answers then, and will not work until it is started again: after a commit that failed on a full disk
        Neo4j stops the database, for reads too, and does not take it up again when there is room.
        """
        return self._problem

    async def read(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Return rows of one read-only statement, in one network round trip; the server refuses writes in it.

        Raises:
            UnavailableError: the server could not be reached, or stopped the statement.
        """
        query = Query(statement.text, timeout=self._timeout_s)

        async def once() -> list[Row]:
            if self.observer:
                self.observer(statement)
            session = self._driver.session(database=self._database, default_access_mode="READ")
            with RoundTrip(statement.name, "read"):
                async with session:
                    result = await session.run(query, dict(parameters))
                    return [_plain(dict(zip(record.keys(), record.values(), strict=True))) async for record in result]

        return await self._insisting(once, losses_max=_READ_TRIES)

    async def write(self, steps: Callable[[Writing], Awaitable[T]]) -> T:
        """Return what `steps` returns, after its transaction was committed; an error in it undoes everything.

        Raises:
            UnavailableError: the server could not be reached; it is unknown to us whether the commit arrived,
                which is why every write of ours is idempotent.
        """

        @unit_of_work(timeout=self._timeout_s)
        async def work(tx: AsyncManagedTransaction) -> T:
            return await steps(Writing(tx, self.observer))

        async def once() -> T:
            async with self._driver.session(database=self._database) as session:
                return await session.execute_write(work)

        return await self._insisting(once, losses_max=_WRITE_LOSSES_MAX)

    async def define(self, statement: Statement, parameters: Mapping[str, Any]) -> None:
        """Run one statement that defines an index or constraint (these may not share a transaction with data)."""
        try:
            async with self._driver.session(database=self._database) as session:
                result = await session.run(statement.text, dict(parameters))
                await result.consume()
        except Exception as error:
            if kind_of(error) is None:
                raise
            raise classify(error) from error

    def reading(self) -> AsyncSession:
        """Return a session in READ mode, for statements that are not ours (`graph/free_query.py`); no retries, no
        breaker.
        """
        return self._driver.session(database=self._database, default_access_mode="READ", fetch_size=200)

    async def answers(self) -> bool:
        """Return whether the server answers now and its database works; take two seconds at most."""
        try:
            async with asyncio.timeout(_PROBE_MAX_S):
                await self._driver.verify_connectivity()
                if self._suspect:
                    # A database that stopped lets us in. Only then asked: a server that has just started, on a busy
                    # machine, takes seconds for its first statement.
                    async with self.reading() as session:
                        result = await session.run(Query(statement("schema/ping").text, timeout=_PROBE_MAX_S))
                        await result.consume()
        except Exception as error:
            kind = kind_of(error)
            if kind is None:
                raise
            self._problem = why_of(error) if kind is ErrorKind.BROKEN else None
            self._breaker.failed(time.monotonic())
            return False
        self._problem, self._suspect = None, False
        self._breaker.succeeded()
        return True

    async def use(self, driver: AsyncDriver) -> None:
        """Go on with another driver, because the server has another address now; call under way try again there."""
        old, self._driver = self._driver, driver
        self._problem, self._suspect = None, False
        self._breaker.succeeded()
        await old.close()

    async def close(self) -> None:
        """Close the driver; statements under way end with an error."""
        await self._driver.close()

    async def _insisting(self, once: Callable[[], Awaitable[T]], *, losses_max: int) -> T:
        """Return what `once` does; try lost connections again a few times, and deadlocks until the time is over.

        Raises:
            MnemographError: for every error of the driver and the server, as `classify` says; what the steps of a
                transaction raise themselves passes as it is.
        """
        if not self._breaker.allows(time.monotonic()):
            raise away("seen a moment ago", _PROBE_AFTER_S)
        until_s, losses, delay_s = time.monotonic() + self._timeout_s, 0, _RETRY_DELAY_S
        while True:
            try:
                async with asyncio.timeout(self._timeout_s + _SILENCE_S):
                    answer = await once()
            except Exception as error:
                kind = kind_of(error)
                losses += kind is ErrorKind.LOST
                if self._is_tried_again(kind, losses < losses_max, time.monotonic() + delay_s <= until_s):
                    pass
                elif kind is None:
                    # What our own steps refuse, they refuse after the server answered them.
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
            # Writers that met in a deadlock must not meet again.
            await asyncio.sleep(delay_s * random.uniform(0.5, 1.5))
            delay_s = min(delay_s * 2, _RETRY_DELAY_MAX_S)

    def _is_tried_again(self, kind: ErrorKind | None, connection_left: bool, time_left: bool) -> bool:
        """Return whether to try the same again; a server that answered is not away, whatever it answered."""
        if kind in (ErrorKind.BUSY, ErrorKind.STOPPED, ErrorKind.REFUSED):
            self._breaker.succeeded()
        return (kind is ErrorKind.BUSY and time_left) or (kind is ErrorKind.LOST and connection_left)


def _plain(row: Row) -> Row:
    # Not by the driver's `data()`, which looks at every single byte of byte strings: two seconds for a recall.
    return {name: _plain_value(value) for name, value in row.items()}


def _plain_value(value: Any) -> Any:
    # Nearly all that comes is one of these, or lists of them: a recall brings five thousand.
    if type(value) in _PLAIN:
        return value
    match value:
        case list():
            return [item if type(item) in _PLAIN else _plain_value(item) for item in value]
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
