"""`mnemoscene forget`: delete messages, sessions, facts, entities or users, with everything derived from them."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import service_of

forget = typer.Typer(help="Delete something from a memory, with everything derived from it.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Its id or its URI.", show_default=False)]
_COUNTS: Final = "{ messages scenes facts entities reextracted spooled }"


@forget.command()
@command
async def message(call: Invocation, id_: IdArgument) -> None:
    """Delete a message, as if it had never been said."""
    await _forget(call, "forgetMessage", id=id_)


@forget.command()
@command
async def scene(call: Invocation, id_: IdArgument) -> None:
    """Delete a scene and the messages in it."""
    await _forget(call, "forgetScene", id=id_)


@forget.command()
@command
async def session(
    call: Invocation,
    session_id: Annotated[str, typer.Argument(help="The session's id.", show_default=False, metavar="ID")],
    user: Annotated[str, typer.Option(help="The user of the session.", show_default=False)],
) -> None:
    """Delete a session and the messages in it."""
    await _forget(call, "forgetSession", userId=user, sessionId=session_id)


@forget.command()
@command
async def fact(call: Invocation, id_: IdArgument) -> None:
    """Delete a fact, so that it is never extracted again; the messages stay."""
    await _forget(call, "forgetFact", id=id_)


@forget.command()
@command
async def entity(call: Invocation, id_: IdArgument) -> None:
    """Delete an entity with its facts; the messages stay."""
    await _forget(call, "forgetEntity", id=id_)


@forget.command()
@command
async def user(
    call: Invocation,
    user_id: Annotated[str, typer.Argument(help="The user's id.", show_default=False, metavar="ID")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a user with all messages, and everything derived from them."""
    if not yes and not typer.confirm(f"Delete everything of user {user_id!r}? This cannot be undone", err=True):
        raise typer.Exit(code=1)
    await _forget(call, "forgetUser", userId=user_id)


async def _forget(call: Invocation, mutation: str, **arguments: str) -> None:
    declared = ", ".join(f"${name}: String!" for name in arguments)
    given = ", ".join(f"{name}: ${name}" for name in arguments)
    async with service_of(call) as service:
        done = (await service.ask(f"mutation({declared}) {{ done: {mutation}({given}) {_COUNTS} }}", **arguments))[
            "done"
        ]
        # Messages near a deleted one are extracted again; finish that before the command ends.
        await service.finish_jobs(call.terminal)
    call.terminal.answer(done, lambda: _line(done))


def _line(done: dict[str, int]) -> str:
    counts = {name: count for name, count in done.items() if count and name != "reextracted"}
    return "deleted: " + (", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing was there")
