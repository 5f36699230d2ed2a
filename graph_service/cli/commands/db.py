"""`mnemograph db`: the local Neo4j by itself, for people who ask it in Cypher."""

import asyncio
from typing import Any

import psutil
import typer
from rich.table import Table

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import Stops, run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from schema.errors import ConflictError, InstallError, NotFoundError

db = typer.Typer(help="The local Neo4j: start, stop, and how to reach it.", no_args_is_help=True)

STOP_MAX_S = 45.0


@db.command()
def start(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Start the local Neo4j without the service; keeps running until Ctrl-C."""
    common = merged(ctx, config, tenant, as_json)
    settings = _local_settings(settings_of(common))
    stops = Stops()
    run(_keep_running(settings, Terminal(as_json=common.as_json), stops), stops)


@db.command()
def stop(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Stop the local Neo4j, together with the process that started it."""
    from graph_service.graph.local.owner import read_owner

    common = merged(ctx, config, tenant, as_json)
    settings = _local_settings(settings_of(common))
    owner = read_owner(settings.data_dir)
    process = owner.starter.process() if owner and owner.in_use() else None
    if owner is None or process is None:
        raise NotFoundError(f"no local Neo4j runs in {settings.data_dir}")
    who = owner.description()
    process.terminate()
    try:
        process.wait(STOP_MAX_S)
    except psutil.TimeoutExpired as error:
        raise ConflictError(f"{who} did not stop within {STOP_MAX_S:g} s; end it by hand") from error
    Terminal(as_json=common.as_json).answer({"stopped": who}, lambda: f"stopped {who}")


@db.command()
def status(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Whether a Neo4j runs, and whose it is."""
    from graph_service.graph.local.owner import read_owner

    common = merged(ctx, config, tenant, as_json)
    settings = settings_of(common)
    owner = None if settings.neo4j.uri else read_owner(settings.data_dir)
    running = owner is not None and owner.in_use()
    document = {
        "kind": "given" if settings.neo4j.uri else "local",
        "running": None if settings.neo4j.uri else running,
        "uri": settings.neo4j.uri or (owner.uri if owner and running else None),
        "data_dir": None if settings.neo4j.uri else str(settings.data_dir),
        "owner": owner.description() if owner and running else None,
    }
    Terminal(as_json=common.as_json).answer(document, lambda: _table(document))


@db.command()
def uri(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """How to log in: address, user, and the file that holds the password."""
    common = merged(ctx, config, tenant, as_json)
    document = _log_in(settings_of(common))
    Terminal(as_json=common.as_json).answer(document, lambda: _table(document))


@db.command("shell-hint")
def shell_hint(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """A command line that opens Neo4j's own shell on this database."""
    common = merged(ctx, config, tenant, as_json)
    found = _log_in(settings_of(common))
    secret = f'"$(cat {found["password_file"]})"' if found["password_file"] else '"$NEO4J_PASSWORD"'
    line = f"cypher-shell -a {found['uri']} -u {found['user']} -p {secret} --access-mode read"
    Terminal(as_json=common.as_json).answer({"command": line}, lambda: line)


async def _keep_running(settings: Settings, terminal: Terminal, stops: Stops) -> None:
    from graph_service.runtime.local_neo4j import start_server

    stopped = asyncio.Event()
    with Steps(terminal) as steps:
        server = await start_server(settings, steps, lasting=True)
    try:
        if not server.owned:
            raise ConflictError(f"it runs already at {server.uri}; `mnemograph db status` says who started it")
        document = _log_in(settings)
        terminal.answer(document, lambda: _table(document))
        terminal.say("Ctrl-C stops it.")
        with stops.told(stopped.set):
            await stopped.wait()
    finally:
        await server.stop()


def _log_in(settings: Settings) -> dict[str, Any]:
    from graph_service.runtime.local_neo4j import known_server

    server = known_server(settings)
    if server is None:
        raise NotFoundError(
            f"no local Neo4j runs in {settings.data_dir}: start it with `mnemograph serve` or `db start`"
        )
    file = None if settings.neo4j.uri else str(settings.data_dir / "password")
    return {"uri": server.uri, "user": server.user, "password_file": file}


def _local_settings(settings: Settings) -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(f"NEO4J_URI is {settings.neo4j.uri!r}: unset it to use the local Neo4j")
    return settings


def _table(document: dict[str, Any]) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in document.items():
        table.add_row(name, "-" if value is None else str(value))
    return table
