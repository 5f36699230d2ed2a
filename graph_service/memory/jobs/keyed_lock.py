"""Locks by key within this process; locks of the database exclude other processes."""

import asyncio
from weakref import WeakValueDictionary


class KeyedLock:
    """Locks by key, created on first use and dropped when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def hold(self, key: str) -> asyncio.Lock:
        """Return the lock of a key, for `async with`."""
        return self._locks.setdefault(key, asyncio.Lock())
