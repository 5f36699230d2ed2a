"""How much work of all tenants waits, is being done, or was given up."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.intake import millis

WORK_STATES: Final = ("open", "leased", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStanding:
    """Work that is not done.

    Attributes:
        jobs: how much, by kind and state.
        overdue_s: for how long the first of what is open has been due.
    """

    jobs: Mapping[tuple[str, str], int]
    overdue_s: float


async def work_standing(graph: Graph, *, now: datetime) -> WorkStanding:
    """The work of all tenants together.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    rows = await graph.read(statement("jobs/standing"), {})
    due = [row["due_ms"] for row in rows if row["state"] == "open" and row["due_ms"] is not None]
    return WorkStanding(
        jobs={(row["kind"], row["state"]): row["jobs"] for row in rows},
        overdue_s=max(millis(now) - min(due), 0) / 1000 if due else 0.0,
    )
