"""Brings a snapshot up to date by what happened after it, for when the database cannot be asked for a new one."""

from collections.abc import Sequence

from graph_service.live.patches import coalesce
from graph_service.memory.snapshot import Snapshot
from schema.change import NumberedChange, Op
from schema.frames import Count, EdgeView, NodeView


def caught_up(snapshot: Snapshot, changes: Sequence[NumberedChange], *, user: str | None) -> Snapshot:
    """The snapshot after all these changes.

    Args:
        changes: without gaps, the first is the one after the snapshot.
        user: only this user's changes are seen; None means everybody's.
    """
    if not changes:
        return snapshot
    nodes = {node.id: node for node in snapshot.nodes}
    edges = {edge.id: edge for edge in snapshot.edges}
    for op, what in coalesce(change for change in changes if user is None or change.user_id == user):
        if op == Op.NODE_PUT and isinstance(what, dict):
            known = nodes.get(what["id"])
            nodes[what["id"]] = NodeView.model_validate({**(known.model_dump() if known else {}), **what})
        elif op == Op.EDGE_PUT and isinstance(what, dict):
            edge = edges.get(what["id"])
            edges[what["id"]] = EdgeView.model_validate({**(edge.model_dump() if edge else {}), **what, "was": None})
        elif op == Op.EDGE_DROP:
            edges.pop(str(what), None)
        else:
            nodes.pop(str(what), None)
            edges = {key: edge for key, edge in edges.items() if what not in (edge.source, edge.target)}
    seen = [edge for edge in edges.values() if edge.source in nodes and edge.target in nodes]
    total = Count(
        nodes=snapshot.total.nodes + len(nodes) - len(snapshot.nodes),
        edges=snapshot.total.edges + len(seen) - len(snapshot.edges),
    )
    last = changes[-1]
    return Snapshot(
        epoch=snapshot.epoch, seq=last.seq, as_of=last.at, total=total, nodes=list(nodes.values()), edges=seen
    )
