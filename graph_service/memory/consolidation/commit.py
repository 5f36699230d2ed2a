"""One digest, one commit: either everything of it is in the graph, or nothing."""

from typing import Any

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.consolidation.plan import DigestPlan
from graph_service.memory.consolidation.session_input import SessionInput
from graph_service.memory.consolidation.token_budget import day_of
from graph_service.memory.entity_resolution.kinship_merges import affects_kinship, update_kinship_merges
from graph_service.memory.entity_resolution.projection_writer import write_member_rows
from graph_service.memory.facts.writer import put_facts, want_vectors
from graph_service.memory.jobs.outbox import JobClaim, finish
from graph_service.memory.profile.reader import settle_profile, subjects_in
from schema.errors import ConflictError


class StaleError(Exception):
    """The user's memory changed after the plan was made; the plan must be made anew. Never leaves the digest."""


async def commit_digest(
    graph: Graph, text: SessionInput, plan: DigestPlan, held: JobClaim, *, now_ms: int, too_slow: str | None = None
) -> None:
    """Write the plan, finish the work and append to the change log.

    Locks the user first and the tenant last, like every writer, so that digests of one user take turns.

    Args:
        too_slow: which scenes were read the plain way because reading them took too long; left as a dead letter.

    Raises:
        StaleError: somebody else wrote to this memory since the plan's reads.
        ConflictError: the lease was lost.
    """
    tenant, owner = held.tenant, text.owner
    recorded_at = plan.recorded_at

    async def steps(writing: Writing) -> None:
        await _take_user(writing, text, plan, held)
        await _put(writing, statement("entity_resolution/put_entities"), tenant, plan.entities)
        await _put(writing, statement("entity_resolution/put_agents"), tenant, plan.agents)
        if plan.scenes:
            parameters = {"tenant": tenant, "session": held.session, "rows": plan.scenes}
            written = await writing.run(statement("consolidation/put_scenes"), parameters)
            meant = {row["id"]: len(row["messages"]) for row in plan.scenes}
            if {row["id"]: row["messages"] for row in written} != meant:
                raise ConflictError("messages of a scene were forgotten while it was read; it is read again")
        waiting = await put_facts(writing, tenant, plan.facts, session=held.session)
        if plan.episodes:
            await writing.run(statement("consolidation/complete_episodes"), {"tenant": tenant, "ids": plan.episodes})
        if any(row["properties"].get("unembedded") for row in plan.scenes):
            waiting.add(held.session)
        await want_vectors(writing, tenant, waiting, at=recorded_at)
        await finish(writing, [held], more=text.more, now_ms=now_ms, too_slow=too_slow)
        shown = await write_member_rows(writing, tenant, plan.held_entities, plan.held_facts, at=recorded_at)
        if affects_kinship((*plan.facts, *plan.held_facts)):
            shown += await update_kinship_merges(writing, tenant, owner.user_id, at=recorded_at)
        about = subjects_in((*plan.facts, *plan.held_facts), owner.user.id, owner.agent.id)
        if about:
            shown += await settle_profile(writing, tenant, about, at=recorded_at)
        day = day_of(recorded_at)
        await writing.run(statement("consolidation/add_usage"), {"tenant": tenant, "day": day, "cost": plan.cost})
        await append_changes(writing, tenant, owner.user_id, [*plan.changes, *shown], at=recorded_at)

    await graph.write(steps)


async def _take_user(writing: Writing, text: SessionInput, plan: DigestPlan, held: JobClaim) -> None:
    parameters = {
        "tenant": held.tenant,
        "user_node_id": text.owner.user.id,
        "revision": text.revision,
        "seen": plan.last_said,
        "names": plan.own_names,
    }
    rows = await writing.run(statement("consolidation/lock_user"), parameters)
    if not rows or not rows[0]["fresh"]:
        raise StaleError


async def _put(writing: Writing, put: Statement, tenant: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        written = await writing.run(put, {"tenant": tenant, "rows": rows})
        assert len(written) == len(rows), f"{put.name} must write every row"
