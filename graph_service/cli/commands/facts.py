"""`mnemoscene facts`: show the validity and history of a fact, and reopen a closed one."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.curation.facts import FactStatus, FactVersion
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
    run(_show(call, lambda memory, tenant: memory.facts.status(tenant, id_)))


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
    reason: Annotated[
        str, typer.Option(help="Why it is still valid; stored with the fact.")
    ] = "entered on the command line",
) -> None:
    """Make a closed fact valid again; the fact that closed it does not close it a second time."""
    run(_show(call, lambda memory, tenant: memory.facts.reopen(tenant, id_, reason)))


async def _show(call: Invocation, action: Action) -> None:
    async with open_for(call) as services:
        status = await action(services.memory, call.tenant)
    call.terminal.answer(_status_document(status), lambda: _line(status))


async def _history(call: Invocation, fact_id: str) -> None:
    async with open_for(call) as services:
        versions = await services.memory.facts.history(call.tenant, fact_id)
    document = {"versions": [_version_document(one) for one in versions]}
    call.terminal.answer(document, lambda: "\n".join(_line(one) for one in versions))


def _status_document(one: "FactStatus") -> dict[str, Any]:
    fact = one.fact
    return {
        "id": fact.id,
        "statement": fact.statement,
        "valid_at": iso(fact.begin),
        "invalid_at": iso(fact.invalid_at),
        "holds": one.holds,
        "closing": one.closing.model_dump(mode="json") if one.closing else None,
    }


def _version_document(one: "FactVersion") -> dict[str, Any]:
    fact = one.fact
    return {
        "id": fact.id,
        "uri": fact.uri,
        "statement": fact.statement,
        "subject": one.subject,
        "predicate": fact.predicate,
        "relation": fact.relation,
        "object": one.object,
        "confidence": fact.confidence,
        "strength": fact.strength,
        "valid_at": iso(fact.begin),
        "invalid_at": iso(fact.invalid_at),
        "known_at": iso(one.known_at),
        "closing_known_at": iso(fact.closing_known_at),
        "closing": one.closing.model_dump(mode="json") if one.closing else None,
        "evidence": fact.evidence,
    }


def _line(one: "FactStatus | FactVersion") -> str:
    fact = one.fact
    if one.closing is None:
        return f"{fact.statement}\nvalid since {iso(fact.valid_at)}"
    begin = iso(fact.begin) or "an unknown time"
    return f"{fact.statement}\nvalid from {begin} to {iso(fact.invalid_at)}: {one.closing.text}"
