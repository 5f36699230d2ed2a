"""`mnemograph mcp`: the memory for one agent over standard input and output."""

from typing import Annotated

import typer

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.sections import Aliases


def mcp(
    ctx: typer.Context,
    user: Annotated[str | None, typer.Option(help="Whose memory is meant when a call does not say it.")] = None,
    aliases: Annotated[
        Aliases | None, typer.Option(help="Offer the tool names of another memory server, too.", show_default=False)
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="The service to ask, http://host:port; the one of this machine if not given.")
    ] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Serve MCP on standard input and output: asks the service that runs, or does the work itself."""
    common = merged(ctx, config, tenant, as_json)
    settings = settings_of(common, mcp__user=user, mcp__aliases=aliases, mcp__url=url)
    from graph_service.cli.mcp_backends import serve

    run(serve(settings, Terminal(as_json=common.as_json)))
