"""`mnemograph remember`: one thing that was said, into the memory."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.errors import InputError, UnavailableError
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.memory.ingest.validation import RememberRequest

DEFAULT_SESSION = "cli"


def remember(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="What was said.", show_default=False)],
    user: Annotated[str, typer.Option(help="Whose memory it is.", show_default=False)],
    session: Annotated[str, typer.Option(help="The conversation it belongs to.")] = DEFAULT_SESSION,
    role: Annotated[str, typer.Option(help="Who spoke: user, assistant, system or tool.")] = "user",
    time: Annotated[str | None, typer.Option(help="When it was said, ISO 8601; now if not given.")] = None,
    name: Annotated[str | None, typer.Option(help="How the user is called.")] = None,
    speaker: Annotated[str | None, typer.Option(help="The name of who spoke.")] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until facts were read from it.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store one message, and read the facts in it."""
    common = merged(ctx, config, tenant, as_json)
    from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest

    message = IncomingMessage(role=role, text=text, time=moment(time, "--time"), speaker=speaker)
    incoming = RememberRequest(user_id=user, session_id=session, user_name=name, messages=(message,))
    run(_remember(settings_of(common), incoming, Terminal(as_json=common.as_json), wait=not no_wait))


def moment(text: str | None, option: str) -> datetime | None:
    """Return the moment a text names.

    Raises:
        InputError: it is not ISO 8601.
    """
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{option} is {text!r}: write a day or a moment as 2026-01-31 or 2026-01-31T18:00Z") from error


async def _remember(settings: Settings, incoming: "RememberRequest", terminal: Terminal, *, wait: bool) -> None:
    tenant = tenant_named(settings.tenant)
    receipt = None
    try:
        async with opened(settings, terminal) as parts:
            receipt = await parts.memory.remember(tenant, incoming)
            if wait and not receipt.spooled:
                await read_everything(parts, tenant, terminal)
    except UnavailableError:
        if receipt is None:
            from graph_service.runtime.spool_location import remember_offline

            receipt = await remember_offline(settings, tenant, incoming)
        elif not receipt.spooled:
            raise
    document = {
        "stored": receipt.stored,
        "repeated": receipt.repeated,
        "uris": list(receipt.uris),
        "message_ids": list(receipt.message_ids),
        "spooled": receipt.spooled,
        "read": wait and not receipt.spooled,
    }
    what = "stored" if receipt.stored else "known already, nothing changed"
    if receipt.spooled:
        what = "Neo4j is away; kept on this machine's disk until it is back"
    terminal.answer(document, lambda: f"{what}: {receipt.uris[0]}")
