"""Append numbered changes to the change log of a tenant, and read those after a sequence number."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.payloads import moment_text
from schema.change import Change, NumberedChange, Op
from schema.ids import MemoryId, TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The end of a change log.

    Attributes:
        epoch: identifies the log; sequence numbers of two epochs do not compare. Empty without a tenant.
        seq: sequence number of the last change; 0 before the first.
        places: number of times that viewers placed nodes, which is no change.
    """

    epoch: str
    seq: int
    places: int = field(default=0, compare=False)


class ChangeLog:
    """Read the change logs of all tenants."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def head(self, tenant: str) -> Head:
        """Return the current end of the log; an empty epoch and 0 for an unknown tenant."""
        row = (await self._graph.read(statement("change_log/head"), {"tenant": tenant}))[0]
        return Head(epoch=row["epoch"], seq=row["seq"], places=row["places"])

    async def since(self, tenant: str, seq: int, *, rows_max: int = 500) -> list[NumberedChange]:
        """Return up to `rows_max` changes after `seq`, lowest number first.

        The first is not `seq + 1` if older changes were deleted.
        """
        rows = await self._graph.read(
            statement("change_log/changes_since"), {"tenant": tenant, "seq": seq, "rows_max": rows_max}
        )
        return [numbered_change(row) for row in rows]


def numbered_change(row: Row) -> NumberedChange:
    """Convert a row of `change_log/changes_since` or `change_log/recent`."""
    body = row["body"]
    return NumberedChange(
        seq=row["seq"],
        at=moment_text(row["at"]) or "",
        user_id=row["user_id"],
        change=Change(
            op=Op(row["op"]),
            element_id=MemoryId(row["element_id"]),
            body=json.loads(body) if body else {},
            reason=row["reason"] or "",
        ),
    )


async def append_changes(
    writing: Writing, tenant: TenantId, user_id: str, changes: Sequence[Change], *, at: datetime
) -> int:
    """Number and store changes; return the sequence number of the last one (0 without changes).

    Call it last in a transaction: it locks the tenant, and all writers take that lock last, so that they do not
    deadlock.
    """
    if not changes:
        return 0
    rows = [
        {
            "op": change.op.value,
            "element_id": change.element_id,
            "body": json.dumps(change.body, ensure_ascii=False) if change.body else None,
            "reason": change.reason,
        }
        for change in changes
    ]
    parameters = {"tenant": tenant, "user_id": user_id, "at": at, "rows": rows}
    result = await writing.run(statement("change_log/append"), parameters)
    assert result, "the tenant of a change must exist"
    assert result[0]["written"] == len(rows), "every change must get its number"
    return int(result[0]["seq"])
