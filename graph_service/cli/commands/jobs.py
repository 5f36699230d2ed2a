"""`mnemograph jobs`: work that was given up, why, and how it is tried again or cancelled."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.errors import InputError
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.jobs.dead_letters import DeadLetter
    from graph_service.memory.jobs.outbox import Backlog

jobs = typer.Typer(help="Background work that was given up after too many failures.", invoke_without_command=True)

IdsArgument = Annotated[list[str] | None, typer.Argument(help="Ids of work.", show_default=False, metavar="[ID]...")]


@jobs.callback()
def show(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Show given up work, the latest first."""
    ctx.obj = merged(ctx, config, tenant, as_json)
    if ctx.invoked_subcommand is None:
        run(_shown(ctx.obj))


@jobs.command()
def retry(
    ctx: typer.Context,
    ids: IdsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="All given up work of the tenant.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Do given up work again, now."""
    if bool(ids) == everything:
        raise InputError("name the ids of work to do again, or say --all")
    run(_retried(merged(ctx, config, tenant, as_json), ids or None))


@jobs.command()
def cancel(
    ctx: typer.Context,
    ids: Annotated[list[str], typer.Argument(help="Ids of work.", show_default=False)],
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give up work for good; the messages stay."""
    run(_cancelled(merged(ctx, config, tenant, as_json), ids))


async def _shown(common: Common) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        letters, backlog = await parts.memory.dead_letters.listed(tenant), await parts.memory.backlog(tenant)
    document = asdict(backlog) | {"dead_letters": [_document(letter) for letter in letters]}
    terminal.answer(document, lambda: _table(letters, backlog))


async def _retried(common: Common, ids: list[str] | None) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        retried = await parts.memory.retry_work(tenant, ids)
        await read_everything(parts, tenant, terminal)
        left = await parts.memory.dead_letters.listed(tenant)
    document = {"retried": retried, "dead_letters": [_document(letter) for letter in left]}
    terminal.answer(document, lambda: f"{retried} tried again, {len(left)} given up")


async def _cancelled(common: Common, ids: list[str]) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        cancelled = await parts.memory.dead_letters.cancel(tenant, ids)
    terminal.answer({"cancelled": cancelled}, lambda: f"{cancelled} cancelled")


def _document(letter: "DeadLetter") -> dict[str, Any]:
    return asdict(letter) | {"failed_at": iso(letter.failed_at)}


def _table(letters: list["DeadLetter"], backlog: "Backlog") -> Table:
    title = f"{backlog.waiting + backlog.leased} waiting or under way, {backlog.dead} given up"
    table = Table(title=title, title_justify="left", box=None)
    for name in ("id", "work", "user", "session", "tries", "last", "error"):
        table.add_column(name, overflow="fold")
    for letter in letters:
        who = (letter.user_id or "", letter.session_id or "")
        tries, last = str(letter.attempts), iso(letter.failed_at) or ""
        table.add_row(letter.id, letter.kind, *map(escape, who), tries, last, escape(letter.error))
    return table
