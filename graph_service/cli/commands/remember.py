"""`mnemoscene remember`: store one message."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, UserOption, command, iso_time, one_of
from graph_service.cli.service_client import service_of
from schema.labels import Role

DEFAULT_SESSION = "cli"
_REMEMBER: Final = """
mutation($input: RememberInput!) { remember(input: $input) { stored repeated uris messageIds spooled } }
"""


@command
async def remember(
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
    message = {
        "role": one_of(Role, role, "--role").name,
        "text": text,
        "time": iso_time(time, "--time"),
        "speaker": speaker,
        "importance": importance,
        "tags": tag or [],
    }
    given = {"userId": user, "sessionId": session, "userName": name, "messages": [message]}
    async with service_of(call) as service:
        receipt = (await service.ask(_REMEMBER, input=given))["remember"]
        is_read = not no_wait and not receipt["spooled"]
        if is_read:
            await service.finish_jobs(call.terminal)
    document = {**receipt, "extracted": is_read}
    outcome = "stored" if receipt["stored"] else "already stored, nothing changed"
    if receipt["spooled"]:
        outcome = "Neo4j is unavailable; stored on this machine's disk until it is back"
    call.terminal.answer(document, lambda: f"{outcome}: {receipt['uris'][0]}")
