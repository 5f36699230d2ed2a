"""Run the background tasks of the process: worker, spool replay and other loops."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from graph_service.app.services import Services
from graph_service.memory.repair.repair import SyncSchedule
from graph_service.observability.metrics import Loop
from graph_service.runtime.freed_memory import return_freed_memory
from graph_service.runtime.shutdown import GIVE_BACK_MAX_S, Stopping, in_time
from graph_service.supervision import cancel
from schema.errors import MnemosceneError
from schema.failure import failure_of

_log = logging.getLogger("mnemoscene.background")

# Planning takes seconds; loops begin after this time even if it has not ended.
PLAN_MAX_S: Final = 30.0


@contextlib.asynccontextmanager
async def working(services: Services, stopping: Stopping) -> AsyncIterator[None]:
    """Run the background tasks inside the block; at its end close sessions and finish running jobs.

    The supervisor restarts loops that fail.

    Args:
        stopping: requested at the end at the latest; bounds how long running jobs may take.
    """
    stop, supervisor = stopping.asked, services.supervisor
    planning = asyncio.create_task(supervisor.once(Loop.WARM_UP, lambda: _plan(services)), name="planning")

    async def after_plan(run: Callable[[asyncio.Event], Awaitable[None]]) -> None:
        """Run a loop after recall is planned, so that its statements do not delay that plan."""
        await _until_first(_planned(services, planning), stop)
        if not stop.is_set():
            await run(stop)

    loops = {
        # The worker supervises its own loops.
        asyncio.create_task(after_plan(services.worker.run), name="worker"),
        supervisor.start(Loop.REPLAY, lambda: services.replay.run(stop), stop),
        supervisor.start(Loop.ITEMS, lambda: after_plan(services.item_upkeep.run), stop),
        supervisor.start(Loop.EXPIRY, lambda: after_plan(services.message_expiry.run), stop),
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
        loops.add(supervisor.start(Loop.SYNC, lambda: after_plan(schedule.run), stop))
    warming = asyncio.create_task(supervisor.once(Loop.WARM_UP, lambda: _warm_up(services, planning)), name="warm-up")
    try:
        yield
    finally:
        stopping.ask()
        planning.cancel()
        warming.cancel()
        await in_time(lambda: _close_sessions(services), what="closing sessions")
        await asyncio.wait(loops, timeout=stopping.left_s)
        for task in loops:
            task.cancel()
        await asyncio.wait(loops, timeout=GIVE_BACK_MAX_S)


async def _plan(services: Services) -> None:
    with contextlib.suppress(MnemosceneError):
        await services.arrival.wait()
        await services.memory.plan_recall()


async def _planned(services: Services, planning: asyncio.Task[None]) -> None:
    """Wait until the database has answered and recall is planned, at most `PLAN_MAX_S` for the latter."""
    await services.arrival.wait()
    await asyncio.wait({planning}, timeout=PLAN_MAX_S)


async def _warm_up(services: Services, planning: asyncio.Task[None]) -> None:
    with contextlib.suppress(MnemosceneError):
        # Not before: Neo4j, Java's compilers and the imports use the processors until then.
        await services.arrival.wait()
        await services.memory.load_models()
    await asyncio.wait({planning})
    with contextlib.suppress(MnemosceneError):
        await services.memory.warm_up()
    await asyncio.to_thread(return_freed_memory)


async def _until_first(planned: Awaitable[None], stop: asyncio.Event) -> None:
    """Wait until recall is planned or `stop` is set; if connecting to the database fails, until `stop` is set."""
    waiting = [asyncio.ensure_future(planned), asyncio.create_task(stop.wait())]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if waiting[0].done() and not waiting[0].cancelled() and waiting[0].exception() is not None:
        await waiting[1]
    await cancel(*waiting)


async def _close_sessions(services: Services) -> None:
    if not services.settings.sessions.close_on_shutdown:
        return
    try:
        await services.memory.sessions.close_active()
    except Exception as error:
        # After any error, running jobs must still finish and the services be closed.
        failure = failure_of(error)
        _log.warning("sessions could not be closed and stay open: %s", failure, extra={"code": failure.code})
