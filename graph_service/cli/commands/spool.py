"""`mnemoscene spool`: manage the messages that wait on this machine's disk for Neo4j; works while Neo4j is down."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.ids import TenantId
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.ingest.spool import SpoolAdmin, SpoolStatus

spool = typer.Typer(help="Messages that wait on this machine's disk for Neo4j.", no_args_is_help=True)

NumberArgument = Annotated[int, typer.Argument(help="The number of a refused episode.", show_default=False)]
Action = Callable[["SpoolAdmin", TenantId], Awaitable[None]]


@spool.command("list")
@command
def list_spooled(call: Invocation) -> None:
    """List the waiting episodes, and those that Neo4j refused with the reasons."""
    run(_run(call, None))


@spool.command()
@command
def pause(call: Invocation) -> None:
    """Stop writing spooled messages to Neo4j, even while it is available."""
    run(_run(call, lambda admin, _tenant: admin.pause(True)))


@spool.command()
@command
def resume(call: Invocation) -> None:
    """Allow writing to Neo4j again; a running service then writes the waiting episodes."""
    run(_run(call, lambda admin, _tenant: admin.pause(False)))


@spool.command()
@command
def retry(call: Invocation, number: NumberArgument) -> None:
    """Try a refused episode again."""
    run(_run(call, lambda admin, tenant: admin.retry(tenant, number)))


@spool.command()
@command
def drop(call: Invocation, number: NumberArgument) -> None:
    """Delete a refused episode; its messages are lost."""
    run(_run(call, lambda admin, tenant: admin.drop(tenant, number)))


async def _run(call: Invocation, action: Action | None) -> None:
    """Run `action`, then print the status of the spool."""
    from graph_service.memory.ingest.spool import SpoolAdmin
    from graph_service.runtime.spool_location import open_spool

    tenant, file = call.tenant, open_spool(call.settings)
    try:
        admin = SpoolAdmin(file)
        if action is not None:
            await action(admin, tenant)
        status = await admin.status(tenant)
    finally:
        await file.close()
    call.terminal.report(_document(status), lambda: _table(status))


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
