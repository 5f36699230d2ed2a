"""`mnemograph spool`: what waits on this machine's disk for Neo4j; works while Neo4j does not."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.ids import TenantId
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.ingest.spool import SpoolAdmin, SpoolStatus

spool = typer.Typer(help="What waits on this machine's disk for Neo4j.", no_args_is_help=True)

NumberArgument = Annotated[int, typer.Argument(help="The number of a refused episode.", show_default=False)]
Act = Callable[["SpoolAdmin", TenantId], Awaitable[None]]


@spool.command("list")
def list_spooled(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Show what waits, and what Neo4j refused and why."""
    _then_show(ctx, config, tenant, as_json, _nothing)


@spool.command()
def pause(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Keep everything on disk although Neo4j answers."""
    _then_show(ctx, config, tenant, as_json, lambda spool_admin, _tenant: spool_admin.pause(True))


@spool.command()
def resume(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Let what waits go to Neo4j again; a running service takes it there."""
    _then_show(ctx, config, tenant, as_json, lambda spool_admin, _tenant: spool_admin.pause(False))


@spool.command()
def retry(
    ctx: typer.Context,
    number: NumberArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a refused episode tried again."""
    _then_show(ctx, config, tenant, as_json, lambda spool_admin, whose: spool_admin.retry(whose, number))


@spool.command()
def drop(
    ctx: typer.Context,
    number: NumberArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give up a refused episode; what was said in it is gone."""
    _then_show(ctx, config, tenant, as_json, lambda spool_admin, whose: spool_admin.drop(whose, number))


async def _nothing(_spool_admin: "SpoolAdmin", _tenant: TenantId) -> None:
    """Listing changes nothing."""


def _then_show(ctx: typer.Context, config: Any, tenant: str | None, as_json: bool, act: Act) -> None:
    common = merged(ctx, config, tenant, as_json)
    run(_acted(settings_of(common), Terminal(as_json=common.as_json), act))


async def _acted(settings: Settings, terminal: Terminal, act: Act) -> None:
    from graph_service.memory.ingest.spool import SpoolAdmin
    from graph_service.runtime.spool_location import open_spool

    tenant, file = tenant_named(settings.tenant), open_spool(settings)
    try:
        spool_admin = SpoolAdmin(file)
        await act(spool_admin, tenant)
        status = await spool_admin.status(tenant)
    finally:
        await file.close()
    terminal.answer(_document(status), lambda: _table(status))


def _document(status: "SpoolStatus") -> dict[str, Any]:
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


def _table(status: "SpoolStatus") -> Table:
    depth, paused = status.depth, ", paused" if status.paused else ""
    table = Table(title=f"{depth.waiting} waiting, {depth.refused} refused{paused}", title_justify="left", box=None)
    for name in ("number", "state", "received", "user", "session", "first words", "error"):
        table.add_column(name, overflow="fold")
    for spooled in status.episodes:
        episode = spooled.episode
        words = " ".join(episode.messages[0].text.split())[:60]
        cells = (episode.user_id, episode.session_id, words, spooled.error or "")
        table.add_row(str(spooled.number), spooled.state, iso(episode.received_at), *map(escape, cells))
    return table
