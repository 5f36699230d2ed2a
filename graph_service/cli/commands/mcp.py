"""`mnemoscene mcp`: serve the memory to one agent over standard input and output."""

from typing import Annotated

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from graph_service.config.sections import Aliases, ToolSet


@command
def mcp(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="The user of calls that do not name one.")] = None,
    tools: Annotated[
        ToolSet | None, typer.Option(help="List five tools (core, the default), or all.", show_default=False)
    ] = None,
    aliases: Annotated[
        Aliases | None, typer.Option(help="Offer the tools of another memory server instead.", show_default=False)
    ] = None,
) -> None:
    """Serve MCP on standard input and output, through a running service or on its own."""
    settings = call.settings_with(mcp__user=user, mcp__tools=tools, mcp__aliases=aliases)
    from graph_service.cli.mcp_backends import serve

    run(serve(settings, call.terminal))
