"""Embed new items and delete expired ones, in the background.

What waits is marked in the database, so nothing is lost in a crash, and several processes may do the same work.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from extraction.embeddings.embedder import Embedder
from extraction.token_spending import TokenSpending, spending
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.consolidation.readers import cost_of, day_of
from graph_service.memory.jobs.outbox import JobKind
from graph_service.observability.metrics import EMBEDDING_TOKENS, EMBEDDINGS
from graph_service.supervision import wait_for_any
from schema.errors import MnemosceneError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId
from schema.timespan import millis

_log: Final = logging.getLogger("mnemoscene.items")
# Items of other processes, and expired ones, are looked for this often.
_IDLE_S: Final = 20.0
_EMBEDDED_MAX: Final = 64
_DELETED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class ItemUpkeep:
    """The background work on items.

    Args:
        embedder: None leaves items without vectors.
        clock: aware UTC now.
        paused: tenants whose jobs of a kind wait.
    """

    graph: Graph
    embedder: Embedder | None
    clock: Callable[[], datetime]
    paused: Callable[[JobKind], Collection[TenantId]] = lambda _kind: ()
    _wake: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def wake(self) -> None:
        """Embed what was just stored."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Embed new items at once and delete expired ones, until `stop` is set."""
        while not stop.is_set():
            self._wake.clear()
            with contextlib.suppress(UnavailableError):
                while not stop.is_set() and await self.embed_some():
                    pass
            with contextlib.suppress(UnavailableError):
                while not stop.is_set() and await self.delete_expired():
                    pass
            await wait_for_any(stop, self._wake, timeout_s=_IDLE_S)

    async def embed_some(self) -> bool:
        """Add vectors to a few items; return True if more may wait.

        Raises:
            UnavailableError: Neo4j or the embedder does not answer.
        """
        if self.embedder is None or self.graph.away:
            return False
        scope = {"exclude_tenants": sorted(self.paused(JobKind.EMBED)), "rows_max": _EMBEDDED_MAX}
        rows = await self.graph.read(statement("items/unembedded_items"), scope)
        for tenant, waiting in groupby(sorted(rows, key=lambda row: str(row["tenant"])), key=lambda row: row["tenant"]):
            await self._embed(self.embedder, TenantId(tenant), list(waiting))
        return bool(rows)

    async def _embed(self, embedder: Embedder, tenant: TenantId, rows: Sequence[Row]) -> None:
        with spending(TokenSpending()) as tokens:
            vectors = await _vectors(embedder, tenant, [row["text"] for row in rows])
        written: list[dict[str, Any]] = [
            {**{name: row[name] for name in ("tenant", "id", "updated_at")}, "vector": vector}
            for row, vector in zip(rows, vectors, strict=True)
        ]
        written.sort(key=lambda row: str(row["id"]))

        async def steps(writing: Writing) -> None:
            await writing.run(statement("items/set_item_vectors"), {"rows": written})
            if tokens.embedding_tokens:
                parameters = {"tenant": tenant, "day": day_of(self.clock()), "cost": cost_of(tokens)}
                await writing.run(statement("consolidation/add_usage"), parameters)

        await self.graph.write(steps)
        EMBEDDING_TOKENS.add(n=tokens.embedding_tokens)
        EMBEDDINGS.add("item", n=len(written))

    async def delete_expired(self) -> bool:
        """Delete some expired items; return True if more may be left."""
        if self.graph.away:
            return False
        parameters = {
            "exclude_tenants": sorted(self.paused(JobKind.FORGET)),
            "now_ms": millis(self.clock()),
            "rows_max": _DELETED_MAX,
        }
        rows = await self.graph.run(statement("items/delete_expired"), parameters)
        return bool(rows[0]["items"] == _DELETED_MAX)


async def _vectors(embedder: Embedder, tenant: TenantId, texts: Sequence[str]) -> list[Any]:
    """Return vectors as parameters; None for a text that the embedder refuses."""
    try:
        return [vector_parameter(vector) for vector in await embedder.embed(texts)]
    except UnavailableError:
        raise
    except MnemosceneError as error:
        if len(texts) > 1:
            return [vector for text in texts for vector in await _vectors(embedder, tenant, [text])]
        _log.warning("an item stays without a vector: %s", failure_of(error), extra={"tenant": tenant})
        return [None]
