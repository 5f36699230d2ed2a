"""`mnemoscene backup`, `restore` and `compact`: save, restore and rewrite the local data directory."""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from graph_service.cli.terminal import ProgressBars
from graph_service.config.settings import Settings
from schema.errors import ConflictError, InstallError

FileArgument = Annotated[Path, typer.Argument(help="The backup file.", metavar="FILE", show_default=False)]


@command
def backup(call: Invocation, file: FileArgument) -> None:
    """Write the whole data directory (all tenants, keys, spool, audit log) to one file.

    The service may run meanwhile: then the file has an export of each tenant, as of one moment near the end.
    """
    from graph_service.admin.backup import back_up
    from graph_service.admin.store_export import export_store
    from graph_service.graph.local_neo4j.local_server import find_local_server

    settings = _require_local(call.settings)
    running = find_local_server(settings.data_dir)
    with ProgressBars(call.terminal) as bars:

        def export(folder: Path) -> None:
            assert running is not None
            run(export_store(running, folder, on_progress=bars.counted("backup")))

        done = back_up(
            settings.data_dir,
            file,
            export=None if running is None else export,
            on_progress=partial(bars.counted("backup", "bytes"), "writing"),
        )
    document = {"file": str(file), **asdict(done)}
    call.terminal.report(document, lambda: _summary(document, f"written to {file}"))


@command
def restore(call: Invocation, file: FileArgument) -> None:
    """Restore the data directory from a backup; it must be empty, and stays empty if the restore fails."""
    from graph_service.admin import backup as backups
    from graph_service.admin.store_export import import_store
    from graph_service.runtime.local_neo4j import start_server

    settings = _require_local(call.settings)
    with ProgressBars(call.terminal) as bars:

        async def build(fresh: Path, folder: Path) -> None:
            server = await start_server(replace(settings, data_dir=fresh), bars)
            try:
                await import_store(server, folder, on_progress=bars.counted("backup"))
            finally:
                await server.stop()

        done = backups.restore(
            file,
            settings.data_dir,
            build=lambda fresh, folder: run(build(fresh, folder)),
            on_progress=partial(bars.counted("backup", "bytes"), "reading"),
        )
    document = {"data_dir": str(settings.data_dir), **asdict(done)}
    call.terminal.report(document, lambda: _summary(document, f"as of {done.made_at}, to {settings.data_dir}"))


@command
def compact(call: Invocation) -> None:
    """Rewrite the local database, so that its files keep nothing that was deleted; stop the service before."""
    from graph_service.admin.compact import compact as compacted
    from graph_service.admin.compact import copy_store
    from graph_service.graph.local_neo4j.local_server import LocalServer
    from graph_service.runtime.local_neo4j import start_server
    from graph_service.runtime.service_registry import running_service

    settings = _require_local(call.settings)
    if (address := running_service(settings)) is not None:
        raise ConflictError(f"a service runs at {address}: stop it, compact, then start it again")
    with ProgressBars(call.terminal) as bars:

        async def start(directory: Path) -> LocalServer:
            return await start_server(replace(settings, data_dir=directory), bars)

        def copy(old: Path, fresh: Path) -> None:
            run(copy_store(old, fresh, start=start, on_progress=bars.counted("backup")))

        done = compacted(settings.data_dir, copy=copy)
    document = {"data_dir": str(settings.data_dir), **asdict(done)}
    call.terminal.report(
        document, lambda: f"database: {done.bytes_before / 1e6:.0f} MB before, {done.bytes_after / 1e6:.0f} MB now"
    )


def _require_local(settings: Settings) -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(
            f"NEO4J_URI is {settings.neo4j.uri!r}: back up that server with its own tool (`neo4j-admin database dump`);"
            " `mnemoscene export FILE` writes one tenant of it. Unset NEO4J_URI for the local Neo4j"
        )
    return settings


def _summary(document: dict[str, Any], where: str) -> str:
    return f"{document['files']} files, {document['bytes'] / 1e6:.0f} MB, {where}"
