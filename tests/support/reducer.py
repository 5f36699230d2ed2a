"""The state of a viewer, as its reducer in TypeScript computes it from snapshots and patches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_service.live import patches


@dataclass(slots=True, kw_only=True)
class ViewerState(patches.ViewerState):
    """The elements in a viewer, and the position up to which it knows the changes."""

    epoch: str | None = None
    seq: int = 0


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
    patches.apply_ops(shown, patch["ops"])
    shown.seq = patch["to"]
    return True
