"""List a user's entities, and suggest merges of possible duplicates."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from extraction.bounded_threads import BoundedThreads
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.change_log.log import ChangeLog, UnchangedCache
from graph_service.memory.entity_resolution.duplicate_candidates import (
    ComparedEntity,
    DuplicatePair,
    duplicate_pairs,
    without_rejected,
)
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.sessions.lifecycle import users_in_view
from schema.ids import MemoryId, TenantId
from schema.timespan import micros

LISTED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntity:
    """An entity of one user's memory.

    Attributes:
        id: its id.
        name: its preferred name.
        aliases: other names, including those of merged entities.
        entity_type: person, place, …, if known.
        last_seen: when it was last mentioned.
        merged: ids of the entities merged into it, for splitEntity.
    """

    id: MemoryId
    name: str
    aliases: tuple[str, ...]
    entity_type: str | None
    last_seen: datetime
    merged: tuple[MemoryId, ...] = ()


def entity_cursor(entity: ListedEntity) -> str:
    """Return the cursor of an entity in `Entities.listed`."""
    return encode_cursor(ListName.ENTITIES, micros(entity.last_seen), str(entity.id))


# Only the most recently mentioned entities are compared.
_ENTITIES_MAX: Final = 2_000
_TIES_MAX: Final = 40
# Number of pairs that are kept; most entities are in several.
_KEPT_MAX: Final = 10_000
_COMPARE_THREADS: Final = BoundedThreads(threads_max=2, cpu_max_s=30.0)


class Entities:
    """List entities and possible duplicates; the pairs of an unchanged memory are kept."""

    def __init__(self, graph: Graph, log: ChangeLog) -> None:
        self._graph = graph
        self._compared: UnchangedCache[list[DuplicatePair]] = UnchangedCache(log, weigh=len, weight_max=_KEPT_MAX)

    async def listed(
        self, tenant: TenantId, user_id: str, *, limit: int = 100, after: str | None = None
    ) -> list[ListedEntity]:
        """Return entities of one user, the most recently mentioned first.

        Args:
            after: an `entity_cursor`; only entities after it are returned.
        """
        check_limit(limit, LISTED_MAX)
        last_seen_us, after_id = decode_cursor(ListName.ENTITIES, after)
        parameters: dict[str, Any] = {"tenant": tenant, "user_id": user_id, "rows_max": limit}
        parameters |= {"last_us": last_seen_us, "after": after_id}
        rows = await self._graph.read(statement("entity_resolution/list_entities"), parameters)
        return [from_row(ListedEntity, row) for row in rows]

    async def suggested_merges(self, tenant: TenantId, user_id: str | None, *, limit: int = 20) -> list[DuplicatePair]:
        """Return possible duplicates among one user's entities, or each user's if None; best score first.

        Raises:
            TooSlowError: comparing the names took too long.
        """
        check_limit(limit)
        check_ids(userId=user_id)
        users = await users_in_view(self._graph, tenant, user_id)
        # A rejection is no change of the memory, so it is read each time.
        pairs, rejections = await asyncio.gather(
            self._compared.get(tenant, user_id, lambda: _compared_pairs(self._graph, tenant, users)),
            self._graph.read(statement("entity_resolution/rejected_merges"), {"tenant": tenant, "users": users}),
        )
        return without_rejected(pairs, {frozenset((row["a_id"], row["b_id"])) for row in rejections})[:limit]

    def forget(self, tenant: str | None) -> None:
        """Drop what is kept of a tenant's memory, or of all, because something in it was forgotten."""
        self._compared.forget(tenant)


async def _compared_pairs(graph: Graph, tenant: TenantId, users: list[str]) -> list[DuplicatePair]:
    parameters = {"tenant": tenant, "users": users, "rows_max": _ENTITIES_MAX, "ties_max": _TIES_MAX}
    rows = await graph.read(statement("entity_resolution/duplicate_profiles"), parameters)
    entities = [_compared_entity(row) for row in rows]
    # In a thread: comparing thousands of names would block the event loop.
    return await _COMPARE_THREADS.run(lambda: duplicate_pairs(entities))


def _compared_entity(row: Mapping[str, Any]) -> ComparedEntity:
    return from_row(
        ComparedEntity,
        row,
        members=frozenset(row["members"]),
        ties=frozenset((f"{predicate} {relation or ''}", other) for predicate, relation, other in row["ties"]),
    )
