"""Delete a user with all messages, sessions, facts and items: the job `forget`.

The job runs in many bounded commits. The first marks the user; from then on no data of the user is stored or read. If
the process dies, another one continues the job.
"""

from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.forgetting.feed import record_forgetting
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, finish_jobs, renew_lease
from schema.change import FORGOTTEN, Change, Op
from schema.ids import MemoryId, TenantId, UserId

_ROWS_MAX: Final = 500
_CHANGES_MAX: Final = 5_000


async def begin_user_erasure(
    graph: Graph, tenant: TenantId, user_id: UserId, user_node_id: str, tombstone: dict[str, Any], *, now_ms: int
) -> None:
    """Mark a user as being forgotten, and enqueue the job."""
    user = {"tenant": tenant, "user_node_id": user_node_id}

    async def steps(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), user)
        await writing.run(statement("user_erasure/begin"), {**user, "user_id": user_id, "now_ms": now_ms})
        await writing.run(statement("tombstones/put_tombstones"), {"tenant": tenant, "rows": [tombstone]})
        await record_forgetting(writing, tenant, user_id, messages=True)

    await graph.write(steps)


async def forget_user(graph: Graph, claim: JobClaim, job_context: JobContext) -> bool:
    """Run the job: delete all data of its user. Always returns False, since no work is left.

    Raises:
        UnavailableError: Neo4j does not answer; the commits made so far remain.
        ConflictError: the lease was lost to another worker.
    """
    tenant = claim.tenant
    found = await graph.read(statement("user_erasure/user_by_id"), {"tenant": tenant, "id": claim.id})
    if not found:
        return False
    user_id = UserId(found[0]["user_id"])
    user = {"tenant": tenant, "user_node_id": claim.session}
    batch = {"tenant": tenant, "user_id": user_id, "rows_max": _ROWS_MAX}

    async def run(step: Statement, parameters: dict[str, Any]) -> list[Row]:
        """Renew the lease, then run one statement in a transaction and return its rows."""
        await renew_lease(graph, claim, now_ms=job_context.now_ms())
        rows = await graph.run(step, parameters)
        job_context.step("forget step done")
        return rows

    async def delete_nodes(writing: Writing) -> bool:
        await writing.run(statement("locks/lock_memory"), user)
        ids = sorted(row["id"] for row in await writing.run(statement("user_erasure/delete_nodes"), batch))
        changes = [Change(op=Op.NODE_DROP, element_id=MemoryId(name), body={}, reason=FORGOTTEN) for name in ids]
        await append_changes(writing, tenant, user_id, changes, at=job_context.clock())
        return bool(ids)

    async def finish(writing: Writing) -> None:
        rest = user | {"user_id": user_id}
        await writing.run(statement("user_erasure/delete_tombstones_and_usage"), rest)
        # Once more: a call that began before the erasure may have stored some meanwhile.
        await writing.run(statement("user_erasure/delete_items"), batch)
        await finish_jobs(writing, [claim], more=False, now_ms=job_context.now_ms())
        await record_forgetting(writing, tenant, user_id, messages=True)
        await writing.run(statement("user_erasure/delete_job"), {"tenant": tenant, "id": claim.id})

    while (await run(statement("user_erasure/delete_messages"), batch))[0]["messages"]:
        pass
    more = True
    while more:
        await renew_lease(graph, claim, now_ms=job_context.now_ms())
        more = await graph.write(delete_nodes)
        job_context.step("forget nodes deleted")
        job_context.on_change(tenant)
    while await run(statement("user_erasure/delete_sessions"), batch):
        pass
    while (await run(statement("user_erasure/delete_items"), batch))[0]["items"]:
        pass
    redacted = batch | {"rows_max": _CHANGES_MAX, "reason": FORGOTTEN, "after": 0}
    while redacted["after"] is not None:
        redacted["after"] = (await run(statement("user_erasure/redact_changes"), redacted))[0]["last"]
    await graph.write(finish)
    job_context.step("forget committed")
    return False
