"""`mnemograph sessions`: conversations of a user, where they stand, and their end."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from schema.session import SessionView

sessions = typer.Typer(help="Conversations of a user and where they stand.", no_args_is_help=True)

UserOption = Annotated[str, typer.Option(help="Whose sessions.", show_default=False)]


@sessions.command("list")
def list_sessions(
    ctx: typer.Context,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="How many at most, 1 to 100.")] = 50,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions of a user, the latest first."""
    common = merged(ctx, config, tenant, as_json)
    run(_list(settings_of(common), user, limit, Terminal(as_json=common.as_json)))


@sessions.command("close")
def close(
    ctx: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id.", show_default=False)],
    user: UserOption,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a session, and wait until everything in it is read."""
    common = merged(ctx, config, tenant, as_json)
    run(_close(settings_of(common), user, session, Terminal(as_json=common.as_json)))


async def _list(settings: Settings, user: str, limit: int, terminal: Terminal) -> None:
    async with opened(settings, terminal) as parts:
        found = await parts.memory.sessions.latest(tenant_named(settings.tenant), user, limit=limit)
    terminal.answer(
        {"sessions": [_document(view) for view in found]},
        lambda: "\n".join(map(_line, found)) or f"user {user!r} has no sessions",
    )


async def _close(settings: Settings, user: str, session: str, terminal: Terminal) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        await parts.memory.sessions.close(tenant, user, session)
        await read_everything(parts, tenant, terminal)
        view = await parts.memory.sessions.one(tenant, user, session)
    terminal.answer(_document(view), lambda: _line(view))


def _document(view: "SessionView") -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in asdict(view).items()}


def _line(view: "SessionView") -> str:
    said = f"{view.messages} messages, {view.scenes} scenes"
    problem = f"; {view.problem}" if view.problem else ""
    return f"{view.session_id}: {view.state}, {said}, last message {view.last_at:%Y-%m-%d %H:%M}{problem}"
