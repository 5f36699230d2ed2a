"""An orderly end: when it was asked for, and how long each part may take; 30 s after the signal all is over."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

_log = logging.getLogger("mnemograph.stopping")

# What is in flight when the end is asked for: requests, and pieces of work. What takes longer is given back, undone.
WORK_MAX_S: Final = 14.0
# Giving work back; asking for the end of sessions.
GIVE_BACK_MAX_S: Final = 2.0
# Closing one connection. The local Neo4j has ten seconds of its own, after which it is killed.
CLOSE_MAX_S: Final = 2.0


class Stopping:
    """The end of one service.

    Args:
        work_max_s: how long what is in flight may take.

    Attributes:
        asked: set from the moment at which no new work is taken.
    """

    def __init__(self, *, work_max_s: float = WORK_MAX_S) -> None:
        self.asked = asyncio.Event()
        self._work_max_s = work_max_s
        self._until_s = 0.0

    def ask(self) -> None:
        """Ask for the end; the time for what is in flight runs from the first call."""
        if not self.asked.is_set():
            self._until_s = asyncio.get_running_loop().time() + self._work_max_s
            self.asked.set()

    @property
    def left_s(self) -> float:
        """Return how long what is in flight may still take, once the end was asked for."""
        return max(self._until_s - asyncio.get_running_loop().time(), 0.0)


async def in_time(close: Callable[[], Awaitable[None]], *, what: str, timeout_s: float = CLOSE_MAX_S) -> None:
    """Close something, but never waits long: whoever it talks to may be silent."""
    try:
        async with asyncio.timeout(timeout_s):
            await close()
    except TimeoutError:
        _log.warning("%s did not end within %g s and was left alone", what, timeout_s)
