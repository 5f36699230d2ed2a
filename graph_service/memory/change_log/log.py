"""Append changes to a tenant's log, read and convert them, and cache what is computed from an unchanged memory."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from cachetools import LRUCache

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.facts.categories import category_of
from graph_service.memory.facts.claims import PlannedFact
from schema.change import Change, NumberedChange, Op
from schema.fact import FactKind
from schema.frames import EdgeView, NodeView
from schema.ids import MemoryId, TenantId
from schema.labels import MIND_MAP_KINDS, Label
from schema.predicates import scene_predicates
from schema.timespan import iso

_TIMES_OF_EDGE: Final = ("first_seen", "last_seen", "valid_at", "invalid_at", "closing_known_at")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Edges of scenes have no profile category.
_SCENE_PREDICATES: Final = scene_predicates()


def node_view(properties: Mapping[str, Any], kind: str) -> NodeView:
    """Return a node for viewers.

    Args:
        properties: those of a `Memory` node; an optional `evidence_n` counts the facts that touch it.
        kind: User, Agent, Entity or Scene.
    """
    return NodeView.model_validate(
        {
            "id": properties["id"],
            "kind": kind,
            "label": properties.get("name") or properties["user_id"],
            "user_id": properties["user_id"],
            "entity_type": properties.get("entity_type"),
            "aliases": list(properties.get("aliases") or ()),
            "summary": properties.get("abstract"),
            "importance": properties.get("importance"),
            "first_seen": moment_text(properties["first_seen"]),
            "last_seen": moment_text(properties["last_seen"]),
            "evidence_n": properties.get("evidence_n") or 0,
        }
    )


def edge_view(properties: Mapping[str, Any], source: str, target: str, predicate: str) -> EdgeView:
    """Return an edge for viewers.

    Args:
        properties: those of a fact; `evidence_n` takes precedence over the length of `evidence`.
    """
    evidence_n = properties.get("evidence_n")
    known_at = properties.get("known_at") or properties.get("recorded_at")
    return EdgeView.model_validate(
        {
            **{name: properties.get(name) for name in ("id", "relation", "user_id", "strength", "confidence")},
            **{name: moment_text(properties.get(name)) for name in _TIMES_OF_EDGE},
            "source": source,
            "target": target,
            "predicate": predicate,
            "statement": properties.get("statement") or None,
            "known_at": moment_text(known_at),
            "category": _category(properties, predicate),
            "evidence_n": len(properties.get("evidence") or ()) if evidence_n is None else evidence_n,
        }
    )


def _category(properties: Mapping[str, Any], predicate: str) -> str | None:
    if predicate in _SCENE_PREDICATES:
        return None
    kind = FactKind(properties.get("kind") or FactKind.FACT)
    return category_of(predicate, properties.get("relation"), kind).value


def node_body(view: NodeView) -> dict[str, Any]:
    """Return the body of a `node+` change: all fields, so that removed values overwrite old ones."""
    return view.model_dump(mode="json")


def edge_body(view: EdgeView, *, previous_strength: float | None = None) -> dict[str, Any]:
    """Return the body of an `edge+` change: all fields, so that removed values overwrite old ones.

    Args:
        previous_strength: strength of the existing edge before this change; viewers show the difference.
    """
    body = view.model_dump(mode="json", exclude={"previous"})
    if previous_strength is not None:
        body["previous"] = {"strength": previous_strength}
    return body


def kind_of(labels: Iterable[str]) -> str:
    """Return the kind among the labels of a `Memory` node: User, Agent, Entity or Scene."""
    present = set(labels)
    return next(kind for kind in MIND_MAP_KINDS if kind in present)


def moment_text(moment: datetime | int | None) -> str | None:
    """Return a time as ISO 8601 UTC; an int is microseconds since 1970, as statements with many rows return it."""
    return iso(_EPOCH + timedelta(microseconds=moment) if isinstance(moment, int) else moment)


def node_change(properties: Mapping[str, Any], label: Label, reason: str) -> Change:
    """Return the `node+` change for a stored node.

    Args:
        properties: see `node_view`.
    """
    body = node_body(node_view(properties, label.value))
    return Change(op=Op.NODE_PUT, element_id=MemoryId(properties["id"]), body=body, reason=reason)


def edge_change(row: Mapping[str, Any], reason: str, *, previous_strength: float | None = None) -> Change:
    """Return the `edge+` change for a stored edge: a row with `subject_id`, `object_id`, `predicate`, `properties`."""
    view = edge_view(row["properties"], row["subject_id"], row["object_id"], row["predicate"])
    body = edge_body(view, previous_strength=previous_strength)
    return Change(op=Op.EDGE_PUT, element_id=MemoryId(view.id), body=body, reason=reason)


def fact_change(planned: PlannedFact, row: Mapping[str, Any]) -> Change:
    """Return the `edge+` change for a planned fact.

    Args:
        row: result of `fact_row`.
    """
    before = planned.before
    previous = before.strength if before is not None and before.strength != planned.fact.strength else None
    row = {**row, "properties": {**row["properties"], "id": row["id"]}}
    return edge_change(row, planned.reason, previous_strength=previous)


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


def _row(change: Change) -> Row:
    return {
        "op": change.op.value,
        "element_id": change.element_id,
        "body": json.dumps(change.body, ensure_ascii=False) if change.body else None,
        "reason": change.reason,
    }


async def redact_changes(writing: Writing, tenant: TenantId, changes: Iterable[Change]) -> None:
    """Replace the bodies of stored changes of the same elements by those of these, which may yet be stored."""
    rows = [_row(change) for change in sorted(changes, key=lambda change: change.element_id)]
    await writing.run(statement("change_log/redact"), {"tenant": tenant, "rows": rows})


async def append_changes(
    writing: Writing, tenant: TenantId, user_id: str, changes: Sequence[Change], *, at: datetime
) -> int:
    """Number and store changes; return the sequence number of the last one (0 without changes).

    Call it last in a transaction: it locks the tenant, and all writers take that lock last, so that they do not
    deadlock.
    """
    if not changes:
        return 0
    rows = [_row(change) for change in changes]
    parameters = {"tenant": tenant, "user_id": user_id, "at": at, "rows": rows}
    result = await writing.run(statement("change_log/append"), parameters)
    assert result, "the tenant of a change must exist"
    assert result[0]["written"] == len(rows), "every change must get its number"
    return int(result[0]["seq"])


T = TypeVar("T")

# Neo4j applies a commit in parts: for some milliseconds a reader may see the new head without all changes before it.
SETTLED_S: Final = 1.0
# Age of a last change that is certainly applied, although it was numbered by a process with another clock.
OLD_S: Final = 60.0
# Maximum age, in case data changes without a change in the log, as in a repair by hand.
FRESH_S: Final = 600.0
_TENANTS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    head: Head
    at_s: float
    value: T
    weight: int


class UnchangedCache(Generic[T]):
    """Cache of the latest results, bounded by their weight; any write to a tenant, by any process, invalidates its own.

    Args:
        weigh: size of a result in the unit of `weight_max`.
        weight_max: of all results together; a larger result is not kept.
    """

    def __init__(self, log: ChangeLog, *, weigh: Callable[[T], int], weight_max: int) -> None:
        self._log = log
        self._weigh = weigh
        self._clock_s = time.monotonic
        self._kept: LRUCache[tuple[TenantId, Hashable], _Kept[T]] = LRUCache(weight_max, lambda kept: kept.weight)
        # The head of each tenant that was seen last, and when it was seen first.
        self._heads: LRUCache[TenantId, tuple[Head, float]] = LRUCache(_TENANTS_MAX)
        # Counts forgettings: what was read before one may still contain what was forgotten.
        self._forgettings = 0

    async def get(self, tenant: TenantId, key: Hashable, compute: Callable[[], Awaitable[T]]) -> T:
        """Return the result for this key; compute it if the memory has changed."""
        forgettings = self._forgettings
        # Read before the data: a change that arrives in between makes the result invalid.
        head = await self._log.head(tenant)
        now_s = self._clock_s()
        kept = self._kept.get((tenant, key))
        if kept is not None and kept.head == head and now_s - kept.at_s <= FRESH_S:
            return kept.value
        is_settled, value = await asyncio.gather(self._is_settled(tenant, head, now_s), compute())
        weight = 1 + self._weigh(value)
        if is_settled and forgettings == self._forgettings and weight <= self._kept.maxsize:
            self._kept[tenant, key] = _Kept(head, now_s, value, weight)
        return value

    async def _is_settled(self, tenant: TenantId, head: Head, now_s: float) -> bool:
        seen, since_s = self._heads.get(tenant, (None, now_s))
        if seen is None and await self._is_old(tenant, head):
            # Otherwise the first result of a memory, for which a person waits, would never be kept.
            seen, since_s = head, now_s - SETTLED_S
            self._heads[tenant] = (head, since_s)
        elif seen != head:
            self._heads[tenant] = (head, now_s)
        return seen == head and now_s - since_s >= SETTLED_S

    async def _is_old(self, tenant: TenantId, head: Head) -> bool:
        """Return whether the last change was so long ago that all readers see it."""
        last = await self._log.since(tenant, head.seq - 1, rows_max=1)
        return bool(last) and (datetime.now(UTC) - datetime.fromisoformat(last[0].at)).total_seconds() >= OLD_S

    def forget(self, tenant: str | None) -> None:
        """Drop a tenant's results, or all, because something in them was forgotten."""
        self._forgettings += 1
        for name in [name for name in self._kept if tenant in (None, name[0])]:
            del self._kept[name]
