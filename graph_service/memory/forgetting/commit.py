"""One commit that forgets: what must go is gone, the rest waits for its reading, and the log holds no word of it."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import node_body, node_view
from graph_service.memory.entity_resolution.kinship_merges import settle_roles
from graph_service.memory.entity_resolution.projection_writer import changes_between, edges_at, node_change, show
from graph_service.memory.forgetting.impact import Reach
from graph_service.memory.forgetting.plan import episodes_without
from schema.change import FORGOTTEN, Change, Op
from schema.ids import MemoryId, TenantId, UserId, memory_id, user_uri
from schema.labels import Label
from schema.timespan import millis


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What a forgetting took away.

    Attributes:
        facts: those without any evidence left; entities likewise.
        read_again: messages and scenes that the worker reads again, because they were near.
        spooled: messages that waited on this machine's disk.
    """

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    read_again: int = 0
    spooled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetWish:
    """Whose memory forgets, when, and the marks that stay."""

    tenant: TenantId
    user_id: UserId
    at: datetime
    tombstones: Sequence[Mapping[str, Any]] = ()


async def forget(writing: Writing, what: ForgetWish, reach: Reach, before_it: Sequence[Change] = ()) -> Forgotten:
    """Take everything away that was reached; the user's memory and the sessions are locked already.

    Args:
        before_it: what was changed on the map for it.
    """
    tenant = what.tenant
    roots = sorted(
        {row["root_id"] for row, _ in reach.fates if row["root_id"]} | await _roots_of(writing, tenant, reach)
    )
    before = await edges_at(writing, tenant, roots)
    gone_nodes = [row["id"] for row, fate in reach.fates if fate.properties is None and not row["is_held"]]
    await _take_away(writing, tenant, reach, gone_nodes)
    narrowed = await _narrow(writing, what, reach)
    again = await _read_again(writing, what, reach)
    roots_now = await show(writing, tenant, roots, at=what.at)
    edges = changes_between(before, await edges_at(writing, tenant, roots), FORGOTTEN)
    tombstones = sorted(what.tombstones, key=lambda row: str(row["id"]))
    await writing.run(statement("tombstones/put_tombstones"), {"tenant": tenant, "rows": tombstones})
    facts = [name for name, row in reach.facts.items() if "subject_id" not in row["properties"]]
    facts += [row["id"] for row in reach.mentions if row["scene_id"] in reach.stripped and not row["is_held"]]
    nodes = [*sorted(reach.cut), *gone_nodes]
    shown = [*narrowed, *(node_change(node, FORGOTTEN) for node in roots_now)]
    user = await _narrow_user(writing, what)
    if user is None:
        nodes.append(memory_id(user_uri(tenant, what.user_id)))
    else:
        shown.append(user)
    changes = [
        *before_it,
        *(_drop(Op.EDGE_DROP, name) for name in sorted(facts)),
        *edges,
        *(_drop(Op.NODE_DROP, name) for name in nodes),
        *shown,
        *(await settle_roles(writing, tenant, what.user_id, at=what.at)),
    ]
    # Of what changed twice on the way, only the end is told: what was between may hold what was forgotten.
    last = {change.element_id: place for place, change in enumerate(changes)}
    changes = [change for place, change in enumerate(changes) if last[change.element_id] == place]
    await _scrub(writing, tenant, changes)
    await append_changes(writing, tenant, what.user_id, changes, at=what.at)
    return _told(reach, again)


def _told(reach: Reach, again: int) -> Forgotten:
    gone = {row["id"] for row in reach.messages}
    facts = [row for row in reach.facts.values() if gone.issuperset(row["properties"]["evidence"])]
    facts += [row for name, row in reach.facts.items() if name in reach.rejected]
    went = [row for row, fate in reach.fates if fate.properties is None and not fate.returns]
    hit = {row["scene_id"] for row in reach.messages if row["scene_id"]}
    return Forgotten(
        messages=len(gone), scenes=len(hit), facts=len(facts), entities=len(went), read_again=len(reach.left) + again
    )


async def _roots_of(writing: Writing, tenant: TenantId, reach: Reach) -> set[str]:
    """Return what stands on the map for merged entities that the facts are about."""
    held = [row for row in reach.facts.values() if "subject_id" in row["properties"]]
    ends = {end for row in held for end in (row["subject_id"], row["object_id"])}
    ends |= {row["object_id"] for row in reach.mentions if row["is_held"]}
    rows = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": sorted(ends)})
    return {row["root_id"] for row in rows if row["root_id"]}


