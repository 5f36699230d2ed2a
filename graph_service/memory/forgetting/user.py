"""Forgetting a user: everything that was said by them and learned of them; the work `forget`.

It may be much, so it goes in many commits. The first one marks it: from then on nothing of the user is stored or read,
and whatever process is alive goes on with it until nothing is left.
"""

from dataclasses import dataclass
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, finish_jobs, renew_lease
from schema.change import FORGOTTEN, Change, Op
from schema.ids import MemoryId, TenantId, UserId

_ROWS_MAX: Final = 500
_CHANGES_MAX: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    graph: Graph
    held: JobClaim
    job_context: JobContext
    user_id: UserId

    @property
    def scope(self) -> dict[str, Any]:
        return {"tenant": self.held.tenant, "user_id": self.user_id}

    @property
    def user_node_id(self) -> str:
        return self.held.session


async def begin(
    graph: Graph, tenant: TenantId, user_id: UserId, user_node_id: str, tombstone: dict[str, Any], *, now_ms: int
) -> None:
    """Mark that a user is being forgotten."""
    user = {"tenant": tenant, "user_node_id": user_node_id}

    async def steps(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), user)
        begun = {**user, "user_id": user_id, "now_ms": now_ms}
        await writing.run(statement("user_erasure/begin"), begun)
        await writing.run(statement("tombstones/put_tombstones"), {"tenant": tenant, "rows": [tombstone]})

    await graph.write(steps)


async def forget_user(graph: Graph, held: JobClaim, job_context: JobContext) -> bool:
    """Take away everything of the user that the work is about; False: nothing is left.

    Raises:
        UnavailableError: Neo4j does not answer; what is gone stays gone.
        ConflictError: another worker does it.
    """
    rows = await graph.read(statement("user_erasure/user_by_id"), {"tenant": held.tenant, "id": held.id})
    if not rows:
        return False
    errand = _Errand(graph=graph, held=held, job_context=job_context, user_id=UserId(rows[0]["user_id"]))
    while await _messages(errand):
        pass
    while await _nodes(errand):
        pass
    while await _some(errand, statement("user_erasure/delete_sessions"), rows_max=_ROWS_MAX):
        pass
    await _scrub(errand)
    await _end(errand)
    return False


async def _messages(errand: _Errand) -> bool:
    rows = await _some(errand, statement("user_erasure/delete_messages"), rows_max=_ROWS_MAX)
    return bool(rows[0]["messages"])


async def _some(errand: _Errand, taking: Statement, **more: Any) -> list[dict[str, Any]]:
    """Return one commit; the lease is prolonged before it."""
    await renew_lease(errand.graph, errand.held, now_ms=errand.job_context.now_ms())

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(taking, {**errand.scope, **more})

    rows = await errand.graph.write(steps)
    errand.job_context.step("forget taken")
    return rows


async def _nodes(errand: _Errand) -> bool:
    at, tenant = errand.job_context.clock(), errand.held.tenant
    await renew_lease(errand.graph, errand.held, now_ms=errand.job_context.now_ms())

    async def steps(writing: Writing) -> bool:
        user = {"tenant": tenant, "user_node_id": errand.user_node_id}
        await writing.run(statement("locks/lock_memory"), user)
        wanted = {**errand.scope, "rows_max": _ROWS_MAX}
        gone = await writing.run(statement("user_erasure/delete_nodes"), wanted)
        ids = sorted(row["id"] for row in gone)
        changes = [Change(op=Op.NODE_DROP, element_id=MemoryId(name), body={}, reason=FORGOTTEN) for name in ids]
        await append_changes(writing, tenant, errand.user_id, changes, at=at)
        return bool(gone)

    left = await errand.graph.write(steps)
    errand.job_context.step("forget nodes")
    errand.job_context.on_change(tenant)
    return left


async def _scrub(errand: _Errand) -> None:
    last: int | None = 0
    while last is not None:
        taking = statement("user_erasure/redact_changes")
        rows = await _some(errand, taking, after=last, rows_max=_CHANGES_MAX, reason=FORGOTTEN)
        last = rows[0]["last"]


async def _end(errand: _Errand) -> None:
    held, now_ms = errand.held, errand.job_context.now_ms()

    async def steps(writing: Writing) -> None:
        marks = {**errand.scope, "user_node_id": errand.user_node_id}
        await writing.run(statement("user_erasure/delete_tombstones_and_usage"), marks)
        await finish_jobs(writing, [held], more=False, now_ms=now_ms)
        await writing.run(statement("user_erasure/delete_job"), {"tenant": held.tenant, "id": held.id})

    await errand.graph.write(steps)
    errand.job_context.step("forget committed")
