"""`mnemoscene context`: print what an agent should know about a user before it answers."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, UserOption, command, parse_time
from graph_service.cli.question_report import by_command, report_question
from graph_service.cli.signals import run
from graph_service.memory.context_builder.phrasing import Language
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.context_builder.builder import Context, ContextLine, ContextRequest


@command
def context(
    call: Invocation,
    query: Annotated[str, typer.Argument(help="What the user said or asked.", show_default=False)],
    user: UserOption,
    max_tokens: Annotated[int, typer.Option(help="Maximum length of the text, 1 to 100000 tokens.")] = 1000,
    valid_at: Annotated[str | None, typer.Option(help="Facts valid at this time; now by default.")] = None,
    as_of: Annotated[str | None, typer.Option(help="The memory as it was at this time; now by default.")] = None,
    language: Annotated[
        Language | None, typer.Option(help="The language of the headings; that of the question by default.")
    ] = None,
    uris: Annotated[bool, typer.Option("--uris", help="Print full URIs instead of short references.")] = False,
) -> None:
    """Print what an agent should know about a user before it answers, ready for its prompt."""
    from graph_service.memory.context_builder.builder import ContextRequest, question_for

    request = ContextRequest(
        user_id=user,
        query=query,
        tokens_max=max_tokens,
        valid_at=parse_time(valid_at, "--valid-at"),
        as_of=parse_time(as_of, "--as-of"),
        language=language,
        with_uris=uris,
    )
    # Reports invalid arguments before the services start.
    question_for(request)
    run(_context(call, request))


async def _context(call: Invocation, request: "ContextRequest") -> None:
    async with open_for(call) as services:
        found = await services.memory.context(call.tenant, request, asker=by_command())
        await report_question(call.settings, services.memory, call.tenant)
    call.terminal.answer(_document(found), lambda: Text("\n".join([found.text, "", *found.notes]).strip()))


def _document(found: "Context") -> dict[str, Any]:
    lines = {"core": found.core, "recalled": found.recalled}
    return asdict(found) | {name: [_line(line) for line in part] for name, part in lines.items()}


def _line(line: "ContextLine") -> dict[str, Any]:
    return asdict(line) | {"at": iso(line.at), "until": iso(line.until)}
