"""`mnemoscene jobs`: list dead letters (jobs that failed too often), retry and cancel them."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import finish_jobs, open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.errors import InputError
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.jobs.dead_letters import DeadLetter
    from graph_service.memory.jobs.outbox import Backlog

jobs = typer.Typer(help="Dead letters: background jobs that failed too often.", invoke_without_command=True)

IdsArgument = Annotated[list[str] | None, typer.Argument(help="Job ids.", show_default=False, metavar="[ID]...")]


@jobs.callback()
@command
def show(call: Invocation) -> None:
    """List the dead letters, latest first."""
    if call.subcommand is None:
        run(_show(call))


@jobs.command()
@command
def retry(
    call: Invocation,
    ids: IdsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead letters of the tenant.")] = False,
) -> None:
    """Run dead letters again, now."""
    if bool(ids) == everything:
        raise InputError("name the ids of the jobs to retry, or use --all")
    run(_retry(call, ids or None))


@jobs.command()
@command
def cancel(
    call: Invocation,
    ids: Annotated[list[str], typer.Argument(help="Job ids.", show_default=False)],
) -> None:
    """Cancel jobs; the messages stay."""
    run(_cancel(call, ids))


async def _show(call: Invocation) -> None:
    async with open_for(call) as services:
        letters = await services.memory.dead_letters.listed(call.tenant)
        backlog = await services.memory.backlog(call.tenant)
    document = asdict(backlog) | {"dead_letters": [_document(letter) for letter in letters]}
    call.terminal.answer(document, lambda: _table(letters, backlog))


async def _retry(call: Invocation, ids: list[str] | None) -> None:
    async with open_for(call) as services:
        retried = await services.memory.retry_jobs(call.tenant, ids)
        await finish_jobs(services, call.tenant, call.terminal)
        left = await services.memory.dead_letters.listed(call.tenant)
    document = {"retried": retried, "dead_letters": [_document(letter) for letter in left]}
    call.terminal.answer(document, lambda: f"{retried} retried, {len(left)} dead letters")


async def _cancel(call: Invocation, ids: list[str]) -> None:
    async with open_for(call) as services:
        cancelled = await services.memory.dead_letters.cancel(call.tenant, ids)
    call.terminal.answer({"cancelled": cancelled}, lambda: f"{cancelled} cancelled")


def _document(letter: "DeadLetter") -> dict[str, Any]:
    return asdict(letter) | {"failed_at": iso(letter.failed_at)}


def _table(letters: list["DeadLetter"], backlog: "Backlog") -> Table:
    title = f"{backlog.waiting + backlog.leased} waiting or running, {backlog.dead} dead letters"
    table = Table(title=title, title_justify="left", box=None)
    for name in ("id", "job", "user", "session", "attempts", "last", "error"):
        table.add_column(name, overflow="fold")
    for letter in letters:
        owner = (letter.user_id or "", letter.session_id or "")
        attempts, last = str(letter.attempts), iso(letter.failed_at) or ""
        table.add_row(letter.id, letter.kind, *map(escape, owner), attempts, last, escape(letter.error))
    return table
