"""`mnemoscene profile`: print the profile of a user or agent."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, UserOption, command
from graph_service.cli.signals import run
from schema.profile import Category
from schema.timespan import iso
from schema.zones import moment_in

if TYPE_CHECKING:
    from graph_service.memory.profile.reader import ProfilePart


@command
def profile(
    call: Invocation,
    user: UserOption,
    agent: Annotated[str | None, typer.Option(help="The agent's profile instead of the user's.")] = None,
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
) -> None:
    """Show the profile of a user or agent, by category."""
    run(_profile(call, user, agent, category))


async def _profile(call: Invocation, user: str, agent: str | None, category: Category | None) -> None:
    async with open_for(call) as services:
        found = await services.memory.facts.profile(call.tenant, user, agent_id=agent, category=category)
    call.terminal.answer({"profile": [_document(part) for part in found]}, lambda: _table(found))


def _document(part: "ProfilePart") -> dict[str, object]:
    items = [asdict(one) | {"valid_at": iso(one.valid_at), "last_seen": iso(one.last_seen)} for one in part.items]
    return asdict(part) | {"items": items}


def _table(found: list["ProfilePart"]) -> Table:
    table = Table(box=None)
    for name in ("category", "fact", "importance", "confidence", "last said"):
        table.add_column(name, overflow="fold")
    for part in found:
        table.add_row(
            part.category.value, f"[dim]{len(part.items)} of at most {part.items_max}, {part.omitted} left out[/]"
        )
        for one in part.items:
            last_seen = moment_in(one.last_seen, one.zone).isoformat(timespec="seconds")
            table.add_row("", escape(one.statement), str(one.importance), f"{one.confidence:.2f}", last_seen)
    return table
