"""What analysts may ask of the whole database, in Cypher of their own, and what they cannot do with it."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from graph_service.graph.free_query import Caps, FreeAnswer, free_query
from graph_service.graph.store import Graph
from schema.errors import InputError
from schema.limits import LIMITS
from schema.timespan import iso

# A core is left for those who remember and recall.
_AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeQuestion:
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

    Args:
        caps: how much one statement may cost at most.
    """

    def __init__(self, graph: Graph, caps: Caps | None = None) -> None:
        self._graph = graph
        self._caps = caps or Caps()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, question: FreeQuestion) -> FreeAnswer:
        """What a statement gives; rows beyond the caps are left out, and the answer says so. Others wait their turn.

        Raises:
            InputError: it cannot be asked like this, would do more than read, or was stopped because it costs too much.
            UnavailableError: Neo4j does not answer.
        """
        if not isinstance(question.parameters, Mapping):
            raise InputError('parameters must be an object, such as {"user": "ana"}')
        if not question.statement.strip():
            raise InputError("the statement is empty; write Cypher, for example MATCH (u:User) RETURN u.name LIMIT 5")
        if len(question.statement) > LIMITS.text_chars:
            raise InputError(
                f"the statement has more than {LIMITS.text_chars:,} characters; hand values in as parameters"
            )
        caps = replace(
            self._caps,
            timeout_s=_less("the time-out", question.timeout_s, self._caps.timeout_s),
            rows=round(_less("the number of rows", question.rows, self._caps.rows)),
        )
        async with self._turns:
            return await free_query(self._graph, question.statement, question.parameters, caps)


def _less(what: str, wanted: float | None, most: float) -> float:
    if wanted is None:
        return most
    if not 0 < wanted <= most:
        raise InputError(f"{what} is {wanted:g}; it must be above 0 and at most {most:g} (settings `analyst`)")
    return wanted


def json_ready(value: Any) -> Any:
    """A plain value as JSON knows it: moments as ISO 8601, numbers that are none as null."""
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
