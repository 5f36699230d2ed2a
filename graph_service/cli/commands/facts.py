"""`mnemograph facts`: show the validity and history of a fact, and reopen a closed one."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.curation.fact_history import FactVersion
    from graph_service.memory.curation.reopening import FactStatus
    from graph_service.memory.service import Memory
    from schema.ids import TenantId

facts = typer.Typer(help="Show one fact's validity and history, and reopen it after it was closed.")

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The fact's id, as recall and the viewer show it.", show_default=False)
]
Action = Callable[["Memory", "TenantId"], Awaitable["FactStatus"]]


@facts.command()
@command
def show(call: Invocation, id_: IdArgument) -> None:
    """Show whether a fact is valid, and what closed it if it is not."""
    run(_show(call, lambda memory, tenant: memory.facts.standing(tenant, id_)))


@facts.command()
@command
def history(call: Invocation, id_: IdArgument) -> None:
    """Show the earlier and later versions of a fact, and why each was closed."""
    run(_history(call, id_))


@facts.command()
@command
def reopen(
    call: Invocation,
    id_: IdArgument,
    reason: Annotated[str, typer.Option(help="Why it is still valid; stored for people.")] = "told on the command line",
) -> None:
    """Make a closed fact valid again; the fact that closed it does not close it a second time."""
    run(_show(call, lambda memory, tenant: memory.facts.reopen(tenant, id_, reason)))


async def _show(call: Invocation, action: Action) -> None:
    async with open_for(call) as services:
        status = await action(services.memory, call.tenant)
    call.terminal.answer(_document(status), lambda: _line(status))


async def _history(call: Invocation, fact_id: str) -> None:
    async with open_for(call) as services:
        versions = await services.memory.facts.history(call.tenant, fact_id)
    document = {"versions": [_document(one) for one in versions]}
    call.terminal.answer(document, lambda: "\n".join(_line(one) for one in versions))


def _document(one: "FactStatus | FactVersion") -> dict[str, Any]:
    closing = one.closing.model_dump(mode="json") if one.closing else None
    values = asdict(one) | {"closing": closing}
    return {name: iso(value) if isinstance(value, datetime) else value for name, value in values.items()}


def _line(one: "FactStatus | FactVersion") -> str:
    if one.closing is None:
        return f"{one.statement}\nvalid since {iso(one.valid_at)}"
    return f"{one.statement}\nvalid from {iso(one.valid_at)} to {iso(one.invalid_at)}: {one.closing.text}"
