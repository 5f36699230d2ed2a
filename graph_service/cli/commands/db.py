"""`mnemoscene db`: start, stop and find the local Neo4j."""

import asyncio
from typing import Any

import psutil
import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import StopSignals, run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.observability.columns import Columns
from schema.errors import ConflictError, InstallError, NotFoundError

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
    from graph_service.runtime.local_neo4j import start_server

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
    from graph_service.runtime.local_neo4j import known_server

    server = known_server(settings)
    if server is None:
        raise NotFoundError(
            f"no local Neo4j runs in {settings.data_dir}: start it with `mnemoscene serve` or `mnemoscene db start`"
        )
    file = None if settings.neo4j.uri else str(settings.data_dir / "password")
    return {"uri": server.uri, "user": server.user, "password_file": file}


def _require_local(settings: Settings) -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(f"NEO4J_URI is {settings.neo4j.uri!r}: unset it to use the local Neo4j")
    return settings


def _table(document: dict[str, Any]) -> Columns:
    return Columns(rows=[("", [name, "-" if value is None else str(value)]) for name, value in document.items()])
