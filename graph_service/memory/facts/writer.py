"""Write facts, and enqueue jobs that compute the vectors of facts and scenes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.jobs.outbox import JobKind
from schema.ids import TenantId
from schema.timespan import millis


async def put_facts(writing: Writing, tenant: TenantId, rows: Sequence[Row], *, session: str = "") -> set[str]:
    """Write facts; return the node ids of the sessions whose jobs embed the new statements.

    Args:
        rows: results of `fact_row`, ordered by id.
        session: node id of the session whose job embeds them; by default that of each fact's first evidence message.
    """
    if not rows:
        return set()
    parameters = {"tenant": tenant, "session": session, "rows": list(rows)}
    written = await writing.run(statement("facts/put_facts"), parameters)
    assert len(written) == len(rows), "every fact must be written"
    return sessions_to_embed(written)


def sessions_to_embed(written: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the sessions whose jobs embed the written rows: `unembedded_in`, null for rows with a vector. Pure."""
    return {row["unembedded_in"] for row in written if row["unembedded_in"]}


async def enqueue_embedding(writing: Writing, tenant: TenantId, sessions: set[str], *, at: datetime) -> None:
    """Enqueue embedding jobs for sessions, in the transaction that wrote the new texts."""
    if sessions:
        rows = [{"session": session, "kind": JobKind.EMBED.value} for session in sorted(sessions)]
        await writing.run(statement("jobs/enqueue"), {"tenant": tenant, "rows": rows, "now_ms": millis(at)})
