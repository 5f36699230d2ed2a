"""`mnemoscene layers`: print and create summaries of scenes and sessions."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import service_of
from graph_service.cli.signals import run_client

layers = typer.Typer(help="Summaries of scenes and sessions: L0, L1, and the full text L2.", no_args_is_help=True)
_LAYER: Final = """
query($uri: String!, $after: String) {
  layer(uri: $uri, after: $after) {
    uri level title text generatedBy tokens nextCursor start end mentionedStart mentionedEnd zone emotion participants
    anchors { text uri }
  }
}
"""
_GENERATE: Final = """
mutation($user: String, $session: String) {
  done: generateLayers(userId: $user, sessionId: $session) { sessions created unchanged failed }
}
"""


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
    run_client(_show(call, uri, after))


@layers.command("generate")
@command
def generate(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="Only this user's sessions.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session of the user.")] = None,
) -> None:
    """Create missing and outdated summaries of one session, of one user's sessions, or of all sessions."""
    run_client(_generate(call, user, session))


async def _show(call: Invocation, uri: str, after: str | None) -> None:
    async with service_of(call) as service:
        found = (await service.ask(_LAYER, uri=uri, after=after))["layer"]
    call.terminal.answer(found, lambda: found["text"])


async def _generate(call: Invocation, user: str | None, session: str | None) -> None:
    async with service_of(call) as service:
        done = (await service.ask(_GENERATE, user=user, session=session))["done"]
    counts = f"{done['created']} created, {done['unchanged']} unchanged, {done['failed']} failed"
    call.terminal.answer(done, lambda: f"{done['sessions']} sessions: {counts}")
