"""`mnemoscene jobs`: list dead letters (jobs that failed too often), retry and cancel them."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import ask_service, service_of
from graph_service.observability.columns import Fields, listing
from schema.errors import InputError

jobs = typer.Typer(help="Dead letters: background jobs that failed too often.", invoke_without_command=True)

_LETTERS: Final = "letters: deadLetters { nodes { id kind userId sessionId error attempts failedAt } }"
_SHOW: Final = f"{{ jobs: jobStatus {{ waiting leased dead }} {_LETTERS} }}"
_RETRY: Final = "mutation($ids: [ID!]) { retried: retryDeadLetters(ids: $ids) }"
_CANCEL: Final = "mutation($ids: [ID!]!) { cancelled: cancelJobs(ids: $ids) }"
IdsArgument = Annotated[list[str] | None, typer.Argument(help="Job ids.", show_default=False, metavar="[ID]...")]


@jobs.callback()
@command
async def show(call: Invocation) -> None:
    """List the dead letters, latest first."""
    if call.subcommand is not None:
        return
    answer = await ask_service(call, _SHOW)
    letters, backlog = answer["letters"]["nodes"], answer["jobs"]
    columns: Fields = {
        "id": "id",
        "job": "kind",
        "user": "user_id",
        "session": "session_id",
        "attempts": "attempts",
        "last": "failed_at",
        "error": "error",
    }
    title = f"{backlog['waiting'] + backlog['leased']} waiting or running, {backlog['dead']} dead letters"
    call.terminal.answer(backlog | {"dead_letters": letters}, lambda: listing(letters, columns, title=title))


@jobs.command()
@command
async def retry(
    call: Invocation,
    ids: IdsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead letters of the tenant.")] = False,
) -> None:
    """Run dead letters again, now."""
    if bool(ids) == everything:
        raise InputError("name the ids of the jobs to retry, or use --all")
    async with service_of(call) as service:
        retried = (await service.ask(_RETRY, ids=ids or None))["retried"]
        await service.finish_jobs(call.terminal)
        left = (await service.ask(_SHOW))["letters"]["nodes"]
    document = {"retried": retried, "dead_letters": left}
    call.terminal.answer(document, lambda: f"{retried} retried, {len(left)} dead letters")


@jobs.command()
@command
async def cancel(
    call: Invocation,
    ids: Annotated[list[str], typer.Argument(help="Job ids.", show_default=False)],
) -> None:
    """Cancel jobs; the messages stay."""
    done = await ask_service(call, _CANCEL, ids=ids)
    call.terminal.answer(done, lambda: f"{done['cancelled']} cancelled")
