"""What analysts may ask of the whole database, in Cypher of their own, and what they cannot do with it."""

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

# A core is left for those who remember and recall.
_AT_ONCE: Final = 2
# Who would wait longer, or behind more than these, is told to come again.
_WAITING_MAX: Final = 16
_WAIT_MAX_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalystStatement:
    """A statement of an analyst.

    Attributes:
        timeout_s, rows: less than what is allowed; None means what is allowed.
    """

    statement: str
    parameters: Mapping[str, Any]
    timeout_s: float | None = None
    rows: int | None = None


class Analyst:
    """Reads in Cypher over all tenants: for admins of the whole installation.

    A statement keeps its place until the server has really ended it, also when its caller was answered or went away
    before: what Neo4j cannot stop takes one core at most of each place, never more.

    Args:
        caps: how much one statement may cost at most.
    """

    def __init__(self, graph: Graph, caps: Caps | None = None) -> None:
        self._graph = graph
        self._caps = caps or Caps()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(self, question: AnalystStatement) -> FreeAnswer:
        """Return what a statement gives; rows beyond the caps are left out, and the answer says so.

        Raises:
            InputError: it cannot be asked like this, would do more than read, or was stopped because it costs too much.
            UnavailableError: Neo4j does not answer, or other statements hold all places.
        """
        caps = replace(
            self._caps,
            timeout_s=_less("the time-out", question.timeout_s, self._caps.timeout_s),
            rows=round(_less("the number of rows", question.rows, self._caps.rows)),
        )
        await self._enter()
        tag = uuid4().hex
        try:
            if await running(self._graph) >= _AT_ONCE:
                raise _busy()
            answer = await free_query(self._graph, question.statement, question.parameters, caps, tag)
        except BaseException:
            self._leave_when_gone(tag)
            raise
        self._places.release()
        return answer

    async def _enter(self) -> None:
        if self._waiting >= _WAITING_MAX:
            raise _busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(_WAIT_MAX_S):
                await self._places.acquire()
        except TimeoutError as error:
            raise _busy() from error
        finally:
            self._waiting -= 1

    def _leave_when_gone(self, tag: str) -> None:
        async def leave() -> None:
            try:
                await until_gone(self._graph, tag)
            finally:
                self._places.release()

        task = asyncio.create_task(leave(), name="end of an analyst's statement")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _busy() -> UnavailableError:
    return UnavailableError(
        f"{_AT_ONCE} statements are computed at a time, and all places are taken; try again in a minute. A statement "
        "that was stopped and that Neo4j goes on computing keeps its place",
        60.0,
    )


def _less(what: str, wanted: float | None, most: float) -> float:
    if wanted is None:
        return most
    if not 0 < wanted <= most:
        raise InputError(f"{what} is {wanted:g}; it must be above 0 and at most {most:g} (settings `analyst`)")
    return wanted


def json_ready(value: Any) -> Any:
    """Return a plain value as JSON knows it: moments as ISO 8601, numbers that are none as null."""
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
