"""`mnemoscene context`: print what an agent should know about a user before it answers."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, UserOption, command, iso_time
from graph_service.cli.service_client import ask_service
from graph_service.memory.context_builder.phrasing import Language

_LINE: Final = "{ number kind id uri text at until parent }"
_CONTEXT: Final = f"""
query($query: String!, $user: String!, $tokens: Int!, $validAt: DateTime, $asOf: DateTime, $language: Language,
      $uris: Boolean!) {{
  context(query: $query, userId: $user, maxTokens: $tokens, validAt: $validAt, asOf: $asOf, language: $language,
          uris: $uris) {{
    text tokens maxTokens language core {_LINE} recalled {_LINE} confidence nothingRelevant degraded notes
  }}
}}
"""


@command
async def context(
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
    variables = {
        "query": query,
        "user": user,
        "tokens": max_tokens,
        "validAt": iso_time(valid_at, "--valid-at"),
        "asOf": iso_time(as_of, "--as-of"),
        "language": None if language is None else language.name,
        "uris": uris,
    }
    found = (await ask_service(call, _CONTEXT, **variables))["context"]
    call.terminal.answer(found, lambda: "\n".join([found["text"], "", *found["notes"]]).strip())
