"""Cache results computed from a tenant's memory until its change log grows."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from cachetools import LRUCache

from graph_service.memory.change_log.log import ChangeLog, Head
from schema.ids import TenantId

T = TypeVar("T")

# Neo4j applies a commit in parts: for some milliseconds a reader may see the new head without all changes before it.
SETTLED_S: Final = 1.0
# Age of a last change that is certainly applied, although it was numbered by a process with another clock.
OLD_S: Final = 60.0
# Maximum age, in case data changes without a change in the log, as in a repair by hand.
FRESH_S: Final = 600.0
_TENANTS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    head: Head
    at_s: float
    value: T
    weight: int


class UnchangedCache(Generic[T]):
    """Cache of the latest results, bounded by their weight; any write to a tenant, by any process, invalidates its own.

    Args:
        weigh: size of a result in the unit of `weight_max`.
        weight_max: of all results together; a larger result is not kept.
        clock_s: monotonic seconds.
    """

    def __init__(
        self,
        log: ChangeLog,
        *,
        weigh: Callable[[T], int],
        weight_max: int,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._weigh = weigh
        self._clock_s = clock_s
        self._kept: LRUCache[tuple[TenantId, Hashable], _Kept[T]] = LRUCache(weight_max, lambda kept: kept.weight)
        # The head of each tenant that was seen last, and when it was seen first.
        self._heads: LRUCache[TenantId, tuple[Head, float]] = LRUCache(_TENANTS_MAX)
        # Counts forgettings: what was read before one may still contain what was forgotten.
        self._forgettings = 0

    async def get(self, tenant: TenantId, key: Hashable, compute: Callable[[], Awaitable[T]]) -> T:
        """Return the result for this key; compute it if the memory has changed."""
        forgettings = self._forgettings
        # Read before the data: a change that arrives in between makes the result invalid.
        head = await self._log.head(tenant)
        now_s = self._clock_s()
        kept = self._kept.get((tenant, key))
        if kept is not None and kept.head == head and now_s - kept.at_s <= FRESH_S:
            return kept.value
        is_settled, value = await asyncio.gather(self._is_settled(tenant, head, now_s), compute())
        weight = 1 + self._weigh(value)
        if is_settled and forgettings == self._forgettings and weight <= self._kept.maxsize:
            self._kept[tenant, key] = _Kept(head, now_s, value, weight)
        return value

    async def _is_settled(self, tenant: TenantId, head: Head, now_s: float) -> bool:
        seen, since_s = self._heads.get(tenant, (None, now_s))
        if seen is None and await self._is_old(tenant, head):
            # Otherwise the first result of a memory, for which a person waits, would never be kept.
            seen, since_s = head, now_s - SETTLED_S
            self._heads[tenant] = (head, since_s)
        elif seen != head:
            self._heads[tenant] = (head, now_s)
        return seen == head and now_s - since_s >= SETTLED_S

    async def _is_old(self, tenant: TenantId, head: Head) -> bool:
        """Return whether the last change was so long ago that all readers see it."""
        last = await self._log.since(tenant, head.seq - 1, rows_max=1)
        return bool(last) and (datetime.now(UTC) - datetime.fromisoformat(last[0].at)).total_seconds() >= OLD_S

    def forget(self, tenant: str | None) -> None:
        """Drop a tenant's results, or all, because something in them was forgotten."""
        self._forgettings += 1
        for name in [name for name in self._kept if tenant in (None, name[0])]:
            del self._kept[name]
