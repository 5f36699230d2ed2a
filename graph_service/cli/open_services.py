"""Open the services that a command needs."""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graph_service.cli.options import Invocation
from graph_service.cli.signals import event_loop
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.observability.progress import Step
from graph_service.runtime.service_registry import running_service
from schema.errors import InputError

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.graph.local_neo4j.local_server import LocalServer


@contextlib.asynccontextmanager
async def open_for(
    call: Invocation, settings: Settings | None = None, *, preload: str | None = None
) -> AsyncIterator["Services"]:
    """Open the services of this machine's own database for one command.

    Args:
        settings: instead of those of the call.
        preload: a module to import while the database starts.

    Raises:
        InputError: the tenant's name is not valid, or `url` names another service; raised before anything starts.
    """
    assert call.tenant
    url = call.client_settings.url
    if url is not None and url.rstrip("/") != running_service(call.client_settings):
        raise InputError(f"this command works on the database itself: run it on the machine of {url}, without its URL")
    await event_loop()
    async with open_services(settings or call.settings, call.terminal, preload=preload) as services:
        yield services


async def note_in_audit_log(settings: Settings, what: str, *targets: str, tenant: str | None) -> None:
    """Write what a command did to this machine's audit log; a tenant of None means all."""
    from graph_service.auth.audit import AuditEntry, AuditLog

    log = AuditLog(settings.data_dir, bytes_max=settings.auth.audit_mb_max * 2**20)
    at = datetime.now(UTC)
    await log.write(AuditEntry(at=at, who="cli", tenant=tenant, interface="cli", what=(what,), targets=targets))


@contextlib.asynccontextmanager
async def open_services(
    settings: Settings, terminal: Terminal, *, preload: str | None = None, lasting: bool = False
) -> AsyncIterator["Services"]:
    """Open the services for the block; print the reason if there is no embedder.

    Args:
        preload: a module to import while the database starts.
        lasting: for a command that runs until it is stopped: do not wait for the database, which reports when it is
            connected, and do not replay the spool here.
    """
    with contextlib.ExitStack() as progress:
        bars = progress.enter_context(ProgressBars(terminal))
        services = await _open(settings, bars, preload, lasting)
        try:
            if services.embedder_problem:
                terminal.say(f"searching by words only: {services.embedder_problem}")
            if lasting:
                # The progress bars are shown until the database is connected.
                assert services.database.task is not None
                services.database.task.add_done_callback(lambda _task: progress.close())
            else:
                progress.close()
                if not services.database.connected:
                    await services.memory.recall_snapshots.load()
                elif not services.shares_database:
                    # Messages that another command spooled while the database was down.
                    await services.replay.flush()
            yield services
        finally:
            await services.close()


async def _open(settings: Settings, bars: ProgressBars, preload: str | None, lasting: bool) -> "Services":
    """Open the services; import their modules while Neo4j starts in its own process, because each takes seconds."""
    starting = None
    try:
        if settings.neo4j.uri is None:
            starting = await _start_neo4j(settings, bars, lasting)
        module = await asyncio.to_thread(importlib.import_module, "graph_service.app.services")
        if preload is not None:
            # A later import of the module waits for this one.
            asyncio.get_running_loop().run_in_executor(None, importlib.import_module, preload)
    except BaseException:
        if starting is not None:
            starting.cancel()
        raise
    services: Services = await module.open_services(settings, on_progress=bars, starting=starting, wait=not lasting)
    return services


async def _start_neo4j(settings: Settings, bars: ProgressBars, lasting: bool) -> "asyncio.Task[LocalServer]":
    """Start Neo4j in a task; return it after the first progress report, as importing modules earlier would delay it."""
    from graph_service.graph.local_neo4j.local_server import start_server

    under_way = asyncio.Event()

    def report(step: Step) -> None:
        under_way.set()
        bars(step)

    starting = asyncio.create_task(start_server(settings, report, lasting=lasting))
    starting.add_done_callback(lambda _task: under_way.set())
    try:
        await under_way.wait()
    except BaseException:
        starting.cancel()
        raise
    return starting
