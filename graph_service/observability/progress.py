"""Progress of starting: reported by components, displayed by the caller."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Progress of one component.

    Attributes:
        part: the component; components start in parallel.
        total: None if unknown; `done` and `total` are in `unit`s.
    """

    part: str
    doing: str
    done: float = 0
    total: float | None = None
    unit: str = ""


Watcher = Callable[[Step], None]
