"""Scenes that the rules read instead of a model, because the day's tokens were spent: asked for once more."""

from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from schema.errors import InputError
from schema.ids import TenantId

SCENES_MAX = 1_000


async def read_again(graph: Graph, tenant: TenantId, user_id: str, *, scenes_max: int, now_ms: int) -> int:
    """Asks for the reading of scenes that are owed to a model, oldest first; how many there were.

    Facts that the rules found stay; what the model finds is merged with them.

    Raises:
        InputError: `scenes_max` is out of bounds.
    """
    if not 1 <= scenes_max <= SCENES_MAX:
        raise InputError(f"scenes is {scenes_max}; use 1 to {SCENES_MAX}")
    parameters = {"tenant": tenant, "user_id": user_id, "scenes_max": scenes_max, "now_ms": now_ms}

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("write/read_scenes_again"), parameters)

    return sum(row["scenes"] for row in await graph.write(steps))
