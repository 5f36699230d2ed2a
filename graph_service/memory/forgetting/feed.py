"""Follow what any process forgets, and drop the copies of it that this process has cached.

Each forgetting commits a record with the deletion. Every process reads the new records twice a second. It drops what it
caches of the tenant (answers, snapshots in memory and on disk, comparisons) and, if messages are gone, of the user (the
short-term window, questions). The same read tells which embedder the stored vectors are of.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from graph_service.graph.schema_setup import StoredEmbedder, embedder_of
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.mindmap.snapshot_cache import SnapshotFile
from graph_service.memory.sessions.short_term_window import ShortTermWindow
from graph_service.supervision import wait_for_any
from schema.errors import MnemosceneError, UnavailableError
from schema.ids import TenantId, UserId

_log = logging.getLogger("mnemoscene.forgetting")

POLL_S: Final = 0.5
# A record is visible after its commit, which may be this much later than its time: transactions take at most 30 s.
_OVERLAP_MS: Final = 120_000
# Records are kept for so long; a process that did not read for longer drops everything.
_KEPT_MS: Final = 24 * 3_600_000
# Interval at which the position is stored for the next start, and old records are deleted.
_UPKEEP_MS: Final = 60_000


class RecentQuestions(Protocol):
    """The latest questions of each tenant, with what they found (`recall.question_log`)."""

    def forget_user(self, tenant: str, user_id: str) -> None:
        """Remove all questions about a user's memory."""

    def forget_elements(self, tenant: str, ids: Iterable[str]) -> None:
        """Remove the questions that found one of these elements."""


async def record_forgetting(writing: Writing, tenant: TenantId, user_id: str, *, messages: bool) -> None:
    """Tell all processes, at the commit, that something was forgotten."""
    parameters = {"tenant": tenant, "user_id": user_id, "messages": messages}
    await writing.run(statement("forgetting/record_forgetting"), parameters)


@dataclass(slots=True, kw_only=True)
class ForgettingFeed:
    """Reads the records of forgettings.

    Args:
        drop: called with a tenant; drops what this process has cached of it, except window and questions. Called with
            None, for all tenants, if records may have been missed.
        snapshots: the snapshots on disk, with the position up to which what was forgotten is not in them.
        on_embedder: called with the embedder of the stored vectors at each read.
    """

    graph: Graph
    drop: Callable[[str | None], None]
    window: ShortTermWindow
    questions: RecentQuestions
    snapshots: SnapshotFile
    on_embedder: Callable[[StoredEmbedder | None], None]
    # The server's time at the last read; None before the first.
    _read_ms: int | None = field(default=None, init=False)
    _upkeep_ms: int = field(default=0, init=False)
    _seen: set[str] = field(default_factory=set, init=False)
    _again: list[Row] = field(default_factory=list, init=False)

    async def run(self, stop: asyncio.Event) -> None:
        """Follow the records until `stop` is set, also while the database is unavailable."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                await self.poll()
            await wait_for_any(stop, timeout_s=POLL_S)

    async def poll(self) -> None:
        """Read new records once and drop what they name."""
        since_ms = self._read_ms
        if since_ms is None:
            since_ms = await self.snapshots.position()
        rows = await self.graph.read(
            statement("forgetting/follow"), {"after_ms": max((since_ms or 0) - _OVERLAP_MS, 0)}
        )
        now_ms, stored, forgotten = (rows[0][name] for name in ("now_ms", "embedder", "forgotten"))
        self.on_embedder(None if stored is None else embedder_of(stored))
        if since_ms is None or now_ms - since_ms > _KEPT_MS - _OVERLAP_MS:
            self.drop(None)
        new = [row for row in forgotten if row["id"] not in self._seen]
        # Neo4j applies a commit in parts: for some milliseconds a reader may still see, and cache, what is gone.
        for record in (*self._again, *new):
            await self._forget(record)
        self._again, self._seen = new, {row["id"] for row in forgotten}
        self._read_ms = now_ms
        await self._keep_up(now_ms)

    async def _forget(self, record: Row) -> None:
        tenant, user_id = TenantId(record["tenant"]), UserId(record["user_id"])
        self.drop(tenant)
        if record["messages"]:
            self.questions.forget_user(tenant, user_id)
            await self.window.forget(tenant, user_id)

    async def _keep_up(self, now_ms: int) -> None:
        if now_ms - self._upkeep_ms < _UPKEEP_MS:
            return
        self._upkeep_ms = now_ms
        await self.snapshots.store_position(now_ms)
        try:
            await self.graph.run(statement("forgetting/delete_old_records"), {"before_ms": now_ms - _KEPT_MS})
        except MnemosceneError as error:
            # Another process deletes the same records.
            _log.debug("old records of forgettings were not deleted: %s", error.message)
