"""Convert stored properties of nodes and edges to what viewers receive. Pure."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from graph_service.memory.facts.categories import category_of
from graph_service.memory.facts.claims import PlannedFact
from schema.change import Change, Op
from schema.fact import FactKind
from schema.frames import EdgeView, NodeView
from schema.ids import MemoryId
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


def fact_change(planned: PlannedFact, row: Mapping[str, Any]) -> Change:
    """Return the `edge+` change for a planned fact.

    Args:
        row: result of `fact_row`.
    """
    view = edge_view({**row["properties"], "id": row["id"]}, row["subject_id"], row["object_id"], row["predicate"])
    before = planned.before
    previous = before.strength if before is not None and before.strength != planned.fact.strength else None
    return Change(
        op=Op.EDGE_PUT,
        element_id=planned.fact.id,
        body=edge_body(view, previous_strength=previous),
        reason=planned.reason,
    )
