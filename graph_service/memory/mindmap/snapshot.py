"""Make snapshots of the mind map at a sequence number, and select their elements within a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from schema.frames import Count, EdgeView, Frame, GraphSnapshot, NodeView


def snapshot_of(
    epoch: str, seq: int, as_of: str, total: Count, nodes: list[NodeView], edges: list[EdgeView]
) -> GraphSnapshot:
    """Return nodes and edges as they were at `seq` or a little later; changes after `seq` bring them up to date.

    Args:
        as_of: time of the read, ISO 8601 UTC.
        total: number of nodes and edges in the memory, shown or not.
        nodes: nodes by priority.
        edges: edges by priority; both ends of each are in `nodes`.
    """
    shown = Count(nodes=len(nodes), edges=len(edges))
    return GraphSnapshot(epoch=epoch, seq=seq, as_of=as_of, shown=shown, total=total, nodes=nodes, edges=edges)


def frame_json(frame: Frame) -> bytes:
    """Return a frame as JSON; in snapshots, `previous` is left out of edges where it is null."""
    fields: dict[str, Any] = frame.model_dump(mode="json", by_alias=True)
    if isinstance(frame, GraphSnapshot):
        for edge in fields["edges"]:
            if edge["previous"] is None:
                del edge["previous"]
    return orjson.dumps(fields)


@dataclass(slots=True, kw_only=True)
class SnapshotSelection:
    """Nodes and edges selected so far, in order; at most `budget` of both together."""

    budget: int
    nodes: dict[str, None] = field(default_factory=dict)
    edges: list[EdgeView] = field(default_factory=list)

    @property
    def room(self) -> int:
        """Return the number of nodes and edges that can still be added."""
        return self.budget - len(self.nodes) - len(self.edges)

    def add_nodes(self, ids: Iterable[str]) -> None:
        """Add nodes in order while they fit."""
        for node_id in ids:
            if self.room <= 0:
                return
            self.nodes.setdefault(node_id)

    def add_edges(self, edges: Sequence[EdgeView]) -> None:
        """Add edges in order, each with both ends; skip an edge that does not fit with its missing ends."""
        for edge in edges:
            if self.room <= 0:
                return
            ends = {edge.source, edge.target} - self.nodes.keys()
            if self.room > len(ends):
                self.nodes.update(dict.fromkeys((edge.source, edge.target)))
                self.edges.append(edge)
