"""Graceful shutdown with a time limit per step, 30 s in total."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

_log = logging.getLogger("mnemoscene.stopping")

# Time limit for requests and jobs in flight; jobs that take longer are released.
WORK_MAX_S: Final = 14.0
# Time limit for releasing cancelled jobs.
GIVE_BACK_MAX_S: Final = 2.0
# Time limit for closing one connection. The local Neo4j has ten seconds more, then it is killed.
CLOSE_MAX_S: Final = 2.0


class Stopping:
    """The shutdown of one service.

    Args:
        work_max_s: time for work in flight, including `drain_s`.

    Attributes:
        asked: set when the shutdown is requested; no new work is accepted then.
        draining: set before that, while a load balancer learns that it should send no more requests.
    """

    def __init__(self, *, work_max_s: float = WORK_MAX_S) -> None:
        self.asked = asyncio.Event()
        self.draining = False
        self._work_max_s = work_max_s
        self._until_s = 0.0

    def drain(self) -> None:
        """Announce the shutdown to load balancers; the time for work in flight runs from the first call."""
        if not self.draining:
            self._until_s = asyncio.get_running_loop().time() + self._work_max_s
            self.draining = True

    def ask(self) -> None:
        self.drain()
        self.asked.set()

    @property
    def left_s(self) -> float:
        """Return the remaining time for work in flight, after `ask`."""
        return max(self._until_s - asyncio.get_running_loop().time(), 0.0)


async def in_time(close: Callable[[], Awaitable[None]], *, what: str) -> None:
    """Close a component with a timeout, because its peer may not respond.

    Args:
        what: name of the component, for the log.
    """
    try:
        async with asyncio.timeout(CLOSE_MAX_S):
            await close()
    except TimeoutError:
        _log.warning("%s did not close within %g s and was abandoned", what, CLOSE_MAX_S)
