"""Run what a process does beside answering: the worker, the replay of the spool, and the other loops until the end."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable

from graph_service.app.services import Services
from graph_service.observability.metrics import Loop
from graph_service.runtime.shutdown import GIVE_BACK_MAX_S, Stopping, in_time
from schema.errors import MnemographError
from schema.failure import failure_of

_log = logging.getLogger("mnemograph.background")


@contextlib.asynccontextmanager
async def working(services: Services, stopping: Stopping) -> AsyncIterator[None]:
    """Work in the background inside the block; at its end close sessions and finish what is in flight.

    No error ends any of the loops: `parts.supervisor` starts each again and knows how it stands.

    Args:
        stopping: is asked for at the end at the latest, and says how long what is in flight may take.
    """
    stop, keep = stopping.asked, services.supervisor
    loops = {
        # The worker keeps each of its loops by itself, with the same supervisor.
        asyncio.create_task(_work(services, stop), name="worker"),
        keep.start(Loop.REPLAY, lambda: services.replay.run(stop), stop),
        keep.start(Loop.ACCESS, lambda: services.memory.access.run(stop), stop),
        keep.start(Loop.SNAPSHOTS, lambda: services.memory.keepsakes.run(stop), stop),
        keep.start(Loop.KEYS, lambda: services.keyring.run(stop), stop),
        keep.start(Loop.DATABASE_WATCH, lambda: services.watch.run(stop), stop),
    }
    warming = asyncio.create_task(keep.once(Loop.WARM_UP, lambda: _warm_up(services)), name="warm-up")
    try:
        yield
    finally:
        stopping.ask()
        warming.cancel()
        await in_time(lambda: _close_sessions(services), what="asking for the end of sessions")
        await asyncio.wait(loops, timeout=stopping.left_s)
        for task in loops:
            task.cancel()
        await asyncio.wait(loops, timeout=GIVE_BACK_MAX_S)


async def _work(services: Services, stop: asyncio.Event) -> None:
    """Work once the database is there for the first time."""
    await _until_first(services.arrival.wait(), stop)
    if not stop.is_set():
        await services.worker.run(stop)


async def _warm_up(services: Services) -> None:
    with contextlib.suppress(MnemographError):
        await services.arrival.wait()
        await services.memory.warm_up()


async def _until_first(arrived: Awaitable[None], stop: asyncio.Event) -> None:
    """Return when the database is there, or `stop` is set; what keeps it away ends the service elsewhere."""
    waiting = [asyncio.ensure_future(arrived), asyncio.create_task(stop.wait())]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if waiting[0].done() and not waiting[0].cancelled() and waiting[0].exception() is not None:
        await waiting[1]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def _close_sessions(services: Services) -> None:
    if not services.settings.sessions.close_on_shutdown:
        return
    try:
        await services.memory.sessions.close_active()
    except Exception as error:
        # Whatever it is: what is in flight must still be finished, and the parts closed.
        failure = failure_of(error)
        _log.warning("sessions stay open until they were idle for a while: %s", failure, extra={"code": failure.code})
