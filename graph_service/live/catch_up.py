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
    news = coalesce(change for change in changes if user is None or change.user_id == user)
    # What goes comes before what is put, so all of it goes in one pass.
    gone = {Op.EDGE_DROP: set[str](), Op.NODE_DROP: set[str]()}
    for op, what in news:
        if op in gone:
            gone[Op(op)].add(str(what))
    nodes = {key: node for key, node in nodes.items() if key not in gone[Op.NODE_DROP]}
    edges = {
        key: edge
        for key, edge in edges.items()
        if key not in gone[Op.EDGE_DROP] and not {edge.source, edge.target} & gone[Op.NODE_DROP]
    }
    for op, what in news:
        if op == Op.NODE_PUT and isinstance(what, dict):
            known = nodes.get(what["id"])
            nodes[what["id"]] = NodeView.model_validate({**(known.model_dump() if known else {}), **what})
        elif op == Op.EDGE_PUT and isinstance(what, dict):
            edge = edges.get(what["id"])
            edges[what["id"]] = EdgeView.model_validate({**(edge.model_dump() if edge else {}), **what, "was": None})
    seen = [edge for edge in edges.values() if edge.source in nodes and edge.target in nodes]
    total = Count(
        nodes=snapshot.total.nodes + len(nodes) - len(snapshot.nodes),
        edges=snapshot.total.edges + len(seen) - len(snapshot.edges),
    )
    last = changes[-1]
    return Snapshot(
        epoch=snapshot.epoch, seq=last.seq, as_of=last.at, total=total, nodes=list(nodes.values()), edges=seen
    )
