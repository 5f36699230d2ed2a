"""The entities of one user's memory, as lists show them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.places import Listed, cursor_at, place_in
from schema.errors import InputError
from schema.ids import MemoryId, TenantId
from schema.timespan import micros

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


async def list_entities(
    graph: Graph, tenant: TenantId, user_id: str, *, limit: int, after: str | None = None
) -> list[EntityListed]:
    """Entities of one user, the most recently named first.

    Args:
        after: `entity_cursor` of one; only those behind it.

    Raises:
        InputError: the limit or the cursor cannot be used.
    """
    if not 1 <= limit <= LISTED_MAX:
        raise InputError(f"limit {limit!r} must be 1 to {LISTED_MAX}")
    last_us, behind = place_in(Listed.ENTITIES, after)
    parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "rows_max": limit}
    parameters |= {"last_us": last_us, "after": behind}
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


def entity_cursor(one: EntityListed) -> str:
    """Where an entity stands among those of its user."""
    return cursor_at(Listed.ENTITIES, micros(one.last_seen), str(one.id))
