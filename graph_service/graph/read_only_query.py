"""Run Cypher written by an analyst: checked before it runs, read-only, with limits on time and size."""

import asyncio
import base64
import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from neo4j import AsyncTransaction
from neo4j.exceptions import ClientError, DriverError, Neo4jError, TransientError
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

from graph_service.graph import round_trips
from graph_service.graph.cypher_rules import READS_ONLY, check_first_word, check_parameters, check_plan, check_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from schema.errors import InputError, MnemosceneError, UnavailableError
from schema.timespan import as_utc


def plain_value(value: Any) -> Any:
    """Return a driver value as plain Python, recursively: nodes and relationships as maps, times as datetimes."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Point() | Duration():  # subclasses of tuple
            return _scalar(value)
        case list() | tuple():
            return [plain_value(item) for item in value]
        case dict():
            return {str(name): plain_value(item) for name, item in value.items()}
        case Node():
            return {"labels": sorted(value.labels), "properties": plain_value(dict(sorted(value.items())))}
        case Relationship():
            return {"type": value.type, "properties": plain_value(dict(sorted(value.items())))}
        case Path():
            return {"nodes": plain_value(value.nodes), "relationships": plain_value(value.relationships)}
        case _:
            return _scalar(value)


def _scalar(value: Any) -> Any:
    match value:
        case DateTime():
            native = value.to_native()
            return as_utc(native) if native.tzinfo else native
        case datetime():
            return as_utc(value) if value.tzinfo else value
        case Date():
            return value.to_native()
        case date():
            return value
        case Time() | Duration():
            return value.iso_format()
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case bytes() | bytearray():
            return base64.b64encode(value).decode("ascii")
        case Vector():
            return list(value.to_native())
        case _:
            return str(value)


def size_of(value: Any) -> int:
    """Return the approximate memory size of a plain value in bytes."""
    items = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sys.getsizeof(value) + sum(map(size_of, items))


_log: Final = logging.getLogger(__name__)
_LANGUAGE: Final = "CYPHER 25 "
# The server ends a statement up to a second late; after this time the connection is closed.
_GRACE_S: Final = 3.0
# Metadata key of analysts' transactions in SHOW TRANSACTIONS.
_TAG: Final = "mnemoscene_analyst"
# Polling interval while the server ends a stopped statement.
_POLL_S: Final = 0.25
_POLL_MAX_S: Final = 5.0
# A stopped statement that still runs after this time is reported in the log.
_RUNAWAY_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of one statement.

    Attributes:
        rows, bytes: maximum size of the result; the rest is left out, with a note in `truncated`.
    """

    timeout_s: float = 30.0
    rows: int = 10_000
    bytes: int = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeAnswer:
    """The result of a statement.

    Attributes:
        truncated: reason why rows are missing, as a text for people; None when complete.
    """

    columns: tuple[str, ...]
    rows: list[list[Any]]
    truncated: str | None
    took_ms: float


async def free_query(graph: Graph, text: str, parameters: Mapping[str, Any], caps: Caps, tag: str) -> FreeAnswer:
    """Run one user-written statement over all tenants; it cannot change anything.

    Args:
        tag: identifies the statement in the server's list of transactions, for `until_gone`.

    Raises:
        InputError: not valid Cypher, not read-only, or stopped at a limit.
    """
    check_parameters(parameters)
    checked = check_words(text.strip())
    versioned = checked if checked.lstrip()[:6].upper() == "CYPHER" else _LANGUAGE + checked
    began = time.monotonic()
    try:
        async with asyncio.timeout(caps.timeout_s + _GRACE_S), graph.reading() as session:
            transaction = await session.begin_transaction(timeout=caps.timeout_s, metadata={_TAG: tag})
            try:
                round_trips.sent()
                summary = await (await transaction.run("EXPLAIN " + versioned, dict(parameters))).consume()
                check_plan(summary.plan, summary.query_type)
                check_first_word(checked)
                columns, rows, truncated = await _fetch(transaction, versioned, parameters, caps)
            finally:
                await _end(transaction)
    except TimeoutError as error:
        raise _too_slow(caps) from error
    except RecursionError as error:
        raise InputError("the answer is nested too deeply; return the parts of it") from error
    except (ClientError, TransientError) as error:
        raise _error_for(error, caps) from error
    except (DriverError, Neo4jError, OSError) as error:
        raise UnavailableError(f"Neo4j does not answer ({type(error).__name__}); try again in a moment") from error
    return FreeAnswer(columns=columns, rows=rows, truncated=truncated, took_ms=(time.monotonic() - began) * 1000)


