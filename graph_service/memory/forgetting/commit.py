"""Delete the affected elements, schedule the extraction of the remaining ones, and redact the change log."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import node_change
from graph_service.memory.entity_resolution.merge_writer import MergeWriter, edge_changes
from graph_service.memory.forgetting.feed import record_forgetting
from graph_service.memory.forgetting.impact import Impact
from graph_service.memory.forgetting.plan import episodes_without
from schema.change import FORGOTTEN, Change, Op
from schema.ids import RECALL_CASES as CASES
from schema.ids import MemoryId, TenantId, UserId, memory_id, user_uri
from schema.labels import Label
from schema.timespan import millis


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """Counts of what was deleted.

    Attributes:
        messages: deleted messages, with their vectors.
        scenes: deleted scenes.
        facts: deleted facts, which had no evidence left.
        entities: deleted entities, which nothing mentions any more.
        reextracted: neighbouring messages and scenes that are extracted again; see `jobStatus`.
        spooled: deleted messages that were waiting on disk.
    """

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    reextracted: int = 0
    spooled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """The user to forget from, the time, and the tombstones to store (rows of `tombstones/put_tombstones`)."""

    tenant: TenantId
    user_id: UserId
    at: datetime
    tombstones: Sequence[Mapping[str, Any]] = ()


async def commit_forgetting(
    writing: Writing, request: ForgetRequest, impact: Impact, preceding: Sequence[Change] = ()
) -> ForgetResult:
    """Delete everything in `impact`; the caller holds the locks of the user's memory and of the sessions.

    Args:
        preceding: changes already made in this transaction.
    """
    tenant = request.tenant
    roots = sorted(
        {row["root_id"] for row, _ in impact.outcomes if row["root_id"]}
        | await _affected_roots(writing, tenant, impact)
    )
    merging = MergeWriter(writing=writing, tenant=tenant, at=request.at)
    before = await merging.edges_of(roots)
    deleted_nodes = [
        row["id"] for row, outcome in impact.outcomes if outcome.properties is None and not row["is_member"]
    ]
    facts = [name for name, row in impact.facts.items() if "subject_id" not in row["properties"]]
    facts += [row["id"] for row in impact.mentions if row["scene_id"] in impact.cleared and not row["is_member"]]
    await _delete(writing, tenant, impact, facts, deleted_nodes)
    gone = {*(row["id"] for row in impact.messages), *facts, *deleted_nodes, *impact.resegmented}
    parameters = {"tenant": tenant, "user_id": request.user_id, "namespace": list(CASES), "ids": sorted(gone)}
    await writing.run(statement("forgetting/delete_recall_cases"), parameters)
    updated = await _update_entities(writing, request, impact)
    reread = await _schedule_reread(writing, request, impact)
    projected = await merging.project(roots)
    edges = edge_changes(before, await merging.edges_of(roots), FORGOTTEN)
    tombstones = sorted(request.tombstones, key=lambda row: str(row["id"]))
    await writing.run(statement("tombstones/put_tombstones"), {"tenant": tenant, "rows": tombstones})
    nodes = [*sorted(impact.resegmented), *deleted_nodes]
    put = [*updated, *(node_change(node, Label.ENTITY, FORGOTTEN) for node in projected)]
    user = await _update_user(writing, request)
    if user is None:
        nodes.append(memory_id(user_uri(tenant, request.user_id)))
    else:
        put.append(user)
    changes = [
        *preceding,
        *(_drop(Op.EDGE_DROP, name) for name in sorted(facts)),
        *edges,
        *(_drop(Op.NODE_DROP, name) for name in nodes),
        *put,
        *(await merging.update_kinship(request.user_id)),
    ]
    # Log only the last change of each element: earlier ones may contain what is forgotten.
    last_index = {change.element_id: index for index, change in enumerate(changes)}
    changes = [change for index, change in enumerate(changes) if last_index[change.element_id] == index]
    await _redact_log(writing, tenant, changes)
    await record_forgetting(writing, tenant, request.user_id, messages=bool(impact.messages))
    await append_changes(writing, tenant, request.user_id, changes, at=request.at)
    return _result(impact, reread)


def _result(impact: Impact, reread: int) -> ForgetResult:
    forgotten = {row["id"] for row in impact.messages}
    facts = [row for row in impact.facts.values() if forgotten.issuperset(row["properties"]["evidence"])]
    facts += [row for name, row in impact.facts.items() if name in impact.rejected]
    entities = [row for row, outcome in impact.outcomes if outcome.properties is None and not outcome.is_recreated]
    scenes = {row["scene_id"] for row in impact.messages if row["scene_id"]}
    return ForgetResult(
        messages=sum(row["part_of"] is None for row in impact.messages),
        scenes=len(scenes),
        facts=len(facts),
        entities=len(entities),
        reextracted=sum(not row["is_ending"] for row in impact.remaining) + reread,
    )


async def _affected_roots(writing: Writing, tenant: TenantId, impact: Impact) -> set[str]:
    """Return the ids of the nodes that represent merged entities at an end of the facts."""
    member_rows = [row for row in impact.facts.values() if "subject_id" in row["properties"]]
    ends = {end for row in member_rows for end in (row["subject_id"], row["object_id"])}
    ends |= {row["object_id"] for row in impact.mentions if row["is_member"]}
    rows = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": sorted(ends)})
    return {row["root_id"] for row in rows if row["root_id"]}


async def _delete(
    writing: Writing, tenant: TenantId, impact: Impact, edges: Collection[str], nodes: Collection[str]
) -> None:
    messages = sorted(row["id"] for row in impact.messages)
    await writing.run(statement("forgetting/delete_messages"), {"tenant": tenant, "ids": messages})
    member_rows = [
        {"subject_id": row["subject_id"], "id": name}
        for name, row in impact.facts.items()
        if "subject_id" in row["properties"]
    ]
    member_rows += [{"subject_id": row["scene_id"], "id": row["id"]} for row in impact.mentions if row["is_member"]]
    await writing.run(
        statement("forgetting/delete_member_facts"), {"tenant": tenant, "rows": _sorted_by_id(member_rows)}
    )
    await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "ids": sorted(edges)})
    await writing.run(
        statement("forgetting/delete_nodes"), {"tenant": tenant, "ids": sorted({*impact.resegmented, *nodes})}
    )
    forgotten = sorted(
        row["id"] for row, outcome in impact.outcomes if outcome.properties is None and not outcome.is_recreated
    )
    await writing.run(statement("forgetting/delete_rejected_merges"), {"tenant": tenant, "ids": forgotten})


async def _update_entities(writing: Writing, request: ForgetRequest, impact: Impact) -> list[Change]:
    """Store the remaining names and times of entities; return the changes of the unmerged ones."""
    rows = [(row, outcome.properties) for row, outcome in impact.outcomes if outcome.properties is not None]
    put = [{"id": row["id"], "properties": new} for row, new in rows if not row["is_member"]]
    member_rows = [{"id": row["id"], "properties": new} for row, new in rows if row["is_member"]]
    await writing.run(
        statement("entity_resolution/put_entities"), {"tenant": request.tenant, "rows": _sorted_by_id(put)}
    )
    await writing.run(
        statement("entity_resolution/put_member_entities"),
        {"tenant": request.tenant, "rows": _sorted_by_id(member_rows)},
    )
    unmerged = ({**row["properties"], **new} for row, new in rows if not row["is_member"])
    return [node_change(properties, Label.ENTITY, FORGOTTEN) for properties in unmerged]


async def _schedule_reread(writing: Writing, request: ForgetRequest, impact: Impact) -> int:
    """Mark the remaining messages and scenes as unread and enqueue the jobs; return the number of scenes marked."""
    tenant = request.tenant
    rows = _sorted_by_id({name: row[name] for name in ("id", "is_ending")} for row in impact.remaining)
    await writing.run(statement("forgetting/mark_messages_unread"), {"tenant": tenant, "rows": rows})
    remaining = [row["id"] for row in rows if not row["is_ending"]]
    reread = sorted(impact.reread - impact.resegmented)
    scenes = await writing.run(statement("forgetting/mark_scenes_unread"), {"tenant": tenant, "ids": reread})
    messages = await writing.run(statement("forgetting/messages_of_scenes"), {"tenant": tenant, "ids": reread})
    sessions = {"tenant": tenant, "sessions": sorted({*impact.sessions, *(row["session"] for row in scenes)})}
    episodes = await writing.run(statement("forgetting/episodes_of_sessions"), sessions)
    forgotten = {row["id"] for row in impact.messages}
    rows, dropped = episodes_without(episodes, forgotten, {*remaining, *(row["id"] for row in messages)})
    await writing.run(statement("forgetting/delete_episodes"), {"tenant": tenant, "ids": dropped})
    await writing.run(statement("forgetting/mark_episodes_unread"), {"tenant": tenant, "rows": rows})
    deleted = await writing.run(
        statement("forgetting/delete_empty_sessions"), {"tenant": tenant, "ids": impact.sessions}
    )
    reread_sessions = {*sessions["sessions"]} - {row["id"] for row in deleted}
    job = {
        "tenant": tenant,
        "user_node_id": memory_id(user_uri(tenant, request.user_id)),
        "sessions": sorted(reread_sessions),
        "now_ms": millis(request.at),
    }
    if reread_sessions:
        await writing.run(statement("forgetting/enqueue_reread"), job)
    return len(scenes)


async def _update_user(writing: Writing, request: ForgetRequest) -> Change | None:
    """Update the user's node and return the change; delete it and return None if no message is left."""
    node_id = memory_id(user_uri(request.tenant, request.user_id))
    parameters = {"tenant": request.tenant, "user_id": request.user_id, "user_node_id": node_id}
    rows = await writing.run(statement("forgetting/narrow_user_span"), parameters)
    if rows and rows[0]["messages"]:
        return node_change(rows[0]["properties"], Label.USER, FORGOTTEN)
    await writing.run(statement("forgetting/delete_nodes"), {"tenant": request.tenant, "ids": [node_id]})
    return None


async def _redact_log(writing: Writing, tenant: TenantId, changes: Sequence[Change]) -> None:
    """Replace the bodies of older log entries about the same elements by the current ones."""
    rows: list[Row] = [
        {
            "id": change.element_id,
            "op": change.op.value,
            "body": json.dumps(change.body, ensure_ascii=False) if change.body else None,
        }
        for change in sorted(changes, key=lambda change: change.element_id)
    ]
    await writing.run(statement("forgetting/redact_changes"), {"tenant": tenant, "rows": rows, "reason": FORGOTTEN})


def _drop(op: Op, name: str) -> Change:
    return Change(op=op, element_id=MemoryId(name), body={}, reason=FORGOTTEN)


def _sorted_by_id(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row["id"]))
