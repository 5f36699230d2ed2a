"""`mnemoscene quarantine`: stop reads or writes of a tenant, and allow them again."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.open_services import note_in_audit_log, open_for
from graph_service.cli.options import Invocation, command, one_of
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.auth.quarantine import QuarantineState

quarantine = typer.Typer(
    help="Refuse requests to a tenant while you find out what happened; nothing is deleted.", no_args_is_help=True
)


@quarantine.command("begin")
@command
async def begin(
    call: Invocation,
    reason: Annotated[str, typer.Argument(help="The reason, shown to other administrators.", show_default=False)],
    mode: Annotated[
        str,
        typer.Option(help="closed: refuse reads and writes; read_only: refuse writes; embedding: pause only that."),
    ] = "closed",
) -> None:
    """Put the tenant into quarantine; running services follow within seconds."""
    from graph_service.auth.quarantine import QuarantineMode

    chosen = one_of(QuarantineMode, mode, "--mode")
    async with open_for(call) as services:
        state = await services.quarantine.begin(call.tenant, chosen, reason)
    await note_in_audit_log(call.settings, "quarantine begin", tenant=call.tenant)
    _answer(call, state)


@quarantine.command("end")
@command
async def end(call: Invocation) -> None:
    """End the quarantine of the tenant."""
    async with open_for(call) as services:
        was = await services.quarantine.end(call.tenant)
    await note_in_audit_log(call.settings, "quarantine end", tenant=call.tenant)
    call.terminal.answer({"ended": was}, lambda: "ended" if was else "there was no quarantine")


@quarantine.command("show")
@command
async def show(call: Invocation) -> None:
    """Show the quarantine of the tenant, if there is one."""
    async with open_for(call) as services:
        await services.quarantine.load()
        state = services.quarantine.of(call.tenant)
    _answer(call, state)


def _answer(call: Invocation, state: "QuarantineState | None") -> None:
    if state is None:
        call.terminal.answer({"mode": None}, lambda: "not in quarantine")
        return
    document = {"mode": state.mode, "reason": state.reason, "since": iso(state.since)}
    call.terminal.answer(document, lambda: f"{state.mode} since {iso(state.since)}: {state.reason}")
