"""Writing rows of the change log, inside the commit that causes them."""

import json
from collections.abc import Sequence
from datetime import datetime

from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from schema.change import Change
from schema.ids import TenantId


async def append_changes(
    writing: Writing, tenant: TenantId, user_id: str, changes: Sequence[Change], *, at: datetime
) -> int:
    """Numbers the changes and stores them; returns the number of the last one (0 when there is none to write).

    Call it last in a transaction: it locks the tenant, and all writers take that lock last.
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
    result = await writing.run(statement("write/append_changes"), parameters)
    assert result, "the tenant of a change must exist"
    assert result[0]["written"] == len(rows), "every change must get its number"
    return int(result[0]["seq"])
