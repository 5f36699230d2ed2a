"""Which entities of a tenant may be one: read, compared, and left to people to merge or to reject."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from extraction.bounded_thread import BoundedThreads
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.asked_ids import check_ids, check_limit
from graph_service.memory.look_alikes import LookAlike, Portrait, look_alikes
from schema.ids import MemoryId, TenantId

# Those named last; whoever has more entities cleans them up step by step.
_PORTRAITS_MAX: Final = 2_000
_TIES_MAX: Final = 40
_USERS_MAX: Final = 1_000
_COMPARING: Final = BoundedThreads(threads_max=2, cpu_max_s=30.0)


async def suggested_merges(graph: Graph, tenant: TenantId, user_id: str | None, *, limit: int) -> list[LookAlike]:
    """Pairs of entities of one user, or of each user of the tenant, that may be one; the likeliest first.

    Raises:
        InputError: the limit is out of bounds, or there can be no such user.
        UnavailableError: Neo4j does not answer.
        TooSlowError: comparing the names took too long.
    """
    check_limit(limit)
    if user_id is not None:
        check_ids(userId=user_id)
    users = [user_id] if user_id is not None else await _users(graph, tenant)
    parameters = {"tenant": tenant, "users": users, "rows_max": _PORTRAITS_MAX, "ties_max": _TIES_MAX}
    rows, apart = await asyncio.gather(
        graph.read(statement("read/portraits"), parameters),
        graph.read(statement("read/kept_apart"), {"tenant": tenant, "users": users}),
    )
    pairs = {frozenset((row["a_id"], row["b_id"])) for row in apart}
    portraits = [_portrait(row) for row in rows]
    # Not on the event loop: thousands of names take a moment to compare.
    found = await _COMPARING.run(lambda: look_alikes(portraits, pairs))
    return found[:limit]


async def _users(graph: Graph, tenant: TenantId) -> list[str]:
    rows = await graph.read(statement("read/users_of_tenant"), {"tenant": tenant, "rows_max": _USERS_MAX})
    return [row["user_id"] for row in rows]


def _portrait(row: Mapping[str, Any]) -> Portrait:
    return Portrait(
        id=MemoryId(row["id"]),
        user_id=row["user_id"],
        name=row["name"],
        aliases=tuple(row["aliases"]),
        entity_type=row["entity_type"],
        members=frozenset(row["members"]),
        ties=frozenset((f"{predicate} {relation or ''}", other) for predicate, relation, other in row["ties"]),
    )
