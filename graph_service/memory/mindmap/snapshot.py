"""The mind map at one number of the change log, and the choice of what fits into a viewer's budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from schema.frames import Count, EdgeView, Frame, GraphSnapshot, NodeView


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Nodes and edges as they were at `seq` or a little later; changes after `seq` bring them up to date.

    Attributes:
        as_of: when it was read, ISO 8601 UTC.
        total: how many there are, shown or not.
        nodes: the most telling first; edges likewise, both ends of each among `nodes`.
    """

    epoch: str
    seq: int
    as_of: str
    total: Count
    nodes: list[NodeView]
    edges: list[EdgeView]

    def frame(self, *, stale: bool = False) -> GraphSnapshot:
        """Return the whole as one frame; `stale` while the database is away."""
        return GraphSnapshot(
            epoch=self.epoch,
            seq=self.seq,
            as_of=self.as_of,
            stale=stale,
            shown=Count(nodes=len(self.nodes), edges=len(self.edges)),
            total=self.total,
            nodes=self.nodes,
            edges=self.edges,
        )


def frame_json(frame: Frame) -> bytes:
    """Return a frame as it travels; `was` is left out of edges that say nothing about before."""
    fields: dict[str, Any] = frame.model_dump(mode="json", by_alias=True)
    if isinstance(frame, GraphSnapshot):
        for edge in fields["edges"]:
            if edge["previous"] is None:
                del edge["previous"]
    return orjson.dumps(fields)


@dataclass(slots=True, kw_only=True)
class Choice:
    """What is shown so far, in the order it was chosen; never more than `budget` nodes and edges together."""

    budget: int
    nodes: dict[str, None] = field(default_factory=dict)
    edges: list[EdgeView] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Return how many more nodes and edges fit."""
        return self.budget - len(self.nodes) - len(self.edges)

    def take_nodes(self, ids: Iterable[str]) -> None:
        """Take nodes in order while they fit."""
        for node_id in ids:
            if self.left <= 0:
                return
            self.nodes.setdefault(node_id)

    def take_edges(self, edges: Sequence[EdgeView]) -> None:
        """Take edges in order, each with both ends; one that does not fit leaves room for a later, cheaper one."""
        for edge in edges:
            if self.left <= 0:
                return
            ends = {edge.source, edge.target} - self.nodes.keys()
            if self.left > len(ends):
                self.nodes.update(dict.fromkeys((edge.source, edge.target)))
                self.edges.append(edge)
