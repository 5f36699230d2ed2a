"""Opens the parts for one command, and waits until what was told has been read."""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from graph_service.runtime.progress import Step
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.graph.local.local_server import LocalServer

POLL_S: Final = 0.2
# When another process of ours owns the database its worker reads; if it does not, we do.
PATIENCE_S: Final = 5.0
READING: Final = "reading"


@contextlib.asynccontextmanager
async def opened(
    settings: Settings, terminal: Terminal, *, beside: str | None = None, lasting: bool = False
) -> AsyncIterator["Services"]:
    """The parts of a service, closed at the end; says what is missing for full quality.

    Args:
        beside: a module that the command needs afterwards; it is loaded while the database starts.
        lasting: the command goes on until it is stopped; it does not wait for the database, which `arrival` tells of,
            nor for what waits on disk.
    """
    with contextlib.ExitStack() as progress:
        steps = progress.enter_context(Steps(terminal))
        parts = await _open(settings, steps, beside, lasting)
        try:
            if parts.embedder_problem:
                terminal.say(f"searching by words only: {parts.embedder_problem}")
            if lasting:
                # Answers already; what it waits for is shown until that is there.
                assert parts.arrival.task is not None
                parts.arrival.task.add_done_callback(lambda _ended: progress.close())
            else:
                progress.close()
                if not parts.shares_database:
                    # What another command had to keep on disk while this database was away.
                    await parts.replay.flush()
            yield parts
        finally:
            await parts.close()


async def _open(settings: Settings, steps: Steps, beside: str | None, lasting: bool) -> "Services":
    """Neo4j starts in its process while this one loads the modules that use it: each takes seconds."""
    starting = None
    try:
        if settings.neo4j.uri is None:
            starting = await _begun(settings, steps, lasting)
        module = await asyncio.to_thread(importlib.import_module, "graph_service.app.services")
        if beside is not None:
            # Whoever imports it next waits until this has loaded it.
            asyncio.get_running_loop().run_in_executor(None, importlib.import_module, beside)
    except BaseException:
        if starting is not None:
            starting.cancel()
        raise
    parts: Services = await module.open_services(settings, on_progress=steps, starting=starting, wait=not lasting)
    return parts


async def _begun(settings: Settings, steps: Steps, lasting: bool) -> "asyncio.Task[LocalServer]":
    """Return the start of Neo4j, once its process runs: loading modules at the same time would hold that up."""
    from graph_service.runtime.local_neo4j import start_server

    under_way = asyncio.Event()
    starting = asyncio.create_task(start_server(settings, steps, under_way, lasting=lasting))
    starting.add_done_callback(lambda _ended: under_way.set())
    try:
        await under_way.wait()
    except BaseException:
        starting.cancel()
        raise
    return starting


async def read_everything(parts: "Services", tenant: TenantId, terminal: Terminal) -> None:
    """Return when nothing of the tenant waits to be read; do the work here unless another process does."""
    working = None if parts.shares_database else asyncio.create_task(parts.worker.drain())
    try:
        with Steps(terminal) as steps:
            await watch_reading(parts, tenant, steps, patience_s=PATIENCE_S)
    finally:
        if working is not None:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
    parked = (await parts.memory.backlog(tenant)).dead
    if parked:
        terminal.say(f"{parked} pieces of work failed too often and were parked; the messages themselves are stored")


async def watch_reading(parts: "Services", tenant: TenantId, steps: Steps, *, patience_s: float = float("inf")) -> None:
    """Show how much is still to be read, until nothing is.

    Args:
        patience_s: after so long without progress the worker elsewhere is taken for dead, and the work is done here.
    """
    loop = asyncio.get_running_loop()
    most, last, last_at = 1, -1, loop.time()
    while (left := await parts.work_left(tenant)) > 0:
        most = max(most, left)
        steps(Step(part=READING, doing="scenes and facts", done=most - left, total=most, unit="jobs"))
        if left != last:
            last, last_at = left, loop.time()
        elif loop.time() - last_at > patience_s:
            await parts.worker.run_one()
        await asyncio.sleep(POLL_S)
    steps(Step(part=READING, doing="scenes and facts", done=most, total=most, unit="jobs"))
