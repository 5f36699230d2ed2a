"""Turn changes into patches, and snapshots into parts. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from schema.change import NumberedChange, Op
from schema.frames import EdgeView, GraphPatch, GraphSnapshot, NodeView

PatchOp = tuple[str, dict[str, Any] | str]

# Upper bound for the fields of a part other than its elements.
_ENVELOPE_BYTES: Final = 2_048


def patch_of(changes: Sequence[NumberedChange], *, epoch: str, seq: int, user: str | None) -> GraphPatch:
    """Return all changes after `seq` as one patch.

    Args:
        changes: without gaps, the first is `seq + 1`; never empty.
        user: only this user's changes become operations; None means everybody's.
    """
    wanted = [change for change in changes if user is None or change.user_id == user]
    return GraphPatch(
        epoch=epoch, from_=seq, to=changes[-1].seq, at=changes[-1].at, changes=len(wanted), ops=coalesce(wanted)
    )


def coalesce(changes: Iterable[NumberedChange]) -> list[PatchOp]:
    """Return the fewest equivalent operations: edge drops, node drops, node puts, edge puts, in this order.

    A later put wins, with the `previous` of the earliest one. An element that was dropped and put again keeps its drop,
    because dropping a node also drops its edges; a node drop discards earlier puts of its edges.
    """
    pending = _Pending()
    for numbered in changes:
        pending.add(numbered)
    return [
        *((Op.EDGE_DROP.value, edge_id) for edge_id in pending.edge_drops),
        *((Op.NODE_DROP.value, node_id) for node_id in pending.node_drops),
        *((Op.NODE_PUT.value, body) for body in pending.nodes.values()),
        *((Op.EDGE_PUT.value, body) for body in pending.edges.values()),
    ]


@dataclass(slots=True)
class _Pending:
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[str, dict[str, Any]] = field(default_factory=dict)
    node_drops: dict[str, None] = field(default_factory=dict)
    edge_drops: dict[str, None] = field(default_factory=dict)
    # Pending edge puts by end node: dropping the node discards them.
    at: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, numbered: NumberedChange) -> None:
        element_id, body = str(numbered.change.element_id), numbered.change.body
        match numbered.change.op:
            case Op.NODE_PUT:
                self.nodes[element_id] = body
            case Op.EDGE_PUT:
                earlier = self.edges.get(element_id)
                self._put_edge(element_id, body if earlier is None else _later(earlier, body))
            case Op.EDGE_DROP:
                self._drop_edge(element_id)
            case Op.NODE_DROP:
                self.nodes.pop(element_id, None)
                self.node_drops.setdefault(element_id)
                for edge_id in list(self.at.get(element_id, ())):
                    self._drop_edge(edge_id)

    def _put_edge(self, edge_id: str, body: dict[str, Any]) -> None:
        earlier = self.edges.get(edge_id)
        if earlier is not None and (earlier["source"], earlier["target"]) != (body["source"], body["target"]):
            self._leave(edge_id, earlier)
        self.edges[edge_id] = body
        for end in (body["source"], body["target"]):
            self.at.setdefault(end, {}).setdefault(edge_id)

    def _drop_edge(self, edge_id: str) -> None:
        body = self.edges.pop(edge_id, None)
        if body is not None:
            self._leave(edge_id, body)
        self.edge_drops.setdefault(edge_id)

    def _leave(self, edge_id: str, body: dict[str, Any]) -> None:
        for end in (body["source"], body["target"]):
            self.at[end].pop(edge_id, None)


def _later(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Return the later of two versions of an edge, with the earlier one's `previous`: the version that viewers show."""
    return {**later, "previous": earlier["previous"]} if earlier.get("previous") else later


def snapshot_parts(snapshot: GraphSnapshot, *, bytes_max: int) -> list[GraphSnapshot]:
    """Split a snapshot into parts of at most `bytes_max` as JSON, nodes before edges; at least one part.

    A single element larger than that gets a part of its own.
    """
    room = bytes_max - _ENVELOPE_BYTES
    parts: list[tuple[list[NodeView], list[EdgeView]]] = [([], [])]
    filled = 0
    elements: tuple[NodeView | EdgeView, ...] = (*snapshot.nodes, *snapshot.edges)
    for element in elements:
        size = len(orjson.dumps(element.model_dump(mode="json"))) + 1
        if filled and filled + size > room:
            parts.append(([], []))
            filled = 0
        filled += size
        if isinstance(element, NodeView):
            parts[-1][0].append(element)
        else:
            parts[-1][1].append(element)
    return [
        snapshot.model_copy(update={"part": number, "parts": len(parts), "nodes": nodes, "edges": edges})
        for number, (nodes, edges) in enumerate(parts)
    ]
