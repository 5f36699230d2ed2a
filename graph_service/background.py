"""What a process does beside answering: the worker, the replay of the spool, and what else runs until the end."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping

from graph_service.parts import Parts
from graph_service.stopping import GIVE_BACK_MAX_S, Stopping, in_time
from schema.errors import MnemographError, UnavailableError

_log = logging.getLogger("mnemograph.background")

Beside = Mapping[str, "asyncio.Task[None]"]


@contextlib.asynccontextmanager
async def working(parts: Parts, stopping: Stopping) -> AsyncIterator[Beside]:
    """Works in the background inside the block; at its end sessions are closed and what is in flight is finished.

    Args:
        stopping: is asked for at the end at the latest, and says how long what is in flight may take.
    """
    stop = stopping.asked
    beside = {
        "worker": asyncio.create_task(_work(parts, stop), name="worker"),
        "replay": asyncio.create_task(parts.replay.run(stop), name="replay"),
        "access": asyncio.create_task(parts.memory.access.run(stop), name="access"),
        "snapshots": asyncio.create_task(parts.memory.keepsakes.run(stop), name="snapshots"),
        "keys": asyncio.create_task(parts.keyring.run(stop), name="keys"),
        "database watch": asyncio.create_task(parts.watch.run(stop), name="database watch"),
    }
    for task in beside.values():
        task.add_done_callback(_report_end)
    warming = asyncio.create_task(_warm_up(parts), name="warm-up")
    try:
        yield beside
    finally:
        stopping.ask()
        warming.cancel()
        await in_time(lambda: _close_sessions(parts), what="asking for the end of sessions")
        await asyncio.wait(beside.values(), timeout=stopping.left_s)
        for task in beside.values():
            task.cancel()
        await asyncio.wait(beside.values(), timeout=GIVE_BACK_MAX_S)


async def _work(parts: Parts, stop: asyncio.Event) -> None:
    """Work once the database is there for the first time."""
    await _until_first(parts.arrival.wait(), stop)
    if not stop.is_set():
        await parts.worker.run(stop)


async def _warm_up(parts: Parts) -> None:
    with contextlib.suppress(MnemographError):
        await parts.arrival.wait()
        await parts.memory.warm_up()


async def _until_first(arrived: Awaitable[None], stop: asyncio.Event) -> None:
    """Return when the database is there, or `stop` is set; what keeps it away ends the service elsewhere."""
    waiting = [asyncio.ensure_future(arrived), asyncio.create_task(stop.wait())]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if waiting[0].done() and not waiting[0].cancelled() and waiting[0].exception() is not None:
        await waiting[1]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def _close_sessions(parts: Parts) -> None:
    if parts.settings.sessions.close_on_shutdown:
        try:
            await parts.memory.sessions.close_taken()
        except UnavailableError as error:
            _log.warning("sessions stay open until they were idle for a while: %s", error)


def _report_end(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and task.exception() is not None:
        name = task.get_name()
        _log.error("the %s ended; /ready answers 503 until a restart", name, exc_info=task.exception())
