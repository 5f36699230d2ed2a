"""Turn changes into patches, and snapshots into parts. Pure."""

from collections.abc import Iterable, Sequence
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
    nodes: dict[str, dict[str, Any]] = {}
    # With their places among the changes, which tell whether an end of an edge was dropped after the edge was put.
    edges: dict[str, tuple[int, dict[str, Any]]] = {}
    node_drops: dict[str, int] = {}
    edge_drops: dict[str, None] = {}

    def drop_edge(edge_id: str) -> None:
        edges.pop(edge_id, None)
        edge_drops.setdefault(edge_id)

    def without_its_end(edge_id: str) -> bool:
        put_at, body = edges[edge_id]
        return max(node_drops.get(body["source"], -1), node_drops.get(body["target"], -1)) > put_at

    for place, numbered in enumerate(changes):
        element_id, body = str(numbered.change.element_id), numbered.change.body
        match numbered.change.op:
            case Op.NODE_PUT:
                nodes[element_id] = body
            case Op.NODE_DROP:
                nodes.pop(element_id, None)
                node_drops[element_id] = place
            case Op.EDGE_PUT:
                if element_id in edges and without_its_end(element_id):
                    drop_edge(element_id)
                _, earlier = edges.get(element_id, (place, body))
                edges[element_id] = place, _later(earlier, body)
            case Op.EDGE_DROP:
                drop_edge(element_id)
    for edge_id in filter(without_its_end, list(edges)):
        drop_edge(edge_id)
    return [
        *((Op.EDGE_DROP.value, edge_id) for edge_id in edge_drops),
        *((Op.NODE_DROP.value, node_id) for node_id in node_drops),
        *((Op.NODE_PUT.value, body) for body in nodes.values()),
        *((Op.EDGE_PUT.value, body) for _, body in edges.values()),
    ]


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
