"""`mnemoscene facts`: show the validity and history of a fact, and reopen a closed one."""

from typing import Annotated, Any, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import ask_service

facts = typer.Typer(help="Show one fact's validity and history, and reopen it after it was closed.")

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The fact's id, as recall and the viewer show it.", show_default=False)
]
_CLOSING: Final = "closing { reason text factId messageId }"
_STATUS: Final = f"id statement validAt invalidAt holds {_CLOSING}"
_FACT: Final = f"query($id: String!) {{ fact(id: $id) {{ {_STATUS} }} }}"
_REOPEN: Final = (
    f"mutation($id: String!, $reason: String!) {{ fact: reopenFact(id: $id, reason: $reason) {{ {_STATUS} }} }}"
)
_HISTORY: Final = (
    "query($id: String!) { versions: factHistory(id: $id) { id uri statement subject predicate relation object"
    f" confidence strength validAt invalidAt knownAt closingKnownAt {_CLOSING} evidence }} }}"
)


@facts.command()
@command
async def show(call: Invocation, id_: IdArgument) -> None:
    """Show whether a fact is valid, and what closed it if it is not."""
    await _show(call, _FACT, id=id_)


@facts.command()
@command
async def history(call: Invocation, id_: IdArgument) -> None:
    """Show the earlier and later versions of a fact, and why each was closed."""
    answer = await ask_service(call, _HISTORY, id=id_)
    call.terminal.answer(answer, lambda: "\n".join(map(_line, answer["versions"])))


@facts.command()
@command
async def reopen(
    call: Invocation,
    id_: IdArgument,
    reason: Annotated[
        str, typer.Option(help="Why it is still valid; stored with the fact.")
    ] = "entered on the command line",
) -> None:
    """Make a closed fact valid again; the fact that closed it does not close it a second time."""
    await _show(call, _REOPEN, id=id_, reason=reason)


async def _show(call: Invocation, document: str, **variables: str) -> None:
    fact = (await ask_service(call, document, **variables))["fact"]
    call.terminal.answer(fact, lambda: _line(fact))


def _line(fact: dict[str, Any]) -> str:
    if fact["closing"] is None:
        return f"{fact['statement']}\nvalid since {fact['valid_at']}"
    begin = fact["valid_at"] or "an unknown time"
    return f"{fact['statement']}\nvalid from {begin} to {fact['invalid_at']}: {fact['closing']['text']}"
