"""Encode each snapshot once for all viewers of the same scope; large ones in a thread."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final

from extraction.bounded_threads import BoundedThreads
from graph_service.live.patches import snapshot_parts
from graph_service.memory.mindmap.snapshot import Snapshot, frame_json

_SNAPSHOTS_MAX: Final = 8
# Elements that are encoded in about 3 ms on the event loop.
_ENCODED_INLINE: Final = 500
_ENCODING: Final = BoundedThreads(threads_max=2, cpu_max_s=10.0)


@dataclass(frozen=True, slots=True)
class _Encoded:
    snapshot: Snapshot
    stale: bool
    parts: tuple[bytes, ...]

    @property
    def bytes_n(self) -> int:
        return sum(map(len, self.parts))


class SnapshotFrameCache:
    """The last encoded snapshots of a tenant.

    Args:
        part_bytes: maximum size of one frame.
        bytes_max: maximum size of all cached frames.
    """

    def __init__(self, *, part_bytes: int, bytes_max: int) -> None:
        self._part_bytes = part_bytes
        self._bytes_max = bytes_max
        self._cached: deque[_Encoded] = deque()
        self._lock = asyncio.Lock()

    async def parts(self, snapshot: Snapshot, *, stale: bool) -> tuple[bytes, ...]:
        """Return the frames of a snapshot.

        Args:
            stale: mark the frames as read before the database became unavailable.

        Raises:
            TooSlowError: encoding took too long.
        """
        async with self._lock:
            for known in self._cached:
                if known.snapshot is snapshot and known.stale == stale:
                    return known.parts
            cached = self._cached

            def encoded() -> tuple[bytes, ...]:
                whole = snapshot.frame(stale=stale)
                return tuple(frame_json(part) for part in snapshot_parts(whole, bytes_max=self._part_bytes))

            small = len(snapshot.nodes) + len(snapshot.edges) <= _ENCODED_INLINE
            made = encoded() if small else await _ENCODING.run(encoded)
            # `clear` replaces the deque, so that a snapshot begun before it is not cached.
            cached.append(_Encoded(snapshot, stale, made))
            while len(cached) > _SNAPSHOTS_MAX or (
                len(cached) > 1 and sum(one.bytes_n for one in cached) > self._bytes_max
            ):
                cached.popleft()
            return made

    def clear(self) -> None:
        """Drop everything, after data in it was deleted."""
        self._cached = deque()
