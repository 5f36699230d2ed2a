"""Work that was given up: what it was, why, and how it is tried again or cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from schema.errors import InputError, NotFoundError
from schema.ids import TenantId
from schema.timespan import millis

ROWS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A piece of work that failed too often.

    Attributes:
        error: of the last try.
        attempts: how often it failed.
        away: what was away outside when that was the reason; it is then tried again by itself.
    """

    id: str
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str
    attempts: int
    failed_at: datetime | None
    away: str | None


def letter_cursor(letter: DeadLetter) -> str:
    """Return where a dead letter stands among those of its tenant."""
    return encode_cursor(ListName.DEAD_LETTERS, millis(letter.failed_at) if letter.failed_at else 0, letter.id)


class DeadLetters:
    """The dead letters of all tenants, one tenant at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def listed(self, tenant: TenantId, *, limit: int = 100, after: str | None = None) -> list[DeadLetter]:
        """Return the latest of a tenant, newest first.

        Args:
            after: `letter_cursor` of one; only those behind it.

        Raises:
            InputError: there cannot be so many, or such a cursor.
        """
        if not 1 <= limit <= ROWS_MAX:
            raise InputError(f"limit is {limit}; use 1 to {ROWS_MAX}")
        failed_ms, behind = decode_cursor(ListName.DEAD_LETTERS, after)
        wanted = {"tenant": tenant, "failed_ms": failed_ms, "after": behind, "rows_max": limit}
        rows = await self._graph.read(statement("jobs/dead_letters"), wanted)
        return [
            DeadLetter(
                id=row["id"],
                kind=JobKind(row["kind"]),
                user_id=row["user_id"],
                session_id=row["session_id"],
                error=row["error"] or "",
                attempts=row["attempts"],
                failed_at=datetime.fromtimestamp(row["failed_ms"] / 1000, UTC) if row["failed_ms"] else None,
                away=row["away"],
            )
            for row in rows
        ]

    async def retry(self, tenant: TenantId, ids: Sequence[str] | None, *, now_ms: int) -> int:
        """Have dead letters done again; return how many.

        Args:
            ids: None means all of the tenant.

        Raises:
            NotFoundError: an id names no dead letter of this tenant; nothing was changed.
        """
        parameters = {"tenant": tenant, "ids": None if ids is None else sorted(set(ids)), "now_ms": now_ms}
        return await self._changed(statement("jobs/retry"), parameters, ids)

    async def cancel(self, tenant: TenantId, ids: Sequence[str]) -> int:
        """Give up work for good, waiting, under way or dead; messages stay, new ones in the session ask for it anew.

        Raises:
            NotFoundError: an id names no unfinished work of this tenant; nothing was changed.
        """
        return await self._changed(statement("jobs/cancel"), {"tenant": tenant, "ids": sorted(set(ids))}, ids)

    async def _changed(self, change: Statement, parameters: dict[str, Any], ids: Sequence[str] | None) -> int:
        async def steps(writing: Writing) -> int:
            rows = await writing.run(change, parameters)
            missing = set(ids or ()) - {row["id"] for row in rows}
            if missing:
                names = ", ".join(sorted(missing))
                raise NotFoundError(f"there is no such work: {names}; list it with `mnemograph jobs`")
            return len(rows)

        return await self._graph.write(steps)
