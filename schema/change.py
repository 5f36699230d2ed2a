"""Changes: the ordered log of changes to the mind map, one entry per node or edge."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from schema.ids import MemoryId

# Reason of changes caused by forgetting; clients with older changes or snapshots must delete them.
FORGOTTEN: Final = "forgotten"


class Op(StrEnum):
    """Operation; an upsert has the whole element, so applying it twice is harmless."""

    NODE_PUT = "node+"
    EDGE_PUT = "edge+"
    NODE_DROP = "node-"
    EDGE_DROP = "edge-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change before the commit assigns its sequence number.

    Attributes:
        body: a node or edge as in `schema.frames`; empty for a deletion.
        reason: explanation for people: "read from scene …", "closed by a newer fact".
    """

    op: Op
    element_id: MemoryId
    body: dict[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedChange:
    """A change as stored; `seq` has no gaps within a tenant."""

    seq: int
    at: str
    user_id: str
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBatch:
    """A batch of changes in order.

    Attributes:
        epoch: epoch of the change log.
        seq: sequence number of the last delivered change, including those filtered out.
        reset: changes were missed, and the graph must be fetched again.
    """

    epoch: str
    seq: int
    reset: bool
    changes: tuple[NumberedChange, ...] = ()
