"""Run the background tasks of the process: worker, spool replay and other loops."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable
from datetime import UTC, datetime, timedelta

from graph_service.app.services import Services
from graph_service.memory.repair.repair import SyncSchedule
from graph_service.observability.metrics import Loop
from graph_service.runtime.freed_memory import return_freed_memory
from graph_service.runtime.shutdown import GIVE_BACK_MAX_S, Stopping, in_time
from schema.errors import MnemosceneError
from schema.failure import failure_of

_log = logging.getLogger("mnemoscene.background")


@contextlib.asynccontextmanager
async def working(services: Services, stopping: Stopping) -> AsyncIterator[None]:
    """Run the background tasks inside the block; at its end close sessions and finish running jobs.

    The supervisor restarts loops that fail.

    Args:
        stopping: requested at the end at the latest; bounds how long running jobs may take.
    """
    stop, supervisor = stopping.asked, services.supervisor
    loops = {
        # The worker supervises its own loops.
        asyncio.create_task(_work(services, stop), name="worker"),
        supervisor.start(Loop.REPLAY, lambda: services.replay.run(stop), stop),
        supervisor.start(Loop.ITEMS, lambda: _items(services, stop), stop),
        supervisor.start(Loop.EXPIRY, lambda: _expiry(services, stop), stop),
        supervisor.start(Loop.ACCESS, lambda: services.memory.access.run(stop), stop),
        supervisor.start(Loop.SNAPSHOTS, lambda: services.memory.recall_snapshots.run(stop), stop),
        supervisor.start(Loop.FORGETTINGS, lambda: services.forgettings.run(stop), stop),
        supervisor.start(Loop.QUARANTINE, lambda: services.quarantine.run(stop), stop),
        supervisor.start(Loop.KEYS, lambda: services.keyring.run(stop), stop),
        supervisor.start(Loop.DATABASE_WATCH, lambda: services.watch.run(stop), stop),
    }
    if hours := services.settings.automation.sync_every_h:
        schedule = SyncSchedule(
            services.graph,
            services.memory.sync,
            every=timedelta(hours=hours),
            clock=lambda: datetime.now(UTC),
            excluded=lambda: services.quarantine.tenants,
        )
        loops.add(supervisor.start(Loop.SYNC, lambda: _sync(services, schedule, stop), stop))
    warming = asyncio.create_task(supervisor.once(Loop.WARM_UP, lambda: _warm_up(services)), name="warm-up")
    try:
        yield
    finally:
        stopping.ask()
        warming.cancel()
        await in_time(lambda: _close_sessions(services), what="closing sessions")
        await asyncio.wait(loops, timeout=stopping.left_s)
        for task in loops:
            task.cancel()
        await asyncio.wait(loops, timeout=GIVE_BACK_MAX_S)


async def _work(services: Services, stop: asyncio.Event) -> None:
    """Run the worker after the database has answered for the first time."""
    await _until_first(services.arrival.wait(), stop)
    if not stop.is_set():
        await services.worker.run(stop)


async def _items(services: Services, stop: asyncio.Event) -> None:
    await _until_first(services.arrival.wait(), stop)
    await services.item_upkeep.run(stop)


async def _expiry(services: Services, stop: asyncio.Event) -> None:
    await _until_first(services.arrival.wait(), stop)
    await services.message_expiry.run(stop)


async def _sync(services: Services, schedule: SyncSchedule, stop: asyncio.Event) -> None:
    await _until_first(services.arrival.wait(), stop)
    await schedule.run(stop)


async def _warm_up(services: Services) -> None:
    with contextlib.suppress(MnemosceneError):
        await services.memory.warm_up(services.arrival.wait())
    await asyncio.to_thread(return_freed_memory)


async def _until_first(arrived: Awaitable[None], stop: asyncio.Event) -> None:
    """Wait until the database has answered or `stop` is set; if connecting fails, until `stop` is set."""
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
        # After any error, running jobs must still finish and the services be closed.
        failure = failure_of(error)
        _log.warning("sessions could not be closed and stay open: %s", failure, extra={"code": failure.code})
