"""Dead letters: jobs that failed too often. List, retry or cancel them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.graph.rows import from_row
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from schema.errors import NotFoundError
from schema.ids import TenantId
from schema.timespan import millis

ROWS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A background job that failed too often; no message is lost.

    Attributes:
        error: error of the last attempt.
        attempts: number of failed attempts.
        failed_at: time of the last attempt.
        unavailable_service: the unavailable service, `embedder` or `model`, if that was the cause; retried
            automatically then.
    """

    id: str
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str
    attempts: int
    failed_at: datetime | None
    unavailable_service: str | None


def letter_cursor(letter: DeadLetter) -> str:
    """Return the cursor of a dead letter in the list of its tenant."""
    return encode_cursor(ListName.DEAD_LETTERS, millis(letter.failed_at) if letter.failed_at else 0, letter.id)


class DeadLetters:
    """List, retry and cancel the dead letters of a tenant."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def listed(self, tenant: TenantId, *, limit: int = 100, after: str | None = None) -> list[DeadLetter]:
        """Return a tenant's dead letters, newest first.

        Args:
            after: a `letter_cursor`; only dead letters after it are returned.
        """
        check_limit(limit, ROWS_MAX)
        failed_ms, after_id = decode_cursor(ListName.DEAD_LETTERS, after)
        parameters = {"tenant": tenant, "failed_ms": failed_ms, "after": after_id, "rows_max": limit}
        rows = await self._graph.read(statement("jobs/dead_letters"), parameters)
        return [
            from_row(
                DeadLetter,
                row,
                kind=JobKind(row["kind"]),
                error=row["error"] or "",
                failed_at=datetime.fromtimestamp(row["failed_ms"] / 1000, UTC) if row["failed_ms"] else None,
            )
            for row in rows
        ]

    async def retry(self, tenant: TenantId, ids: Sequence[str] | None, *, now_ms: int) -> int:
        """Reopen dead letters and return their number.

        Args:
            ids: None means all of the tenant.

        Raises:
            NotFoundError: an id names no dead letter of this tenant; nothing was changed.
        """
        parameters = {"tenant": tenant, "ids": None if ids is None else sorted(set(ids)), "now_ms": now_ms}
        return await self._change(statement("jobs/retry"), parameters, ids)

    async def cancel(self, tenant: TenantId, ids: Sequence[str]) -> int:
        """Cancel unfinished jobs; messages stay, and new ones in the session enqueue the job again.

        A session whose closing is cancelled is closed with what was extracted so far.

        Raises:
            NotFoundError: an id names no unfinished job of this tenant; nothing was changed.
        """
        return await self._change(statement("jobs/cancel"), {"tenant": tenant, "ids": sorted(set(ids))}, ids)

    async def _change(self, change: Statement, parameters: dict[str, Any], ids: Sequence[str] | None) -> int:
        async def steps(writing: Writing) -> int:
            rows = await writing.run(change, parameters)
            missing = set(ids or ()) - {row["id"] for row in rows}
            if missing:
                names = ", ".join(sorted(missing))
                raise NotFoundError(f"no such job: {names}; list them with `mnemoscene jobs`")
            return len(rows)

        return await self._graph.write(steps)
