"""`mnemoscene jobs`: list dead letters (jobs that failed too often), retry and cancel them."""

from typing import Annotated, Any, Final

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import service_of
from graph_service.cli.signals import run_client
from schema.errors import InputError

jobs = typer.Typer(help="Dead letters: background jobs that failed too often.", invoke_without_command=True)

_LETTERS: Final = "letters: deadLetters { nodes { id kind userId sessionId error attempts failedAt } }"
_SHOW: Final = f"{{ jobs: jobStatus {{ waiting leased dead }} {_LETTERS} }}"
_RETRY: Final = "mutation($ids: [ID!]) { retried: retryDeadLetters(ids: $ids) }"
_CANCEL: Final = "mutation($ids: [ID!]!) { cancelled: cancelJobs(ids: $ids) }"
IdsArgument = Annotated[list[str] | None, typer.Argument(help="Job ids.", show_default=False, metavar="[ID]...")]


@jobs.callback()
@command
def show(call: Invocation) -> None:
    """List the dead letters, latest first."""
    if call.subcommand is None:
        run_client(_show(call))


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
    run_client(_retry(call, ids or None))


@jobs.command()
@command
def cancel(
    call: Invocation,
    ids: Annotated[list[str], typer.Argument(help="Job ids.", show_default=False)],
) -> None:
    """Cancel jobs; the messages stay."""
    run_client(_cancel(call, ids))


async def _show(call: Invocation) -> None:
    async with service_of(call) as service:
        answer = await service.ask(_SHOW)
    letters, backlog = answer["letters"]["nodes"], answer["jobs"]
    call.terminal.answer(backlog | {"dead_letters": letters}, lambda: _table(letters, backlog))


async def _retry(call: Invocation, ids: list[str] | None) -> None:
    async with service_of(call) as service:
        retried = (await service.ask(_RETRY, ids=ids))["retried"]
        await service.finish_jobs(call.terminal)
        left = (await service.ask(_SHOW))["letters"]["nodes"]
    document = {"retried": retried, "dead_letters": left}
    call.terminal.answer(document, lambda: f"{retried} retried, {len(left)} dead letters")


async def _cancel(call: Invocation, ids: list[str]) -> None:
    async with service_of(call) as service:
        done = await service.ask(_CANCEL, ids=ids)
    call.terminal.answer(done, lambda: f"{done['cancelled']} cancelled")


def _table(letters: list[dict[str, Any]], backlog: dict[str, int]) -> Table:
    title = f"{backlog['waiting'] + backlog['leased']} waiting or running, {backlog['dead']} dead letters"
    table = Table(title=title, title_justify="left", box=None)
    for name in ("id", "job", "user", "session", "attempts", "last", "error"):
        table.add_column(name, overflow="fold")
    for letter in letters:
        owner = (letter["user_id"] or "", letter["session_id"] or "")
        attempts, last = str(letter["attempts"]), letter["failed_at"] or ""
        table.add_row(letter["id"], letter["kind"], *map(escape, owner), attempts, last, escape(letter["error"]))
    return table
