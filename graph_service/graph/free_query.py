"""An analyst's own statement: looked at before it runs, READ only, and stopped when it costs too much."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from neo4j import AsyncTransaction
from neo4j.exceptions import ClientError, DriverError, Neo4jError, TransientError

from graph_service.graph import round_trips
from graph_service.graph.free_values import plain_value, size_of
from graph_service.graph.store import Graph
from schema.errors import InputError, MnemographError, UnavailableError

# Procedures that only look at this database; others may read files, call addresses or stop other people's work.
PROCEDURES: Final = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.index.vector.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)
_REFUSED_STEPS: Final = {
    "LoadCSV": "LOAD CSV would read files and addresses",
    "TerminateTransactions": "it would stop other people's work",
}
_LANGUAGE: Final = "CYPHER 25 "
_OWN_PREFIXES: Final = ("CYPHER ", "EXPLAIN", "PROFILE")
# The server ends a statement about a second late; when it does not, we hang up.
_GRACE_S: Final = 3.0
_READS_ONLY: Final = "this only reads"


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


async def free_query(graph: Graph, text: str, parameters: Mapping[str, Any], caps: Caps) -> FreeAnswer:
    """Runs one statement that somebody wrote, over all tenants; nothing of it can change anything.

    Raises:
        InputError: it is no valid Cypher, would do more than read, or was stopped because it costs too much.
        UnavailableError: Neo4j does not answer.
    """
    own = text.strip()
    if own.upper().startswith(_OWN_PREFIXES[1:]):
        raise InputError("leave EXPLAIN and PROFILE out: plans are shown by cypher-shell (`mnemograph db shell-hint`)")
    whole = own if own.upper().startswith(_OWN_PREFIXES) else _LANGUAGE + own
    began = time.monotonic()
    try:
        async with asyncio.timeout(caps.timeout_s + _GRACE_S), graph.reading() as session:
            transaction = await session.begin_transaction(timeout=caps.timeout_s)
            try:
                await _look_at(transaction, whole, parameters)
                columns, rows, cut = await _fetch(transaction, whole, parameters, caps)
            finally:
                await _end(transaction)
    except TimeoutError as error:
        raise _too_slow(caps) from error
    except (ClientError, TransientError) as error:
        raise _told(error, caps) from error
    except (DriverError, Neo4jError, OSError) as error:
        raise UnavailableError(f"Neo4j does not answer ({type(error).__name__}); try again in a moment") from error
    return FreeAnswer(columns=columns, rows=rows, cut=cut, took_ms=(time.monotonic() - began) * 1000)


async def _look_at(transaction: AsyncTransaction, text: str, parameters: Mapping[str, Any]) -> None:
    """Refuses what is more than reading this database, by its plan: words can be hidden from a search, plans not."""
    round_trips.sent()
    summary = await (await transaction.run("EXPLAIN " + text, dict(parameters))).consume()
    if summary.plan is not None:
        _refuse_steps(summary.plan)
    if summary.query_type in ("w", "rw"):
        raise InputError(
            f"{_READS_ONLY}, and the statement writes: change memories with `mnemograph remember`/`forget`"
        )
    if summary.query_type != "r":
        raise InputError(f"{_READS_ONLY}, and the statement is about the server or its schema")


def _refuse_steps(plan: Mapping[str, Any]) -> None:
    step = plan["operatorType"].split("@")[0]
    if step in _REFUSED_STEPS:
        raise InputError(f"{_READS_ONLY} the graph, so this is refused: {_REFUSED_STEPS[step]}")
    if step == "ProcedureCall":
        name = str(plan.get("args", {}).get("Details", "")).split("(")[0].strip()
        if name not in PROCEDURES:
            raise InputError(f"the procedure {name} is refused; use one of {', '.join(sorted(PROCEDURES))}")
    for child in plan.get("children", ()):
        _refuse_steps(child)


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
    """Ends the transaction and with it what the server still computes."""
    try:
        await transaction.close()
    except (DriverError, Neo4jError, OSError):
        transaction.cancel()


def _told(error: Neo4jError, caps: Caps) -> MnemographError:
    code = error.code or ""
    if "TransactionTimedOut" in code or "Terminated" in code:
        return _too_slow(caps)
    if "Memory" in code:
        return InputError("stopped: the statement needs more memory than one may have; narrow it, by tenant and LIMIT")
    if "AccessMode" in code:
        return InputError(f"{_READS_ONLY}, and the statement would change something")
    if isinstance(error, TransientError):
        return UnavailableError(f"Neo4j is busy ({code}); try again in a moment")
    return InputError(f"Neo4j refused the statement ({code}): {error.message}")


def _too_slow(caps: Caps) -> InputError:
    return InputError(
        f"stopped after {caps.timeout_s:g} s: narrow the statement, by tenant, by an indexed property or by LIMIT"
    )
