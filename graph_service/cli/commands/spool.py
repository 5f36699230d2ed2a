"""`mnemoscene spool`: manage the messages that wait on this machine's disk for Neo4j; works while Neo4j is down."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import event_loop
from graph_service.observability.columns import Fields, listing
from schema.ids import TenantId
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.ingest.spool import Spool, SpoolStatus

spool = typer.Typer(help="Messages that wait on this machine's disk for Neo4j.", no_args_is_help=True)

NumberArgument = Annotated[int, typer.Argument(help="The number of a refused episode.", show_default=False)]
Action = Callable[["Spool", TenantId], Awaitable[None]]


@spool.command("list")
@command
async def list_spooled(call: Invocation) -> None:
    """List the waiting episodes, and those that Neo4j refused with the reasons."""
    await _run(call, None)


@spool.command()
@command
async def pause(call: Invocation) -> None:
    """Stop writing spooled messages to Neo4j, even while it is available."""
    await _run(call, lambda file, _tenant: file.pause(True))


@spool.command()
@command
async def resume(call: Invocation) -> None:
    """Allow writing to Neo4j again; a running service then writes the waiting episodes."""
    await _run(call, lambda file, _tenant: file.pause(False))


@spool.command()
@command
async def retry(call: Invocation, number: NumberArgument) -> None:
    """Try a refused episode again."""
    await _run(call, lambda file, tenant: file.retry(tenant, number))


@spool.command()
@command
async def drop(call: Invocation, number: NumberArgument) -> None:
    """Delete a refused episode; its messages are lost."""
    await _run(call, lambda file, tenant: file.drop(tenant, number))


async def _run(call: Invocation, action: Action | None) -> None:
    """Run `action`, then print the status of the spool."""
    from graph_service.runtime.spool_location import open_spool

    await event_loop()
    tenant, file = call.tenant, open_spool(call.settings)
    try:
        if action is not None:
            await action(file, tenant)
        status = await file.status(tenant)
    finally:
        await file.close()
    title = f"{status.depth.waiting} waiting, {status.depth.refused} refused{', paused' if status.paused else ''}"
    columns: Fields = {
        "number": "number",
        "state": "state",
        "received": "received_at",
        "user": "user_id",
        "session": "session_id",
        "first words": lambda row: " ".join(" ".join(row["texts"][:1]).split())[:60],
        "error": "error",
    }
    document = _document(status)
    call.terminal.report(document, lambda: listing(document["episodes"], columns, title=title))


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
