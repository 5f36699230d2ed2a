"""`mnemoscene profile`: print the profile of a user or agent."""

from datetime import datetime
from typing import Annotated, Any, Final

import typer

from graph_service.cli.options import Invocation, UserOption, command
from graph_service.cli.service_client import ask_service
from graph_service.observability.columns import DIM, Columns
from schema.profile import Category
from schema.zones import moment_in

_PROFILE: Final = """
query($user: String!, $agent: String, $category: ProfileCategory) {
  profile(userId: $user, agentId: $agent, category: $category) {
    category limit omitted
    items { id uri statement predicate relation object importance confidence validAt lastSeen zone }
  }
}
"""


@command
async def profile(
    call: Invocation,
    user: UserOption,
    agent: Annotated[str | None, typer.Option(help="The agent's profile instead of the user's.")] = None,
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
) -> None:
    """Show the profile of a user or agent, by category."""
    name = None if category is None else category.name
    answer = await ask_service(call, _PROFILE, user=user, agent=agent, category=name)
    call.terminal.answer(answer, lambda: _table(answer["profile"]))


def _table(found: list[dict[str, Any]]) -> Columns:
    rows: list[tuple[str, list[str]]] = []
    for part in found:
        count = f"{len(part['items'])} of at most {part['limit']}, {part['omitted']} left out"
        rows.append((DIM, [part["category"], count, "", "", ""]))
        for one in part["items"]:
            last_seen = moment_in(datetime.fromisoformat(one["last_seen"]), one["zone"]).isoformat(timespec="seconds")
            rows.append(("", ["", one["statement"], str(one["importance"]), f"{one['confidence']:.2f}", last_seen]))
    return Columns(header=("category", "fact", "importance", "confidence", "last said"), rows=rows)
