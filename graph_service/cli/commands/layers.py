"""`mnemoscene layers`: print and create summaries of scenes and sessions."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run

layers = typer.Typer(help="Summaries of scenes and sessions: L0, L1, and the full text L2.", no_args_is_help=True)


@layers.command("show")
@command
def show(
    call: Invocation,
    uri: Annotated[
        str,
        typer.Argument(help="The URI of a scene, session, message, user or agent; may end in #L0.", show_default=False),
    ],
    after: Annotated[
        str | None, typer.Option(help="The cursor of the previous part of a long L2 text.", show_default=False)
    ] = None,
) -> None:
    """Print a text; create and store it first if it is missing."""
    run(_show(call, uri, after))


@layers.command("generate")
@command
def generate(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="Only this user's sessions.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session of the user.")] = None,
) -> None:
    """Create missing and outdated summaries of one session, of one user's sessions, or of all sessions."""
    run(_generate(call, user, session))


async def _show(call: Invocation, uri: str, after: str | None) -> None:
    async with open_for(call) as services:
        found = await services.memory.layers.layer(call.tenant, uri, after=after)
    call.terminal.answer(asdict(found), lambda: found.text)


async def _generate(call: Invocation, user: str | None, session: str | None) -> None:
    async with open_for(call) as services:
        report = await services.memory.layers.generate(call.tenant, user_id=user, session_id=session)
    line = f"{report.sessions} sessions: {report.created} created, {report.unchanged} unchanged, {report.failed} failed"
    call.terminal.answer(asdict(report), lambda: line)
