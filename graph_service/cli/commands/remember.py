"""`mnemoscene remember`: store one message."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.open_services import finish_jobs, open_for
from graph_service.cli.options import Invocation, UserOption, command, parse_time
from graph_service.cli.signals import run
from schema.errors import UnavailableError
from schema.importance import importance_given

if TYPE_CHECKING:
    from graph_service.memory.ingest.validation import RememberRequest

DEFAULT_SESSION = "cli"


@command
def remember(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="The text of the message.", show_default=False)],
    user: UserOption,
    session: Annotated[str, typer.Option(help="The session it belongs to.")] = DEFAULT_SESSION,
    role: Annotated[str, typer.Option(help="The speaker's role: user, assistant, system, tool or event.")] = "user",
    time: Annotated[str | None, typer.Option(help="The time it was said, ISO 8601; now by default.")] = None,
    name: Annotated[str | None, typer.Option(help="The user's name.")] = None,
    speaker: Annotated[str | None, typer.Option(help="The speaker's name; of an event, who took part.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="A label by which `recall --tag` finds it; may be repeated.")
    ] = None,
    importance: Annotated[
        str | None, typer.Option(help="1 to 10, or low, medium, high, critical; by the text by default.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until its facts are extracted.")] = False,
) -> None:
    """Store one message, and extract the facts in it."""
    from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest

    said_at = parse_time(time, "--time")
    message = IncomingMessage(
        role=role,
        text=text,
        time=said_at,
        speaker=speaker,
        importance=None if importance is None else importance_given(importance),
        tags=tuple(tag or ()),
    )
    request = RememberRequest(user_id=user, session_id=session, user_name=name, messages=(message,))
    run(_remember(call, request, wait=not no_wait))


async def _remember(call: Invocation, request: "RememberRequest", *, wait: bool) -> None:
    receipt = None
    try:
        async with open_for(call) as services:
            receipt = await services.memory.remember(call.tenant, request)
            if wait and not receipt.spooled:
                await finish_jobs(services, call.tenant, call.terminal)
    except UnavailableError:
        if receipt is None:
            from graph_service.runtime.spool_location import remember_offline

            receipt = await remember_offline(call.settings, call.tenant, request)
        elif not receipt.spooled:
            raise
    document = {
        "stored": receipt.stored,
        "repeated": receipt.repeated,
        "uris": list(receipt.uris),
        "message_ids": list(receipt.message_ids),
        "spooled": receipt.spooled,
        "extracted": wait and not receipt.spooled,
    }
    outcome = "stored" if receipt.stored else "already stored, nothing changed"
    if receipt.spooled:
        outcome = "Neo4j is unavailable; stored on this machine's disk until it is back"
    call.terminal.answer(document, lambda: f"{outcome}: {receipt.uris[0]}")
