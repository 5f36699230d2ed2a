"""An analyst's own statement: checked before it runs, READ only, and stopped when it costs too much."""

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
from schema.errors import InputError, MnemographError, UnavailableError
from schema.timespan import as_utc

# Values of an analyst's answer as plain Python: nodes and relationships as maps, times as times, the rest as text.


def plain_value(value: Any) -> Any:
    """Return the value as text, number, boolean, time, list or map, however deep."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Point() | Duration():  # tuples too, to Python
            return _single(value)
        case list() | tuple():
            return [plain_value(one) for one in value]
        case dict():
            return {str(name): plain_value(one) for name, one in value.items()}
        case Node() | Relationship() | Path():
            return _of_graph(value)
        case _:
            return _single(value)


def size_of(value: Any) -> int:
    """About how many bytes of memory a plain value takes."""
    match value:
        case dict():
            return sys.getsizeof(value) + sum(size_of(name) + size_of(one) for name, one in value.items())
        case list():
            return sys.getsizeof(value) + sum(size_of(one) for one in value)
        case _:
            return sys.getsizeof(value)


def _of_graph(value: Node | Relationship | Path) -> dict[str, Any]:
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _properties(value)}
        case Relationship():
            return {"type": value.type, "properties": _properties(value)}
        case Path():
            return {
                "nodes": [_of_graph(node) for node in value.nodes],
                "relationships": [_of_graph(one) for one in value.relationships],
            }


def _properties(value: Node | Relationship) -> dict[str, Any]:
    return {name: plain_value(one) for name, one in sorted(value.items())}


def _single(value: Any) -> Any:
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
        case bytes() | bytearray():
            return base64.b64encode(value).decode("ascii")
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case Vector():
            return list(value.to_native())
        case _:
            return str(value)


_log: Final = logging.getLogger(__name__)
_LANGUAGE: Final = "CYPHER 25 "
# The server ends a statement about a second late; when it does not, we hang up.
_GRACE_S: Final = 3.0
# Marks the transactions of analysts in the list of the server's transactions.
_TAG: Final = "mnemograph_analyst"
# Between two looks at whether the server has ended a statement that was stopped.
_LOOK_AGAIN_S: Final = 0.25
_LOOK_AGAIN_MAX_S: Final = 5.0
# A statement that the server still computes so long after it was stopped is reported.
_RUNAWAY_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much one statement may cost.

    Attributes:
        rows, bytes: of the answer; what is beyond is left out, and the answer says so.
    """

    timeout_s: float = 30.0
    rows: int = 10_000
    bytes: int = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeAnswer:
    """What a statement gave.

    Attributes:
        cut: why rows are missing, for people; None when all are here.
    """

    columns: tuple[str, ...]
    rows: list[list[Any]]
    cut: str | None
    took_ms: float


async def free_query(graph: Graph, text: str, parameters: Mapping[str, Any], caps: Caps, tag: str) -> FreeAnswer:
    """Run one statement that somebody wrote, over all tenants; nothing of it can change anything.

    Args:
        tag: names the statement in the server's list of transactions, for `until_gone`.

    Raises:
        InputError: it is no valid Cypher, would do more than read, or was stopped because it costs too much.
        UnavailableError: Neo4j does not answer.
    """
    check_parameters(parameters)
    own = check_words(text.strip())
    whole = own if own.lstrip()[:6].upper() == "CYPHER" else _LANGUAGE + own
    began = time.monotonic()
    try:
        async with asyncio.timeout(caps.timeout_s + _GRACE_S), graph.reading() as session:
            transaction = await session.begin_transaction(timeout=caps.timeout_s, metadata={_TAG: tag})
            try:
                await _look_at(transaction, own, whole, parameters)
                columns, rows, cut = await _fetch(transaction, whole, parameters, caps)
            finally:
                await _end(transaction)
    except TimeoutError as error:
        raise _too_slow(caps) from error
    except RecursionError as error:
        raise InputError("the answer is nested too deeply; return the parts of it") from error
    except (ClientError, TransientError) as error:
        raise _told(error, caps) from error
    except (DriverError, Neo4jError, OSError) as error:
        raise UnavailableError(f"Neo4j does not answer ({type(error).__name__}); try again in a moment") from error
    return FreeAnswer(columns=columns, rows=rows, cut=cut, took_ms=(time.monotonic() - began) * 1000)


async def running(graph: Graph) -> int:
    """Return how many statements of analysts the server computes now, whichever process sent them.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    return len(await graph.read(statement("analyst/running"), {"tag": ""}))


async def until_gone(graph: Graph, tag: str) -> None:
    """Return when the server has ended a statement that was stopped; ask it to end it, once.

    The server notices an order to end only between two rows, so that this can take as long as the statement would.
    """
    began, delay_s, told, asked = time.monotonic(), _LOOK_AGAIN_S, False, False
    while True:
        try:
            rows = await graph.read(statement("analyst/running"), {"tag": tag})
            if not rows:
                break
            if not asked:
                ids = [row["transaction"] for row in rows]
                await graph.read(statement("analyst/terminate"), {"transactions": ids})
                asked = True
        except MnemographError as error:
            # A server that is away may still compute; whether it does is asked again when it answers.
            _log.debug("analyst's statement: %s", error.code)
        if not told and time.monotonic() - began > _RUNAWAY_S:
            told = True
            _log.warning(
                "an analyst's statement was stopped %d s ago, and Neo4j still computes it; it keeps one of the "
                "places for such statements until it ends, or until the database is started anew",
                round(time.monotonic() - began),
            )
        await asyncio.sleep(delay_s)
        delay_s = min(delay_s * 1.5, _LOOK_AGAIN_MAX_S)
    if told:
        _log.info("the stopped statement of an analyst ended after %d s", round(time.monotonic() - began))


async def _look_at(transaction: AsyncTransaction, own: str, whole: str, parameters: Mapping[str, Any]) -> None:
    """Refuse what is more than reading this database, by its plan."""
    round_trips.sent()
    summary = await (await transaction.run("EXPLAIN " + whole, dict(parameters))).consume()
    check_plan(summary.plan, summary.query_type)
    check_first_word(own)


async def _fetch(
    transaction: AsyncTransaction, text: str, parameters: Mapping[str, Any], caps: Caps
) -> tuple[tuple[str, ...], list[list[Any]], str | None]:
    round_trips.sent()
    result = await transaction.run(text, dict(parameters))
    rows: list[list[Any]] = []
    held = 0
    async for record in result:
        if len(rows) == caps.rows:
            return tuple(result.keys()), rows, f"only the first {caps.rows:,} rows"
        row = [plain_value(value) for value in record.values()]
        held += size_of(row)
        if held > caps.bytes:
            return tuple(result.keys()), rows, f"only the first {len(rows):,} rows: more than {caps.bytes:,} bytes"
        rows.append(row)
    return tuple(result.keys()), rows, None


async def _end(transaction: AsyncTransaction) -> None:
    """End the transaction and with it what the server still computes."""
    try:
        await transaction.close()
    except (DriverError, Neo4jError, OSError):
        transaction.cancel()


def _told(error: Neo4jError, caps: Caps) -> MnemographError:
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
