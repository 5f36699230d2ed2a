"""`mnemoscene sessions`: list and close sessions."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import finish_jobs, open_for
from graph_service.cli.options import Invocation, UserOption, command
from graph_service.cli.signals import run
from schema.zones import minute_in

if TYPE_CHECKING:
    from schema.session import SessionView

sessions = typer.Typer(help="List and close a user's sessions.", no_args_is_help=True)


@sessions.command("list")
@command
def list_sessions(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of sessions, 1 to 100.")] = 50,
) -> None:
    """List the sessions of a user, latest first."""
    run(_list(call, user, limit))


@sessions.command("close")
@command
def close(
    call: Invocation,
    session: Annotated[str, typer.Argument(help="The session's id.", show_default=False)],
    user: UserOption,
) -> None:
    """Close a session, and wait until its facts are extracted."""
    run(_close(call, user, session))


async def _list(call: Invocation, user: str, limit: int) -> None:
    async with open_for(call) as services:
        found = await services.memory.sessions.latest(call.tenant, user, limit=limit)
    call.terminal.answer(
        {"sessions": [_document(view) for view in found]},
        lambda: "\n".join(map(_line, found)) or f"user {user!r} has no sessions",
    )


async def _close(call: Invocation, user: str, session: str) -> None:
    async with open_for(call) as services:
        await services.memory.sessions.close(call.tenant, user, session)
        await finish_jobs(services, call.tenant, call.terminal)
        view = await services.memory.sessions.one(call.tenant, user, session)
    call.terminal.answer(_document(view), lambda: _line(view))


def _document(view: "SessionView") -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in asdict(view).items()}


def _line(view: "SessionView") -> str:
    counts = f"{view.messages} messages, {view.scenes} scenes"
    problem = f"; {view.problem}" if view.problem else ""
    return f"{view.session_id}: {view.state}, {counts}, last message {minute_in(view.last_at, view.zone)}{problem}"
