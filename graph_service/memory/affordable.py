"""Whether a tenant can afford that the model reads: over the day's tokens the rules do, and what they read is owed."""

from dataclasses import replace
from datetime import datetime

from extraction.reading import Reader, Reading, SceneText
from graph_service.graph.store import Graph
from graph_service.memory.usage import tokens_of_day
from schema.ids import TenantId

OVER_BUDGET = "over budget"


async def affordable(
    graph: Graph, tenant: TenantId, first: Reader, rules: Reader, *, tokens_per_day: int, now: datetime
) -> Reader:
    """The reader for one digest: `first`, or the rules when the tenant has spent the tokens of the day.

    Args:
        tokens_per_day: what the model may cost each tenant on a day (UTC); 0 means no limit.
    """
    if not tokens_per_day or await tokens_of_day(graph, tenant, now) < tokens_per_day:
        return first

    async def read(scene: SceneText) -> Reading:
        return replace(await rules(scene), path=(OVER_BUDGET, "rules"), owed=True)

    return read
