"""Record which messages, scenes and facts were part of answers; buffered, and written every minute."""

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind
from schema.errors import UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId, memory_id, user_uri

_log = logging.getLogger("mnemoscene.access")

FLUSH_S: Final = 60.0
# Short commits, because each blocks the consolidation of one user.
_ROWS_MAX: Final = 100
# Further accesses are not recorded while Neo4j is unavailable.
_BUFFERED_MAX: Final = 20_000


@dataclass(slots=True)
class _Access:
    """Number of accesses since the last flush, and time of the last access."""

    n: int
    at: datetime


class AccessLog:
    """Record the use of messages, scenes and facts.

    Accesses are not content: they cause no change for viewers and no consolidation, and a crash may lose those of the
    last minute.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._buffer: dict[tuple[TenantId, str], dict[tuple[HitKind, str], _Access]] = {}
        self._buffered_n = 0

    def note(self, tenant: TenantId, user_id: str, used: Iterable[tuple[HitKind, str]], *, at: datetime) -> None:
        """Buffer the accesses to elements of an answer, given by kind and id; without a round trip."""
        buffer = self._buffer.setdefault((tenant, user_id), {})
        for key in used:
            access = buffer.get(key)
            if access is not None:
                access.n, access.at = access.n + 1, max(access.at, at)
            elif self._buffered_n < _BUFFERED_MAX:
                buffer[key] = _Access(1, at)
                self._buffered_n += 1

    async def run(self, stop: asyncio.Event) -> None:
        """Flush every minute until `stop` is set, and once more after that."""
        stopped = False
        while not stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_S):
                    await stop.wait()
            stopped = stop.is_set()
            if not self._graph.away:
                await self.flush()

    async def flush(self) -> int:
        """Write the buffer and return the number of elements updated; accesses that cannot be written are dropped."""
        buffer, self._buffer, self._buffered_n = self._buffer, {}, 0
        updated = 0
        for tenant, user_id in sorted(buffer):
            accesses = iter(sorted(buffer[tenant, user_id].items(), key=lambda item: item[0][1]))
            while rows := [
                {"id": name, "kind": kind.value, "n": access.n, "at": access.at}
                for (kind, name), access in islice(accesses, _ROWS_MAX)
            ]:
                try:
                    updated += await self._write(tenant, user_id, rows)
                except UnavailableError as error:
                    _log.info("accesses were not recorded (%s); they are dropped", failure_of(error))
                    return updated
                except Exception as error:
                    # Only the accesses of this user are dropped.
                    failure = failure_of(error)
                    extra = {"tenant": tenant, "code": failure.code}
                    _log.warning("accesses were not recorded (%s); they are dropped", failure, extra=extra)
                    break
        return updated

    async def _write(self, tenant: TenantId, user_id: str, rows: list[dict[str, Any]]) -> int:
        parameters = {"tenant": tenant, "user_node_id": memory_id(user_uri(tenant, user_id)), "rows": rows}
        written = await self._graph.run(statement("recall/record_access"), parameters)
        return sum(int(row["updated"]) for row in written)
