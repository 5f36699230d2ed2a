"""Delete a user with all messages, sessions, facts and items: the job `forget`.

The job runs in many bounded commits. The first marks the user; from then on no data of the user is stored or read. If
the process dies, another one continues the job.
"""

from dataclasses import dataclass
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.forgetting.feed import record_forgetting
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, finish_jobs, renew_lease
from schema.change import FORGOTTEN, Change, Op
from schema.ids import MemoryId, TenantId, UserId

_ROWS_MAX: Final = 500
_CHANGES_MAX: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Erasure:
    graph: Graph
    claim: JobClaim
    job_context: JobContext
    user_id: UserId

    @property
    def scope(self) -> dict[str, Any]:
        return {"tenant": self.claim.tenant, "user_id": self.user_id}

    @property
    def user_node_id(self) -> str:
        return self.claim.session


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
    rows = await graph.read(statement("user_erasure/user_by_id"), {"tenant": claim.tenant, "id": claim.id})
    if not rows:
        return False
    erasure = _Erasure(graph=graph, claim=claim, job_context=job_context, user_id=UserId(rows[0]["user_id"]))
    while (await _run_step(erasure, statement("user_erasure/delete_messages"), rows_max=_ROWS_MAX))[0]["messages"]:
        pass
    while await _delete_nodes(erasure):
        pass
    while await _run_step(erasure, statement("user_erasure/delete_sessions"), rows_max=_ROWS_MAX):
        pass
    while (await _run_step(erasure, statement("user_erasure/delete_items"), rows_max=_ROWS_MAX))[0]["items"]:
        pass
    await _redact_changes(erasure)
    await _finish(erasure)
    return False


async def _run_step(erasure: _Erasure, step: Statement, **more: Any) -> list[dict[str, Any]]:
    """Renew the lease, then run one statement in a transaction and return its rows."""
    await renew_lease(erasure.graph, erasure.claim, now_ms=erasure.job_context.now_ms())
    rows = await erasure.graph.run(step, {**erasure.scope, **more})
    erasure.job_context.step("forget step done")
    return rows


async def _delete_nodes(erasure: _Erasure) -> bool:
    at, tenant = erasure.job_context.clock(), erasure.claim.tenant
    await renew_lease(erasure.graph, erasure.claim, now_ms=erasure.job_context.now_ms())

    async def steps(writing: Writing) -> bool:
        user = {"tenant": tenant, "user_node_id": erasure.user_node_id}
        await writing.run(statement("locks/lock_memory"), user)
        parameters = {**erasure.scope, "rows_max": _ROWS_MAX}
        deleted = await writing.run(statement("user_erasure/delete_nodes"), parameters)
        ids = sorted(row["id"] for row in deleted)
        changes = [Change(op=Op.NODE_DROP, element_id=MemoryId(name), body={}, reason=FORGOTTEN) for name in ids]
        await append_changes(writing, tenant, erasure.user_id, changes, at=at)
        return bool(deleted)

    more = await erasure.graph.write(steps)
    erasure.job_context.step("forget nodes deleted")
    erasure.job_context.on_change(tenant)
    return more


async def _redact_changes(erasure: _Erasure) -> None:
    last: int | None = 0
    while last is not None:
        step = statement("user_erasure/redact_changes")
        rows = await _run_step(erasure, step, after=last, rows_max=_CHANGES_MAX, reason=FORGOTTEN)
        last = rows[0]["last"]


async def _finish(erasure: _Erasure) -> None:
    claim, now_ms = erasure.claim, erasure.job_context.now_ms()

    async def steps(writing: Writing) -> None:
        parameters = {**erasure.scope, "user_node_id": erasure.user_node_id}
        await writing.run(statement("user_erasure/delete_tombstones_and_usage"), parameters)
        # Once more: a call that began before the erasure may have stored some meanwhile.
        await writing.run(statement("user_erasure/delete_items"), {**erasure.scope, "rows_max": _ROWS_MAX})
        await finish_jobs(writing, [claim], more=False, now_ms=now_ms)
        await record_forgetting(writing, claim.tenant, erasure.user_id, messages=True)
        await writing.run(statement("user_erasure/delete_job"), {"tenant": claim.tenant, "id": claim.id})

    await erasure.graph.write(steps)
    erasure.job_context.step("forget committed")
