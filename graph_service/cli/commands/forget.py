"""`mnemoscene forget`: delete messages, sessions, facts, entities or users, with everything derived from them."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.open_services import finish_jobs, open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.memory.forgetting.commit import ForgetResult
    from graph_service.memory.forgetting.service import Forgetting

forget = typer.Typer(help="Delete something from a memory, with everything derived from it.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Its id or its URI.", show_default=False)]
Action = Callable[["Forgetting", TenantId], Awaitable["ForgetResult"]]


@forget.command()
@command
def message(call: Invocation, id_: IdArgument) -> None:
    """Delete a message, as if it had never been said."""
    run(_forget(call, lambda forgetting, tenant: forgetting.message(tenant, id_)))


@forget.command()
@command
def scene(call: Invocation, id_: IdArgument) -> None:
    """Delete a scene and the messages in it."""
    run(_forget(call, lambda forgetting, tenant: forgetting.scene(tenant, id_)))


@forget.command()
@command
def session(
    call: Invocation,
    session_id: Annotated[str, typer.Argument(help="The session's id.", show_default=False, metavar="ID")],
    user: Annotated[str, typer.Option(help="The user of the session.", show_default=False)],
) -> None:
    """Delete a session and the messages in it."""
    run(_forget(call, lambda forgetting, tenant: forgetting.session(tenant, user, session_id)))


@forget.command()
@command
def fact(call: Invocation, id_: IdArgument) -> None:
    """Delete a fact, so that it is never extracted again; the messages stay."""
    run(_forget(call, lambda forgetting, tenant: forgetting.fact(tenant, id_)))


@forget.command()
@command
def entity(call: Invocation, id_: IdArgument) -> None:
    """Delete an entity with its facts; the messages stay."""
    run(_forget(call, lambda forgetting, tenant: forgetting.entity(tenant, id_)))


@forget.command()
@command
def user(
    call: Invocation,
    user_id: Annotated[str, typer.Argument(help="The user's id.", show_default=False, metavar="ID")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a user with all messages, and everything derived from them."""
    if not yes and not typer.confirm(f"Delete everything of user {user_id!r}? This cannot be undone", err=True):
        raise typer.Exit(code=1)
    run(_forget(call, lambda forgetting, tenant: forgetting.user(tenant, user_id)))


async def _forget(call: Invocation, action: Action) -> None:
    async with open_for(call) as services:
        done = await action(services.memory.forgetting, call.tenant)
        # Messages near a deleted one are extracted again; finish that before the command ends.
        await finish_jobs(services, call.tenant, call.terminal)
    call.terminal.answer(asdict(done), lambda: _line(done))


def _line(done: "ForgetResult") -> str:
    counts = {name: count for name, count in asdict(done).items() if count and name != "reextracted"}
    return "deleted: " + (", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing was there")
