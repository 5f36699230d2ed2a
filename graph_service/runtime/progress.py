"""Progress of what gets ready: told by the parts, shown by whoever started them."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far one part is in getting ready.

    Attributes:
        part: which one; parts get ready at the same time.
        total: None when it cannot be told; `done` and `total` count `unit`s.
    """

    part: str
    doing: str
    done: float = 0
    total: float | None = None
    unit: str = ""


Watcher = Callable[[Step], None]
