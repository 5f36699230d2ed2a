"""`mnemograph profile`: what is always to be known of a user or agent."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import opened
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.profile import Category
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.profile.reader import ProfilePart


def profile(
    ctx: typer.Context,
    user: Annotated[str, typer.Option(help="Whose memory.", show_default=False)],
    agent: Annotated[str | None, typer.Option(help="The agent instead of the user.")] = None,
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is always to be known of a user or agent, by category."""
    run(_shown(merged(ctx, config, tenant, as_json), user, agent, category))


async def _shown(common: Common, user: str, agent: str | None, category: Category | None) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        found = await parts.memory.facts.profile(tenant, user, agent_id=agent, category=category)
    terminal.answer({"profile": [_document(part) for part in found]}, lambda: _table(found))


def _document(part: "ProfilePart") -> dict[str, object]:
    items = [asdict(one) | {"valid_at": iso(one.valid_at), "last_seen": iso(one.last_seen)} for one in part.items]
    return asdict(part) | {"items": items}


def _table(found: list["ProfilePart"]) -> Table:
    table = Table(box=None)
    for name in ("category", "fact", "importance", "confidence", "last said"):
        table.add_column(name, overflow="fold")
    for part in found:
        table.add_row(
            part.category.value, f"[dim]{len(part.items)} of at most {part.items_max}, {part.out} left out[/]"
        )
        for one in part.items:
            said = iso(one.last_seen) or ""
            table.add_row("", escape(one.statement), str(one.importance), f"{one.confidence:.2f}", said)
    return table
