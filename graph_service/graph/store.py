"""Running statements: one read or one transaction at a time, with time limits and our own errors."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from neo4j import AsyncDriver, AsyncManagedTransaction, Query, unit_of_work
from neo4j.exceptions import ClientError, DriverError, Neo4jError, TransientError
from neo4j.time import DateTime as Neo4jDateTime

from graph_service.graph.statements import Statement
from schema.errors import MnemographError, UnavailableError
from schema.timespan import as_utc

Row = dict[str, Any]
T = TypeVar("T")
Observer = Callable[[Statement], None]

_READ_TRIES = 3
_GONE = "Neo4j does not answer ({why}); it is tried again by itself. Check that the server runs: `mnemograph doctor`"


class Writing:
    """An open transaction. Nothing in it may call a model, the network or a clock: it may run twice."""

    def __init__(self, tx: AsyncManagedTransaction, observer: Observer | None) -> None:
        self._tx = tx
        self._observer = observer

    async def run(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Rows of one statement, as plain values."""
        if self._observer:
            self._observer(statement)
        result = await self._tx.run(statement.text, dict(parameters))
        return [_plain(record.data()) async for record in result]


class Graph:
    """One database, reached through one driver.

    Args:
        observer: called with each statement as it is sent; tests count round trips with it.
        timeout_s: bound on one statement or transaction, enforced by the server.
    """

    def __init__(
        self, driver: AsyncDriver, *, database: str | None, timeout_s: float = 30.0, observer: Observer | None = None
    ) -> None:
        self._driver = driver
        self._database = database
        self._timeout_s = timeout_s
        self.observer = observer

    async def read(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Rows of one read-only statement, in one network round trip; the server refuses writes in it.

        Raises:
            UnavailableError: the server could not be reached, or stopped the statement.
        """
        query = Query(statement.text, timeout=self._timeout_s)
        for attempt in range(_READ_TRIES):
            if self.observer:
                self.observer(statement)
            try:
                async with self._driver.session(database=self._database, default_access_mode="READ") as session:
                    result = await session.run(query, dict(parameters))
                    return [_plain(record.data()) async for record in result]
            except (DriverError, TransientError, OSError) as error:
                if attempt + 1 == _READ_TRIES:
                    raise UnavailableError(_GONE.format(why=_why(error))) from error
                await asyncio.sleep(0.05 * 2**attempt)
            except ClientError as error:
                raise _ours(error) from error
        raise AssertionError("unreachable: the last try returns or raises")

    async def write(self, steps: Callable[[Writing], Awaitable[T]]) -> T:
        """What `steps` returns, after its transaction was committed; an error in it undoes everything.

        Raises:
            UnavailableError: the server could not be reached; it is unknown to us whether the commit arrived,
                which is why every write of ours is idempotent.
        """

        @unit_of_work(timeout=self._timeout_s)
        async def work(tx: AsyncManagedTransaction) -> T:
            return await steps(Writing(tx, self.observer))

        try:
            async with self._driver.session(database=self._database) as session:
                return await session.execute_write(work)
        except (DriverError, TransientError, OSError) as error:
            raise UnavailableError(_GONE.format(why=_why(error))) from error
        except ClientError as error:
            raise _ours(error) from error

    async def define(self, statement: Statement, parameters: Mapping[str, Any]) -> None:
        """Runs one statement that defines an index or constraint (these may not share a transaction with data)."""
        try:
            async with self._driver.session(database=self._database) as session:
                result = await session.run(statement.text, dict(parameters))
                await result.consume()
        except (DriverError, TransientError, OSError) as error:
            raise UnavailableError(_GONE.format(why=_why(error))) from error

    async def answers(self) -> bool:
        """Whether the server answers now."""
        try:
            await self._driver.verify_connectivity()
        except (DriverError, Neo4jError, OSError):
            return False
        return True

    async def close(self) -> None:
        """Closes the driver; statements under way end with an error."""
        await self._driver.close()


def _ours(error: ClientError) -> MnemographError:
    code = error.code or ""
    if "Terminated" in code or "Security" in code or "Memory" in code:
        return UnavailableError(_GONE.format(why=_why(error)))
    return MnemographError(f"Neo4j refused a statement of ours ({code}); this is a bug, please report it")


def _why(error: BaseException) -> str:
    return type(error).__name__


def _plain(row: Row) -> Row:
    return {name: _plain_value(value) for name, value in row.items()}


def _plain_value(value: Any) -> Any:
    match value:
        case Neo4jDateTime():
            return as_utc(value.to_native())
        case datetime():
            return as_utc(value)
        case dict():
            return _plain(value)
        case list():
            return [_plain_value(item) for item in value]
        case _:
            return value
