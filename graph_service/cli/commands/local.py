"""`mnemoscene db`, `backup`, `restore`, `compact`, `spool` and `doctor`: what is on this machine."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import psutil
import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import StopSignals, event_loop, run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.observability.columns import DIM, GREEN, RED, YELLOW, Columns, Fields, listing
from schema.errors import ConflictError, InstallError, NotFoundError
from schema.ids import TenantId
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.admin.doctor import Check
    from graph_service.memory.ingest.spool import Spool, SpoolStatus


db = typer.Typer(help="The local Neo4j: start, stop, and how to connect.", no_args_is_help=True)

STOP_MAX_S = 45.0


@db.command()
@command
def start(call: Invocation) -> None:
    """Start the local Neo4j without the service, and keep it running until Ctrl-C."""
    signals = StopSignals()
    run(_keep_running(_require_local(call.settings), call.terminal, signals), signals)


@db.command()
@command
def stop(call: Invocation) -> None:
    """Stop the local Neo4j and the process that started it."""
    from graph_service.graph.local_neo4j.owner import read_owner

    settings = _require_local(call.settings)
    owner = read_owner(settings.data_dir)
    process = owner.starter.process() if owner and owner.in_use() else None
    if owner is None or process is None:
        raise NotFoundError(f"no local Neo4j runs in {settings.data_dir}")
    name = owner.description()
    process.terminate()
    try:
        process.wait(STOP_MAX_S)
    except psutil.TimeoutExpired as error:
        raise ConflictError(f"{name} did not stop within {STOP_MAX_S:g} s; kill it") from error
    call.terminal.report({"stopped": name}, lambda: f"stopped {name}")


@db.command()
@command
def status(call: Invocation) -> None:
    """Show whether a Neo4j runs, and which process started it."""
    from graph_service.graph.local_neo4j.owner import read_owner

    settings = call.settings
    owner = None if settings.neo4j.uri else read_owner(settings.data_dir)
    running = owner is not None and owner.in_use()
    document = {
        "kind": "external" if settings.neo4j.uri else "local",
        "running": None if settings.neo4j.uri else running,
        "uri": settings.neo4j.uri or (owner.uri if owner and running else None),
        "data_dir": None if settings.neo4j.uri else str(settings.data_dir),
        "owner": owner.description() if owner and running else None,
    }
    call.terminal.report(document, lambda: _table(document))


@db.command()
@command
def uri(call: Invocation) -> None:
    """Show how to connect: address, user, and the file with the password."""
    document = _login(call.settings)
    call.terminal.report(document, lambda: _table(document))


@db.command("shell-hint")
@command
def shell_hint(call: Invocation) -> None:
    """Print the command that opens cypher-shell on this database."""
    login = _login(call.settings)
    password = f'"$(cat {login["password_file"]})"' if login["password_file"] else '"$NEO4J_PASSWORD"'
    line = f"cypher-shell -a {login['uri']} -u {login['user']} -p {password} --access-mode read"
    call.terminal.report({"command": line}, lambda: line)


async def _keep_running(settings: Settings, terminal: Terminal, signals: StopSignals) -> None:
    from graph_service.graph.local_neo4j.local_server import start_server

    stopped = asyncio.Event()
    with ProgressBars(terminal) as bars:
        server = await start_server(settings, bars, lasting=True)
    try:
        if not server.owned:
            raise ConflictError(
                f"it is already running at {server.uri}; `mnemoscene db status` shows which process it is"
            )
        document = _login(settings)
        terminal.report(document, lambda: _table(document))
        terminal.say("Ctrl-C stops it.")
        with signals.handled_by(stopped.set):
            await stopped.wait()
    finally:
        await server.stop()


def _login(settings: Settings) -> dict[str, Any]:
    from graph_service.graph.local_neo4j.local_server import known_server

    server = known_server(settings)
    if server is None:
        raise NotFoundError(
            f"no local Neo4j runs in {settings.data_dir}: start it with `mnemoscene serve` or `mnemoscene db start`"
        )
    file = None if settings.neo4j.uri else str(settings.data_dir / "password")
    return {"uri": server.uri, "user": server.user, "password_file": file}


def _require_local(settings: Settings, instead: str = "unset it to use the local Neo4j") -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(f"NEO4J_URI is {settings.neo4j.uri!r}: {instead}")
    return settings


def _table(document: dict[str, Any]) -> Columns:
    return Columns(rows=[("", [name, "-" if value is None else str(value)]) for name, value in document.items()])


_OWN_TOOL: Final = (
    "back up that server with its own tool (`neo4j-admin database dump`); `mnemoscene export --output FILE` writes one"
    " tenant of it. Unset NEO4J_URI for the local Neo4j"
)
FileArgument = Annotated[Path, typer.Argument(help="The backup file.", metavar="FILE", show_default=False)]


@command
def backup(call: Invocation, file: FileArgument) -> None:
    """Write the whole data directory (all tenants, keys, spool, audit log) to one file.

    The service may run meanwhile: then the file has an export of each tenant, as of one moment near the end.
    """
    from graph_service.admin.backup import back_up
    from graph_service.admin.store_export import export_store
    from graph_service.graph.local_neo4j.local_server import find_local_server

    settings = _require_local(call.settings, _OWN_TOOL)
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
    from graph_service.graph.local_neo4j.local_server import start_server

    settings = _require_local(call.settings, _OWN_TOOL)
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
    from graph_service.admin.backup import compact as compacted
    from graph_service.admin.backup import copy_store
    from graph_service.graph.local_neo4j.local_server import LocalServer, start_server
    from graph_service.runtime.service_registry import running_service

    settings = _require_local(call.settings, _OWN_TOOL)
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


def _summary(document: dict[str, Any], where: str) -> str:
    return f"{document['files']} files, {document['bytes'] / 1e6:.0f} MB, {where}"


spool = typer.Typer(help="Messages that wait on this machine's disk for Neo4j.", no_args_is_help=True)

NumberArgument = Annotated[int, typer.Argument(help="The number of a refused episode.", show_default=False)]
Action = Callable[["Spool", TenantId], Awaitable[None]]


@spool.command("list")
@command
async def list_spooled(call: Invocation) -> None:
    """List the waiting episodes, and those that Neo4j refused with the reasons."""
    await _change_spool(call, None)


@spool.command()
@command
async def pause(call: Invocation) -> None:
    """Stop writing spooled messages to Neo4j, even while it is available."""
    await _change_spool(call, lambda file, _tenant: file.pause(True))


@spool.command()
@command
async def resume(call: Invocation) -> None:
    """Allow writing to Neo4j again; a running service then writes the waiting episodes."""
    await _change_spool(call, lambda file, _tenant: file.pause(False))


@spool.command()
@command
async def retry(call: Invocation, number: NumberArgument) -> None:
    """Try a refused episode again."""
    await _change_spool(call, lambda file, tenant: file.retry(tenant, number))


@spool.command()
@command
async def drop(call: Invocation, number: NumberArgument) -> None:
    """Delete a refused episode; its messages are lost."""
    await _change_spool(call, lambda file, tenant: file.drop(tenant, number))


async def _change_spool(call: Invocation, action: Action | None) -> None:
    """Run `action`, then print the status of the spool."""
    from graph_service.runtime.spool_location import open_spool

    await event_loop()
    tenant, file = call.tenant, open_spool(call.settings)
    try:
        if action is not None:
            await action(file, tenant)
        status = await file.status(tenant)
    finally:
        await file.close()
    title = f"{status.depth.waiting} waiting, {status.depth.refused} refused{', paused' if status.paused else ''}"
    columns: Fields = {
        "number": "number",
        "state": "state",
        "received": "received_at",
        "user": "user_id",
        "session": "session_id",
        "first words": lambda row: " ".join(" ".join(row["texts"][:1]).split())[:60],
        "error": "error",
    }
    document = _spool_document(status)
    call.terminal.report(document, lambda: listing(document["episodes"], columns, title=title))


def _spool_document(status: "SpoolStatus") -> dict[str, Any]:
    return {
        "waiting": status.depth.waiting,
        "refused": status.depth.refused,
        "paused": status.paused,
        "episodes": [
            {
                "number": spooled.number,
                "state": spooled.state,
                "user_id": spooled.episode.user_id,
                "session_id": spooled.episode.session_id,
                "received_at": iso(spooled.episode.received_at),
                "error": spooled.error,
                "texts": [message.text for message in spooled.episode.messages],
            }
            for spooled in status.episodes
        ],
    }


@command
def doctor(
    call: Invocation,
    ask_model: Annotated[
        bool,
        typer.Option(
            "--ask-model",
            help="Also ask the configured model endpoints, and measure what the language model can do.",
        ),
    ] = False,
) -> None:
    """Check the installation and show how to fix problems; starts and changes nothing."""
    # Imports psutil and httpx, half a second.
    from graph_service.admin.doctor import examine, unreadable_settings

    try:
        checks = run(examine(call.settings, ask_endpoints=ask_model))
    except InstallError as error:
        checks = [unreadable_settings(error)]
    passed = all(check.ok is not False for check in checks)
    document = {"ok": passed, "checks": [asdict(check) for check in checks]}
    call.terminal.report(document, lambda: _check_table(checks))
    if not passed:
        raise typer.Exit(InstallError.exit_code)


def _check_table(checks: "list[Check]") -> Columns:
    rows: list[tuple[str, list[str]]] = []
    for check in checks:
        style, mark = {True: ("", "✓"), False: (RED, "✗"), None: (DIM, "·")}[check.ok]
        rows.append((style, [mark, check.name, check.finding]))
        if check.fix:
            rows.append((YELLOW, ["", "", f"→ {check.fix}"]))
    return Columns(rows=rows, styles=(GREEN,))
