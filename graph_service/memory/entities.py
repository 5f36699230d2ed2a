"""The entities of one user's memory, as lists show them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from schema.errors import InputError
from schema.ids import MemoryId, TenantId

LISTED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityListed:
    """An entity as lists show it.

    Attributes:
        merged: ids of the entities that were merged into it.
    """

    id: MemoryId
    name: str
    aliases: tuple[str, ...]
    entity_type: str | None
    last_seen: datetime
    merged: tuple[MemoryId, ...] = ()


async def list_entities(graph: Graph, tenant: TenantId, user_id: str, *, limit: int) -> list[EntityListed]:
    """Entities of one user, the most recently named first.

    Raises:
        InputError: the limit is out of bounds.
    """
    if not 1 <= limit <= LISTED_MAX:
        raise InputError(f"limit {limit!r} must be 1 to {LISTED_MAX}")
    parameters = {"tenant": tenant, "user_id": user_id, "rows_max": limit}
    rows = await graph.read(statement("read/entities_of_user"), parameters)
    return [
        EntityListed(
            id=row["id"],
            name=row["name"],
            aliases=tuple(row["aliases"]),
            entity_type=row["entity_type"],
            last_seen=row["last_seen"],
            merged=tuple(row["merged"]),
        )
        for row in rows
    ]
