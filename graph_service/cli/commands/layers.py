"""`mnemoscene layers`: print and create summaries of scenes and sessions."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import ask_service

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
async def show(
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
    found = (await ask_service(call, _LAYER, uri=uri, after=after))["layer"]
    call.terminal.answer(found, lambda: found["text"])


@layers.command("generate")
@command
async def generate(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="Only this user's sessions.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session of the user.")] = None,
) -> None:
    """Create missing and outdated summaries of one session, of one user's sessions, or of all sessions."""
    done = (await ask_service(call, _GENERATE, user=user, session=session))["done"]
    counts = f"{done['created']} created, {done['unchanged']} unchanged, {done['failed']} failed"
    call.terminal.answer(done, lambda: f"{done['sessions']} sessions: {counts}")
