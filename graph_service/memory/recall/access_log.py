"""What was part of answers, and when: noted in this process, written now and then, never while a question waits."""

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, Protocol

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.recall.query import HitKind
from schema.errors import UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId, memory_id, user_uri

_log = logging.getLogger("mnemograph.access")

FLUSH_S: Final = 5.0
# A commit holds back the digests of one user, so it is short.
_ROWS_MAX: Final = 100
# What is noted beyond this while Neo4j is away is lost, which harms nobody.
_NOTED_MAX: Final = 20_000


class Used(Protocol):
    """What an answer consists of."""

    @property
    def kind(self) -> HitKind:
        """Message, scene or fact."""

    @property
    def id(self) -> str:
        """Its id."""


@dataclass(slots=True)
class _Use:
    """How often something was part of an answer since the last writing, and when last."""

    n: int
    at: datetime


class AccessLog:
    """Notes which messages, scenes and facts were used.

    Nothing here is knowledge: viewers are told nothing, digests go on, and what a crash loses is not missed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._noted: dict[tuple[TenantId, str], dict[tuple[HitKind, str], _Use]] = {}
        self._noted_n = 0

    def note(self, tenant: TenantId, user_id: str, used: Iterable[Used], *, at: datetime) -> None:
        """Note that these were part of an answer; costs no round trip."""
        mine = self._noted.setdefault((tenant, user_id), {})
        for one in used:
            known = mine.get((one.kind, one.id))
            if known is not None:
                known.n, known.at = known.n + 1, max(known.at, at)
            elif self._noted_n < _NOTED_MAX:
                mine[one.kind, one.id] = _Use(1, at)
                self._noted_n += 1

    async def run(self, stop: asyncio.Event) -> None:
        """Write what was noted every few seconds until `stop` is set, and once more then."""
        stopped = False
        while not stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_S):
                    await stop.wait()
            stopped = stop.is_set()
            if not self._graph.away:
                await self.flush()

    async def flush(self) -> int:
        """Write what was noted; return how many elements were marked. What cannot be written is let go."""
        noted, self._noted, self._noted_n = self._noted, {}, 0
        marked = 0
        for tenant, user_id in sorted(noted):
            uses = iter(sorted(noted[tenant, user_id].items(), key=lambda item: item[0][1]))
            while rows := [_row(kind, name, use) for (kind, name), use in islice(uses, _ROWS_MAX)]:
                try:
                    marked += await self._write(tenant, user_id, rows)
                except UnavailableError as error:
                    _log.info("what was used could not be noted (%s); it is let go", failure_of(error))
                    return marked
                except Exception as error:
                    # Of this user; nobody else's is let go for it.
                    failure = failure_of(error)
                    extra = {"tenant": tenant, "code": failure.code}
                    _log.warning("what was used could not be noted (%s); it is let go", failure, extra=extra)
                    break
        return marked

    async def _write(self, tenant: TenantId, user_id: str, rows: list[dict[str, Any]]) -> int:
        wanted = {"tenant": tenant, "user_node_id": memory_id(user_uri(tenant, user_id)), "rows": rows}

        async def steps(writing: Writing) -> int:
            written = await writing.run(statement("recall/record_access"), wanted)
            return sum(int(row["noted"]) for row in written)

        return await self._graph.write(steps)


def _row(kind: HitKind, name: str, use: _Use) -> dict[str, Any]:
    return {"id": name, "kind": kind.value, "n": use.n, "at": use.at}
