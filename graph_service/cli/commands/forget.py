"""`mnemograph forget`: takes what was said or learned out of a memory, with all that follows from it."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.ids import TenantId
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.memory.forgetting.commit import ForgetResult
    from graph_service.memory.forgetting.service import Forgetting

forget = typer.Typer(help="Take something out of a memory, with all that follows from it.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(help="Its id or its URI.", show_default=False)]
Act = Callable[["Forgetting", TenantId], Awaitable["ForgetResult"]]


@forget.command()
def message(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002  the command's word
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a message, as if it had never been said."""
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.message(whose, id))


@forget.command()
def scene(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002  the command's word
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a scene and everything that was said in it."""
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.scene(whose, id))


@forget.command()
def session(
    ctx: typer.Context,
    session_id: Annotated[str, typer.Argument(help="The session's id.", show_default=False, metavar="ID")],
    user: Annotated[str, typer.Option(help="Whose session.", show_default=False)],
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a session and everything that was said in it."""
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.session(whose, user, session_id))


@forget.command()
def fact(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002  the command's word
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reject a fact: it is never learned again, while what was said stays."""
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.fact(whose, id))


@forget.command()
def entity(
    ctx: typer.Context,
    id: IdArgument,  # noqa: A002  the command's word
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget an entity with its facts, while what was said stays."""
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.entity(whose, id))


@forget.command()
def user(
    ctx: typer.Context,
    user_id: Annotated[str, typer.Argument(help="The user's id.", show_default=False, metavar="ID")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a user: everything they said, and everything that was learned of them."""
    if not yes and not typer.confirm(f"Forget everything of user {user_id!r}? It cannot be taken back", err=True):
        raise typer.Exit(code=1)
    _then_show(ctx, config, tenant, as_json, lambda forgetting, whose: forgetting.user(whose, user_id))


def _then_show(ctx: typer.Context, config: Any, tenant: str | None, as_json: bool, act: Act) -> None:
    common = merged(ctx, config, tenant, as_json)
    run(_acted(settings_of(common), Terminal(as_json=common.as_json), act))


async def _acted(settings: Settings, terminal: Terminal, act: Act) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        done = await act(parts.memory.forgetting, tenant)
        # What was near is read again before the command ends, so that nothing is missing when it does.
        await read_everything(parts, tenant, terminal)
    terminal.answer(asdict(done), lambda: _line(done))


def _line(done: "ForgetResult") -> str:
    told = {name: count for name, count in asdict(done).items() if count and name != "read_again"}
    return "forgotten: " + (", ".join(f"{count} {name}" for name, count in told.items()) or "nothing was there")
