"""`mnemograph layers`: the texts of scenes and sessions, shorter and longer."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.tenant_name import tenant_named

layers = typer.Typer(help="Texts of scenes and sessions: L0, L1, L2.", no_args_is_help=True)


@layers.command("show")
def show(
    ctx: typer.Context,
    uri: Annotated[str, typer.Argument(help="Of a scene, session or message; may end in #L0.", show_default=False)],
    after: Annotated[str | None, typer.Option(help="Where the L2 text before was cut.", show_default=False)] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a text; a missing one is made and stored."""
    common = merged(ctx, config, tenant, as_json)
    run(_show(settings_of(common), uri, after, Terminal(as_json=common.as_json)))


@layers.command("generate")
def generate(
    ctx: typer.Context,
    user: Annotated[str | None, typer.Option(help="Only this user's sessions.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session of the user.")] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the missing texts of a session, of a user's, or of all."""
    common = merged(ctx, config, tenant, as_json)
    run(_generate(settings_of(common), user, session, Terminal(as_json=common.as_json)))


async def _show(settings: Settings, uri: str, after: str | None, terminal: Terminal) -> None:
    async with opened(settings, terminal) as parts:
        found = await parts.memory.layers.layer(tenant_named(settings.tenant), uri, after=after)
    terminal.answer(asdict(found), lambda: found.text)


async def _generate(settings: Settings, user: str | None, session: str | None, terminal: Terminal) -> None:
    async with opened(settings, terminal) as parts:
        report = await parts.memory.layers.generate(tenant_named(settings.tenant), user_id=user, session_id=session)
    said = f"{report.sessions} sessions: {report.made} made, {report.kept} unchanged, {report.failed} failed"
    terminal.answer(asdict(report), lambda: said)
