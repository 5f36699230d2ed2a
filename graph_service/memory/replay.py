"""Takes spooled episodes to Neo4j when it answers: in order, one at a time, beside the worker."""

import asyncio
import contextlib
import logging
from typing import Final

from graph_service.graph.store import Graph
from graph_service.memory.intake import replay_episode
from graph_service.memory.pace import Pace
from graph_service.memory.spool import Spool
from graph_service.memory.spooled import Spooled
from schema.errors import MnemographError, UnavailableError

_log = logging.getLogger("mnemograph.replay")

# How long to wait before Neo4j is asked again.
_BACKOFF_MIN_S: Final = 0.25
_BACKOFF_MAX_S: Final = 5.0
# Other processes may spool into the same file, or pause it.
_POLL_S: Final = 2.0
# An episode that a server in good health fails to take so often is put aside.
_FAILURES_MAX: Final = 5


class Replay:
    """Empties the spool while Neo4j answers."""

    def __init__(self, *, graph: Graph, spool: Spool, pace: Pace) -> None:
        self._graph = graph
        self._spool = spool
        self._pace = pace
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Says that Neo4j may be back."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Replays until `stop` is set; an episode under way is finished first."""
        backoff_s = _BACKOFF_MIN_S
        while not stop.is_set():
            self._wake.clear()
            try:
                left = not await self.flush(stop)
            except MnemographError as error:
                _log.warning("the spool could not be emptied: %s", error)
                left = True
            await self._pause(stop, backoff_s if left else _POLL_S)
            backoff_s = min(backoff_s * 2, _BACKOFF_MAX_S) if left else _BACKOFF_MIN_S

    async def flush(self, stop: asyncio.Event | None = None) -> bool:
        """Takes what waits to Neo4j; False when something had to stay because Neo4j does not answer.

        Raises:
            UnavailableError: the disk cannot be read.
        """
        asked = False
        while stop is None or not stop.is_set():
            async with self._spool.turn:
                first = await self._spool.first()
                if first is None:
                    return True
                if not asked and not await self._graph.answers():
                    return False
                asked = True
                self._pace.step("replay taken")
                if not await self._take(first):
                    return False
        return True

    async def _take(self, spooled: Spooled) -> bool:
        """Stores one episode, or puts it aside; False when it must be tried again."""
        try:
            await replay_episode(self._graph, spooled.episode, epoch=self._pace.word())
        except UnavailableError as error:
            await self._keep(spooled, error)
            return False
        except MnemographError as error:
            await self._refuse(spooled, error)
            return True
        self._pace.step("replay stored")
        await self._spool.remove(spooled.number)
        self._pace.step("replay removed")
        self._pace.on_change(spooled.episode.tenant)
        return True

    async def _keep(self, spooled: Spooled, error: MnemographError) -> None:
        """Leaves it first in line, unless a server that answers has failed it too often."""
        if not await self._graph.answers():
            return
        await self._spool.count_failure(spooled.number)
        if spooled.failures + 1 >= _FAILURES_MAX:
            await self._refuse(spooled, error)

    async def _refuse(self, spooled: Spooled, error: MnemographError) -> None:
        extra = {"tenant": spooled.episode.tenant, "error": type(error).__name__}
        _log.warning("Neo4j refuses the spooled episode %s; it was put aside", spooled.number, extra=extra)
        await self._spool.refuse(spooled.number, f"{type(error).__name__}: {error}")

    async def _pause(self, stop: asyncio.Event, longest_s: float) -> None:
        waiting = [asyncio.create_task(self._wake.wait()), asyncio.create_task(stop.wait())]
        await asyncio.wait(waiting, timeout=longest_s, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
