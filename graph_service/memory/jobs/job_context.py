"""Dependencies of jobs: a clock, random tokens and observers, and locks by key within this process."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakValueDictionary

from schema.timespan import millis


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContext:
    """Clock, random tokens and observers, injected so that tests control them.

    Attributes:
        clock: aware UTC now.
        random_token: returns a new random string.
        on_step: called with the name of each step; crash tests kill the process there.
        on_change: called with the tenant after each commit that changed its mind map.
    """

    clock: Callable[[], datetime]
    random_token: Callable[[], str]
    on_step: Callable[[str], None]
    on_change: Callable[[str], None]

    def now_ms(self) -> int:
        """Return milliseconds since 1970 UTC."""
        return millis(self.clock())

    def step(self, name: str) -> None:
        """Report that a step was reached."""
        self.on_step(name)


class KeyedLock:
    """Locks by key, created on first use and dropped when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def hold(self, key: str) -> asyncio.Lock:
        """Return the lock of a key, for `async with`."""
        return self._locks.setdefault(key, asyncio.Lock())