async def running(graph: Graph) -> int:
    """Return the number of analysts' statements that the server is running, from all processes."""
    return len(await graph.read(statement("analyst/running"), {"tag": ""}))


async def until_gone(graph: Graph, tag: str) -> None:
    """Terminate a stopped statement and return when the server has ended it.

    The server checks for termination only between rows, so this can take as long as the statement itself.
    """
    began, delay_s, reported, terminated = time.monotonic(), _POLL_S, False, False
    while True:
        try:
            rows = await graph.read(statement("analyst/running"), {"tag": tag})
            if not rows:
                break
            if not terminated:
                ids = [row["transaction"] for row in rows]
                await graph.read(statement("analyst/terminate"), {"transactions": ids})
                terminated = True
        except MnemosceneError as error:
            # An unavailable server may still run the statement; ask again when it answers.
            _log.debug("analyst's statement: %s", error.code)
        if not reported and time.monotonic() - began > _RUNAWAY_S:
            reported = True
            _log.warning(
                "an analyst's statement was stopped %d s ago, and Neo4j still computes it; it occupies one of "
                "the slots for such statements until it ends or the database is restarted",
                round(time.monotonic() - began),
            )
        await asyncio.sleep(delay_s)
        delay_s = min(delay_s * 1.5, _POLL_MAX_S)
    if reported:
        _log.info("the stopped statement of an analyst ended after %d s", round(time.monotonic() - began))


async def _fetch(
    transaction: AsyncTransaction, text: str, parameters: Mapping[str, Any], caps: Caps
) -> tuple[tuple[str, ...], list[list[Any]], str | None]:
    round_trips.sent()
    result = await transaction.run(text, dict(parameters))
    rows: list[list[Any]] = []
    size = 0
    async for record in result:
        if len(rows) == caps.rows:
            return tuple(result.keys()), rows, f"only the first {caps.rows:,} rows"
        row = [plain_value(value) for value in record.values()]
        size += size_of(row)
        if size > caps.bytes:
            return tuple(result.keys()), rows, f"only the first {len(rows):,} rows: more than {caps.bytes:,} bytes"
        rows.append(row)
    return tuple(result.keys()), rows, None


async def _end(transaction: AsyncTransaction) -> None:
    """Close the transaction, which stops the statement; drop the connection if that fails."""
    try:
        await transaction.close()
    except (DriverError, Neo4jError, OSError):
        transaction.cancel()


def _error_for(error: Neo4jError, caps: Caps) -> MnemosceneError:
    code = error.code or ""
    if "TransactionTimedOut" in code or "Terminated" in code:
        return _too_slow(caps)
    if "StackOverFlow" in code:
        return InputError("stopped: the statement is nested too deeply; ask in several statements")
    if "Memory" in code:
        return InputError("stopped: the statement needs more memory than one may have; narrow it, by tenant and LIMIT")
    if "AccessMode" in code:
        return InputError(f"{READS_ONLY}, and the statement would change something")
    if isinstance(error, TransientError):
        return UnavailableError(f"Neo4j is busy ({code}); try again in a moment")
    return InputError(f"Neo4j refused the statement ({code}): {error.message}")


def _too_slow(caps: Caps) -> InputError:
    return InputError(
        f"stopped after {caps.timeout_s:g} s: narrow the statement, by tenant, by an indexed property or by LIMIT"
    )
