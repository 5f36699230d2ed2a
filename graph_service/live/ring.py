"""The last changes of a tenant, shared by all its viewers, bounded by number, bytes and age."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import orjson

from graph_service.live.limits import LiveLimits
from schema.change import NumberedChange


@dataclass(frozen=True, slots=True)
class _Held:
    change: NumberedChange
    size_bytes: int
    came_s: float


class Ring:
    """Changes `start + 1` … `end`, without gaps.

    Args:
        start: number after which the ring begins to hold changes.
    """

    def __init__(self, start: int, limits: LiveLimits) -> None:
        self.start = start
        self._limits = limits
        self._held: deque[_Held] = deque()
        self._bytes = 0

    @property
    def end(self) -> int:
        """Number of the newest change known."""
        return self.start + len(self._held)

    def add(self, changes: Sequence[NumberedChange], *, now_s: float) -> None:
        """Takes changes that follow `end`; the oldest leave as far as a bound demands.

        Args:
            now_s: of a clock that never goes back.
        """
        for change in changes:
            if change.seq != self.end + 1:
                raise AssertionError(f"change {change.seq} does not follow {self.end}")
            size = len(orjson.dumps(change.change.body)) + len(change.change.element_id) + 16
            self._held.append(_Held(change, size, now_s))
            self._bytes += size
        self._trim(now_s)

    def since(self, seq: int, *, bytes_max: int) -> list[NumberedChange] | None:
        """Changes after `seq` in order, as many as `bytes_max` allows but at least one; None when not all are held."""
        if not self.start <= seq <= self.end:
            return None
        taken: list[NumberedChange] = []
        size = 0
        for held in islice(self._held, seq - self.start, None):
            size += held.size_bytes
            if taken and size > bytes_max:
                break
            taken.append(held.change)
        return taken

    def _trim(self, now_s: float) -> None:
        while self._held and (
            len(self._held) > self._limits.ring_changes
            or self._bytes > self._limits.ring_bytes
            or now_s - self._held[0].came_s > self._limits.ring_s
        ):
            self._bytes -= self._held.popleft().size_bytes
            self.start += 1
