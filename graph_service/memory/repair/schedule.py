"""Run `sync` for every tenant from time to time, so that orphans and other inconsistencies do not stay.

The time of the last run is stored with the tenant: a restart does not repeat it, and of several processes one runs it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.repair.repair import SyncReport
from graph_service.supervision import wait_for_any
from schema.errors import MnemographError, UnavailableError
from schema.ids import TenantId

_log = logging.getLogger("mnemograph.sync")

_CHECK_S: Final = 600.0


class SyncSchedule:
    """Runs `sync` for tenants whose last run is longer ago than the interval.

    Args:
        sync: checks and repairs one tenant.
        clock: returns aware UTC now.
        excluded: tenants to leave alone.
    """

    def __init__(
        self,
        graph: Graph,
        sync: Callable[[TenantId], Awaitable[SyncReport]],
        *,
        every: timedelta,
        clock: Callable[[], datetime],
        excluded: Callable[[], Collection[TenantId]] = tuple,
    ) -> None:
        self._graph = graph
        self._sync = sync
        self._every = every
        self._clock = clock
        self._excluded = excluded

    async def run(self, stop: asyncio.Event) -> None:
        """Run due syncs, one tenant at a time, until `stop` is set."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                while not stop.is_set() and await self.run_one():
                    pass
            await wait_for_any(stop, timeout_s=min(_CHECK_S, self._every.total_seconds() / 2))

    async def run_one(self) -> bool:
        """Run the sync of the tenant that is most overdue; False if none is due.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        now = self._clock()
        parameters = {"before": now - self._every, "now": now, "exclude_tenants": sorted(self._excluded())}
        rows = await self._graph.write(lambda writing: writing.run(statement("repair/claim_due_sync"), parameters))
        if not rows:
            return False
        tenant = TenantId(rows[0]["tenant"])
        try:
            report = await self._sync(tenant)
        except UnavailableError:
            raise
        except MnemographError as error:
            _log.warning("a scheduled sync failed; the next one is in %s: %s", self._every, error)
            return True
        found = ", ".join(f"{count} {problem.value}" for problem, count in sorted(report.found.items()))
        level = logging.WARNING if report.errors else logging.INFO
        extra = {"tenant": tenant}
        _log.log(level, "scheduled sync: %d checked, found %s", report.total, found or "nothing", extra=extra)
        return True
