"""Turns within this process: of those who change the same thing, one works and the others wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class KeyedLock:
    """Who holds the turn of a key keeps the others of that key out; other processes are kept out by the database."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[bool]:
        """Wait for the turn; give whether somebody else had it meanwhile, so that what was read before is old."""
        queue = self._queues.setdefault(key, _Queue())
        waited = queue.waiting > 0
        queue.waiting += 1
        try:
            async with queue.lock:
                yield waited
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._queues[key]