async def _take_away(writing: Writing, tenant: TenantId, reach: Reach, nodes: Collection[str]) -> None:
    messages = sorted(row["id"] for row in reach.messages)
    await writing.run(statement("forgetting/delete_messages"), {"tenant": tenant, "ids": messages})
    held = [
        {"subject_id": row["subject_id"], "id": name}
        for name, row in reach.facts.items()
        if "subject_id" in row["properties"]
    ]
    held += [{"subject_id": row["scene_id"], "id": row["id"]} for row in reach.mentions if row["is_held"]]
    await writing.run(statement("forgetting/delete_member_facts"), {"tenant": tenant, "rows": _ordered(held)})
    edges = [
        {"node_id": row["subject_id"], "id": name}
        for name, row in reach.facts.items()
        if "subject_id" not in row["properties"]
    ]
    edges += [
        {"node_id": row["scene_id"], "id": row["id"]}
        for row in reach.mentions
        if row["scene_id"] in reach.stripped and not row["is_held"]
    ]
    await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": _ordered(edges)})
    await writing.run(statement("forgetting/delete_nodes"), {"tenant": tenant, "ids": sorted({*reach.cut, *nodes})})
    gone = sorted(row["id"] for row, fate in reach.fates if fate.properties is None and not fate.returns)
    await writing.run(statement("forgetting/delete_rejected_merges"), {"tenant": tenant, "ids": gone})


async def _narrow(writing: Writing, what: ForgetWish, reach: Reach) -> list[Change]:
    """Take names and times from entities that nothing says any more; the changes of those that are on the map."""
    rows = [(row, fate.properties) for row, fate in reach.fates if fate.properties is not None]
    put = [{"id": row["id"], "properties": new} for row, new in rows if not row["is_held"]]
    held = [{"id": row["id"], "properties": new} for row, new in rows if row["is_held"]]
    await writing.run(statement("entity_resolution/put_entities"), {"tenant": what.tenant, "rows": _ordered(put)})
    await writing.run(
        statement("entity_resolution/put_member_entities"), {"tenant": what.tenant, "rows": _ordered(held)}
    )
    return [node_change({**row["properties"], **new}, FORGOTTEN) for row, new in rows if not row["is_held"]]


async def _read_again(writing: Writing, what: ForgetWish, reach: Reach) -> int:
    """Have the rest be read again, in the order it was said; how many scenes besides those that are cut again."""
    tenant = what.tenant
    left = sorted(row["id"] for row in reach.left)
    await writing.run(statement("forgetting/mark_messages_unread"), {"tenant": tenant, "ids": left})
    again = sorted(reach.again - reach.cut)
    scenes = await writing.run(statement("forgetting/mark_scenes_unread"), {"tenant": tenant, "ids": again})
    said = await writing.run(statement("forgetting/messages_of_scenes"), {"tenant": tenant, "ids": again})
    sessions = {"tenant": tenant, "sessions": sorted({*reach.sessions, *(row["session"] for row in scenes)})}
    episodes = await writing.run(statement("forgetting/episodes_of_sessions"), sessions)
    gone = {row["id"] for row in reach.messages}
    rows, dropped = episodes_without(episodes, gone, {*left, *(row["id"] for row in said)})
    await writing.run(statement("forgetting/delete_episodes"), {"tenant": tenant, "ids": dropped})
    await writing.run(statement("forgetting/mark_episodes_unread"), {"tenant": tenant, "rows": rows})
    emptied = await writing.run(
        statement("forgetting/delete_empty_sessions"), {"tenant": tenant, "ids": reach.sessions}
    )
    wanted = {*sessions["sessions"]} - {row["id"] for row in emptied}
    want = {
        "tenant": tenant,
        "user_node_id": memory_id(user_uri(tenant, what.user_id)),
        "sessions": sorted(wanted),
        "now_ms": millis(what.at),
    }
    if wanted:
        await writing.run(statement("forgetting/enqueue_reread"), want)
    return len(scenes)


async def _narrow_user(writing: Writing, what: ForgetWish) -> Change | None:
    """Return the user as they are now; None when nothing of theirs is left, and so they are gone too."""
    node_id = memory_id(user_uri(what.tenant, what.user_id))
    parameters = {"tenant": what.tenant, "user_id": what.user_id, "user_node_id": node_id}
    rows = await writing.run(statement("forgetting/narrow_user_span"), parameters)
    if rows and rows[0]["messages"]:
        view = node_view(rows[0]["properties"], Label.USER.value)
        return Change(op=Op.NODE_PUT, element_id=node_id, body=node_body(view), reason=FORGOTTEN)
    await writing.run(statement("forgetting/delete_nodes"), {"tenant": what.tenant, "ids": [node_id]})
    return None


async def _scrub(writing: Writing, tenant: TenantId, changes: Sequence[Change]) -> None:
    """Take out of the log what older changes tell of the same elements."""
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


def _ordered(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row["id"]))
