"""What needs a vector: facts that say something new, and the work that gives vectors to them and to scenes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.jobs.outbox import JobKind
from schema.ids import TenantId
from schema.timespan import millis


async def put_facts(writing: Writing, tenant: TenantId, rows: Sequence[Row], *, session: str = "") -> set[str]:
    """Write facts; return the node ids of the sessions whose work embeds those that say something new.

    Args:
        rows: as `fact_row` gives them, ordered by id.
        session: whose work it is; of each fact that of the message that proves it first, if left out.
    """
    if not rows:
        return set()
    parameters = {"tenant": tenant, "session": session, "rows": list(rows)}
    written = await writing.run(statement("facts/put_facts"), parameters)
    assert len(written) == len(rows), "every fact must be written"
    return sessions_of(written)


def sessions_of(written: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the sessions whose work embeds what was written; `unembedded_in` is null of what has a vector. Pure."""
    return {row["unembedded_in"] for row in written if row["unembedded_in"]}


async def want_vectors(writing: Writing, tenant: TenantId, sessions: set[str], *, at: datetime) -> None:
    """Ask for the vectors of what sessions gained, inside the commit that wrote it."""
    if sessions:
        rows = [{"session": session, "kind": JobKind.EMBED.value} for session in sorted(sessions)]
        await writing.run(statement("jobs/enqueue"), {"tenant": tenant, "rows": rows, "now_ms": millis(at)})
