"""Changes: the ordered log of what happened to the mind map, one row for each touched node or edge."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from schema.ids import MemoryId

# The reason of changes that forgetting causes; whoever keeps older changes or snapshots lets go of them.
FORGOTTEN: Final = "forgotten"


class Op(StrEnum):
    """What happened; an upsert carries the element as it is afterwards, so applying it twice is harmless."""

    NODE_PUT = "node+"
    EDGE_PUT = "edge+"
    NODE_DROP = "node-"
    EDGE_DROP = "edge-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row, before it has got its number in the commit that causes it.

    Attributes:
        body: a node or edge in the form of `schema.frames`; empty for a drop.
        reason: why, for people: "read from scene …", "closed by a newer fact".
    """

    op: Op
    element_id: MemoryId
    body: dict[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedChange:
    """A change as the log holds it; `seq` rises by one within a tenant, without gaps."""

    seq: int
    at: str
    user_id: str
    change: Change
