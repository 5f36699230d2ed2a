"""Forget messages when they expire, with everything that only they prove.

Reads of messages leave out expired ones themselves. Scenes, facts, profiles and summaries follow with the sweep. Every
process that serves sweeps at the next expiry, and each second, because other processes store messages too. Two may
sweep at the same time: forgetting takes locks and reads again under them.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.forgetting.service import MESSAGES_PER_COMMIT, Forgetting
from graph_service.memory.jobs.outbox import JobKind
from graph_service.supervision import wait_for_any
from schema.errors import MnemosceneError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId
from schema.timespan import millis

_log: Final = logging.getLogger("mnemoscene.expiry")
_PAUSE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class MessageExpiry:
    """The sweep of expired messages of all tenants.

    Args:
        clock: aware UTC now.
        paused: tenants whose jobs of a kind wait.
    """

    graph: Graph
    forgetting: Forgetting
    clock: Callable[[], datetime]
    paused: Callable[[JobKind], Collection[TenantId]] = lambda _kind: ()

    async def run(self, stop: asyncio.Event) -> None:
        """Sweep at each expiry until `stop` is set."""
        while not stop.is_set():
            pause_s = _PAUSE_S
            with contextlib.suppress(UnavailableError):
                pause_s = await self.sweep()
            await wait_for_any(stop, timeout_s=pause_s)

    async def sweep(self) -> float:
        """Forget what has expired, and return the seconds until the next sweep."""
        if self.graph.away:
            return _PAUSE_S
        now = self.clock()
        until = now + timedelta(seconds=_PAUSE_S)
        scope = {"exclude_tenants": sorted(self.paused(JobKind.FORGET)), "until_ms": millis(until)}
        rows = await self.graph.read(statement("messages/expiring"), scope | {"rows_max": MESSAGES_PER_COMMIT})
        owner, now_ms = itemgetter("tenant", "user_id"), millis(now)
        expired = sorted((row for row in rows if row["expires_ms"] <= now_ms), key=owner)
        failed = False
        for (tenant, _), messages in groupby(expired, key=owner):
            try:
                await self.forgetting.expired(TenantId(tenant), [row["id"] for row in messages], until=now)
            except UnavailableError:
                raise
            except MnemosceneError as error:
                # The messages of other users must not wait for it; the next sweep tries again.
                failed = True
                _log.warning("expired messages stay: %s", failure_of(error), extra={"tenant": tenant})
        if failed:
            return _PAUSE_S
        if len(expired) == MESSAGES_PER_COMMIT:
            return 0.0
        return min((row["expires_ms"] - now_ms for row in rows if row["expires_ms"] > now_ms), default=1000) / 1000
