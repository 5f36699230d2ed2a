"""The state of a viewer, as its reducer in TypeScript computes it from snapshots and patches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from schema.change import Op


@dataclass(slots=True, kw_only=True)
class ViewerState:
    """The elements in a viewer, as JSON objects by id; an edge is invisible while one of its end nodes is missing."""

    epoch: str | None = None
    seq: int = 0
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[str, dict[str, Any]] = field(default_factory=dict)

    def visible_edges(self) -> dict[str, dict[str, Any]]:
        """Return the edges that have both ends."""
        return {
            edge_id: edge
            for edge_id, edge in self.edges.items()
            if edge["source"] in self.nodes and edge["target"] in self.nodes
        }


def show(parts: Sequence[dict[str, Any]]) -> ViewerState:
    """Return the state after all parts of one snapshot, given as decoded JSON frames."""
    shown = ViewerState(epoch=parts[0]["epoch"], seq=parts[0]["seq"])
    for part in parts:
        shown.nodes.update((node["id"], node) for node in part["nodes"])
        shown.edges.update((edge["id"], edge) for edge in part["edges"])
    return shown


def apply(shown: ViewerState, patch: dict[str, Any]) -> bool:
    """Apply one patch in place; return False if a snapshot is needed instead (gap or another epoch)."""
    if patch["epoch"] != shown.epoch:
        return False
    if patch["to"] <= shown.seq:
        return True
    if patch["from"] != shown.seq:
        return False
    apply_ops(shown, patch["ops"])
    shown.seq = patch["to"]
    return True


def apply_ops(shown: ViewerState, ops: Iterable[Sequence[Any]]) -> None:
    """Apply the operations of one patch, in the order of `coalesce`: all drops come before all puts.

    Elements are replaced, never changed in place.
    """
    dropped_nodes: set[str] = set()
    puts: list[tuple[Op, Any]] = []
    for name, what in ops:
        match Op(name):
            case Op.EDGE_DROP:
                shown.edges.pop(what, None)
            case Op.NODE_DROP:
                shown.nodes.pop(what, None)
                dropped_nodes.add(what)
            case op:
                puts.append((op, what))
    if dropped_nodes:
        # One pass over the edges for all nodes.
        shown.edges = {
            edge_id: edge
            for edge_id, edge in shown.edges.items()
            if edge["source"] not in dropped_nodes and edge["target"] not in dropped_nodes
        }
    for op, what in puts:
        if op is Op.NODE_PUT:
            shown.nodes[what["id"]] = {**shown.nodes.get(what["id"], {}), **what}
        else:
            known = {name: value for name, value in shown.edges.get(what["id"], {}).items() if name != "previous"}
            shown.edges[what["id"]] = {**known, **what}
