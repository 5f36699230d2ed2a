"""`mnemograph context`: what an agent should know of a user before it answers."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from graph_service.cli.commands.remember import moment
from graph_service.cli.open_services import opened
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.memory.context_builder.phrasing import Language
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.context_builder.builder import Context, ContextLine, Wanted


def context(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="What the user said or asked.", show_default=False)],
    user: Annotated[str, typer.Option(help="Whose memory is asked.", show_default=False)],
    max_tokens: Annotated[int, typer.Option(help="How long the text may be, 1 to 100000.")] = 1000,
    valid_at: Annotated[str | None, typer.Option(help="What was true at this moment, instead of now.")] = None,
    as_of: Annotated[str | None, typer.Option(help="By what was known at this moment, instead of now.")] = None,
    language: Annotated[Language | None, typer.Option(help="Of the headings, unlike the question.")] = None,
    uris: Annotated[bool, typer.Option("--uris", help="Full URIs in the text, instead of marks alone.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what an agent should know of a user before it answers, ready for its prompt."""
    from graph_service.memory.context_builder.builder import Wanted, question_for

    common = merged(ctx, config, tenant, as_json)
    wanted = Wanted(
        user_id=user,
        query=query,
        tokens_max=max_tokens,
        valid_at=moment(valid_at, "--valid-at"),
        as_of=moment(as_of, "--as-of"),
        language=language,
        with_uris=uris,
    )
    question_for(wanted)
    run(_told(common, wanted))


async def _told(common: Common, wanted: "Wanted") -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        found = await parts.memory.context(tenant, wanted)
    terminal.answer(_document(found), lambda: Text("\n".join([found.text, "", *found.notes]).strip()))


def _document(found: "Context") -> dict[str, Any]:
    lines = {"core": found.core, "recalled": found.recalled}
    return asdict(found) | {name: [_line(line) for line in told] for name, told in lines.items()}


def _line(line: "ContextLine") -> dict[str, Any]:
    return asdict(line) | {"at": iso(line.at), "until": iso(line.until)}
