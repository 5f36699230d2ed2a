"""Run read-only Cypher over the whole database for analysts, with limits on concurrency and cost."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final
from uuid import uuid4

from graph_service.graph.read_only_query import Caps, FreeAnswer, free_query, running, until_gone
from graph_service.graph.store import Graph
from schema.errors import InputError, UnavailableError
from schema.timespan import iso

# Leaves a core for remember and recall.
_CONCURRENT_MAX: Final = 2
# Requests that would wait longer, or behind more than these, are refused.
_WAITING_MAX: Final = 16
_WAIT_MAX_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalystStatement:
    """A Cypher statement of an analyst.

    Attributes:
        timeout_s, rows: at most the configured limits; None means these limits.
    """

    statement: str
    parameters: Mapping[str, Any]
    timeout_s: float | None = None
    rows: int | None = None


class Analyst:
    """Run read-only Cypher over all tenants, for admins of the whole installation.

    A statement occupies its slot until the server has ended it, even if its caller disconnected, so statements that
    Neo4j cannot stop take at most one core for each slot.
    """

    def __init__(self, graph: Graph, caps: Caps | None = None) -> None:
        self._graph = graph
        self._caps = caps or Caps()
        self._slots = asyncio.Semaphore(_CONCURRENT_MAX)
        self._waiting = 0
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(self, question: AnalystStatement) -> FreeAnswer:
        """Return the rows of a statement; rows beyond the caps are left out, and the answer says so.

        Raises:
            InputError: it is invalid, would write, or was stopped because it cost too much.
            UnavailableError: Neo4j does not answer, or other statements occupy all slots.
        """
        caps = replace(
            self._caps,
            timeout_s=_within_limit("the timeout", question.timeout_s, self._caps.timeout_s),
            rows=round(_within_limit("the number of rows", question.rows, self._caps.rows)),
        )
        await self._acquire_slot()
        tag = uuid4().hex
        try:
            if await running(self._graph) >= _CONCURRENT_MAX:
                raise _busy()
            answer = await free_query(self._graph, question.statement, question.parameters, caps, tag)
        except BaseException:
            self._release_when_ended(tag)
            raise
        self._slots.release()
        return answer

    async def _acquire_slot(self) -> None:
        if self._waiting >= _WAITING_MAX:
            raise _busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(_WAIT_MAX_S):
                await self._slots.acquire()
        except TimeoutError as error:
            raise _busy() from error
        finally:
            self._waiting -= 1

    def _release_when_ended(self, tag: str) -> None:
        async def release() -> None:
            try:
                await until_gone(self._graph, tag)
            finally:
                self._slots.release()

        task = asyncio.create_task(release(), name="end of an analyst's statement")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _busy() -> UnavailableError:
    return UnavailableError(
        f"{_CONCURRENT_MAX} statements run at a time, and all slots are taken; try again in a minute. A stopped "
        "statement that Neo4j is still computing keeps its slot",
        60.0,
    )


def _within_limit(name: str, value: float | None, maximum: float) -> float:
    if value is None:
        return maximum
    if not 0 < value <= maximum:
        raise InputError(f"{name} is {value:g}; it must be above 0 and at most {maximum:g} (settings `analyst`)")
    return value


def json_ready(value: Any) -> Any:
    """Convert a value for JSON: times to ISO 8601, infinite and NaN numbers to null."""
    match value:
        case dict():
            return {name: json_ready(one) for name, one in value.items()}
        case list():
            return [json_ready(one) for one in value]
        case datetime() if value.tzinfo:
            return iso(value)
        case date():
            return value.isoformat()
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
