"""`mnemograph facts`: whether a fact holds and why not, its history, and reopening one that was closed."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import opened
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.curation.fact_history import FactVersion
    from graph_service.memory.curation.reopening import FactStatus
    from graph_service.memory.service import Memory
    from schema.ids import TenantId

facts = typer.Typer(help="Single facts: whether they hold, why not, their history, and reopening what was closed.")

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As recall and the map name it.", show_default=False)]
Ask = Callable[["Memory", "TenantId"], Awaitable["FactStatus"]]


@facts.command()
def show(
    ctx: typer.Context,
    id_: IdArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show whether a fact holds, and what closed it if it does not."""
    run(_told(merged(ctx, config, tenant, as_json), lambda memory, whose: memory.facts.standing(whose, id_)))


@facts.command()
def history(
    ctx: typer.Context,
    id_: IdArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what held of the same before and after a fact, and why each ceased to hold."""
    run(_history(merged(ctx, config, tenant, as_json), id_))


@facts.command()
def reopen(
    ctx: typer.Context,
    id_: IdArgument,
    reason: Annotated[str, typer.Option(help="Why it still holds, for people.")] = "told on the command line",
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a closed fact hold again; what closed it closes it no more."""
    run(_told(merged(ctx, config, tenant, as_json), lambda memory, whose: memory.facts.reopen(whose, id_, reason)))


async def _told(common: Common, ask: Ask) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        standing = await ask(parts.memory, tenant)
    terminal.answer(_document(standing), lambda: _line(standing))


async def _history(common: Common, fact_id: str) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        versions = await parts.memory.facts.history(tenant, fact_id)
    document = {"versions": [_document(one) for one in versions]}
    terminal.answer(document, lambda: "\n".join(_line(one) for one in versions))


def _document(one: "FactStatus | FactVersion") -> dict[str, Any]:
    closing = one.closing.model_dump(mode="json") if one.closing else None
    values = asdict(one) | {"closing": closing}
    return {name: iso(value) if isinstance(value, datetime) else value for name, value in values.items()}


def _line(one: "FactStatus | FactVersion") -> str:
    if one.closing is None:
        return f"{one.statement}\nholds since {iso(one.valid_at)}"
    return f"{one.statement}\nheld from {iso(one.valid_at)} to {iso(one.invalid_at)}: {one.closing.text}"
