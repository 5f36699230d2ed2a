"""`mnemoscene sessions`: list and close sessions."""

from datetime import datetime
from typing import Annotated, Any, Final

import typer

from graph_service.cli.options import Invocation, UserOption, command
from graph_service.cli.service_client import PAGE, service_of
from schema.zones import minute_in

sessions = typer.Typer(help="List and close a user's sessions.", no_args_is_help=True)

_SESSION: Final = (
    "uri userId sessionId state openedAt lastAt closingAt closedAt closeReason messages scenes unread unembedded"
    " unextracted problem zone"
)
_LIST: Final = (
    "query($user: String!, $first: Int!, $after: String) {"
    f" sessions(userId: $user, first: $first, after: $after) {{ nodes {{ {_SESSION} }} {PAGE} }} }}"
)
_ONE: Final = "($user: String!, $session: String!)"
_CLOSE: Final = f"mutation{_ONE} {{ closeSession(userId: $user, sessionId: $session) {{ state }} }}"
_GET: Final = f"query{_ONE} {{ session(userId: $user, sessionId: $session) {{ {_SESSION} }} }}"


@sessions.command("list")
@command
async def list_sessions(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of sessions, 1 to 100.")] = 50,
) -> None:
    """List the sessions of a user, latest first."""
    async with service_of(call) as service:
        found = await service.nodes(_LIST, limit=limit, user=user)
    call.terminal.answer({"sessions": found}, lambda: "\n".join(map(_line, found)) or f"user {user!r} has no sessions")


@sessions.command("close")
@command
async def close(
    call: Invocation,
    session: Annotated[str, typer.Argument(help="The session's id.", show_default=False)],
    user: UserOption,
) -> None:
    """Close a session, and wait until its facts are extracted."""
    async with service_of(call) as service:
        await service.ask(_CLOSE, user=user, session=session)
        await service.finish_jobs(call.terminal)
        view = (await service.ask(_GET, user=user, session=session))["session"]
    call.terminal.answer(view, lambda: _line(view))


def _line(view: dict[str, Any]) -> str:
    counts = f"{view['messages']} messages, {view['scenes']} scenes"
    problem = f"; {view['problem']}" if view["problem"] else ""
    last_at = minute_in(datetime.fromisoformat(view["last_at"]), view["zone"])
    return f"{view['session_id']}: {view['state']}, {counts}, last message {last_at}{problem}"
