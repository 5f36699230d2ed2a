"""`mnemoscene entities`: list entities, merge duplicates, and undo merges."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import open_for
from graph_service.cli.options import AnyUserOption, Invocation, UserOption, command
from graph_service.cli.signals import run
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
    from graph_service.memory.entity_resolution.listing import ListedEntity
    from graph_service.memory.entity_resolution.merge import MergeResult
    from graph_service.memory.service import Memory
    from schema.ids import TenantId

entities = typer.Typer(help="List the people, places and things of a memory, and merge duplicates.")

IdArgument = Annotated[str, typer.Argument(help="The entity's id, as `entities list` shows it.", show_default=False)]
Action = Callable[["Memory", "TenantId"], Awaitable["MergeResult"]]


@entities.command("list")
@command
def list_entities(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of entities, 1 to 1000.")] = 100,
) -> None:
    """List the entities of one user's memory, most recently mentioned first."""
    run(_list(call, user, limit))


@entities.command()
@command
def merge(
    call: Invocation,
    keep_id: IdArgument,
    merge_id: IdArgument,
    reason: Annotated[
        str, typer.Option(help="Why they are the same; stored with the merge.")
    ] = "entered on the command line",
) -> None:
    """Merge the second entity into the first; `split` undoes it."""
    run(_change(call, "merged", lambda memory, tenant: memory.merge_entities(tenant, keep_id, merge_id, reason)))


@entities.command()
@command
def split(
    call: Invocation,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the merge, or of the merged entity.", show_default=False)
    ],
) -> None:
    """Undo a merge; facts learned since go to the entity whose name was mentioned."""
    run(_change(call, "split", lambda memory, tenant: memory.split_entity(tenant, id_)))


@entities.command()
@command
def suggest(
    call: Invocation,
    user: AnyUserOption = None,
    limit: Annotated[int, typer.Option(help="Maximum number of pairs, 1 to 100.")] = 20,
) -> None:
    """Show pairs of entities that may be the same; merges nothing."""
    run(_suggest(call, user, limit))


@entities.command()
@command
def reject(
    call: Invocation,
    first_id: IdArgument,
    second_id: IdArgument,
    reason: Annotated[
        str, typer.Option(help="Why they differ; stored with the record.")
    ] = "entered on the command line",
) -> None:
    """Record that two entities differ, so that they are not suggested again."""
    run(_reject(call, first_id, second_id, reason))


async def _list(call: Invocation, user: str, limit: int) -> None:
    async with open_for(call) as services:
        found = await services.memory.entities(call.tenant, user, limit=limit)
    call.terminal.answer({"entities": [_document(one) for one in found]}, lambda: _table(found))


async def _change(call: Invocation, verb: str, action: Action) -> None:
    async with open_for(call) as services:
        done = await action(services.memory, call.tenant)
    document = {"merge_id": done.id, "kept_id": done.kept, "merged_id": done.merged}
    call.terminal.answer(document, lambda: f"{verb} {done.merged}, kept {done.kept}; the merge is {done.id}")


async def _suggest(call: Invocation, user: str | None, limit: int) -> None:
    async with open_for(call) as services:
        pairs = await services.memory.suggested_merges(call.tenant, user, limit=limit)
    call.terminal.answer({"suggested": [_pair(pair) for pair in pairs]}, lambda: _pairs_table(pairs))


async def _reject(call: Invocation, first_id: str, second_id: str, reason: str) -> None:
    async with open_for(call) as services:
        done = await services.memory.reject_merge(call.tenant, first_id, second_id, reason)
    call.terminal.answer({"rejected": done}, lambda: f"recorded that {first_id} and {second_id} differ")


def _pair(pair: "DuplicatePair") -> dict[str, Any]:
    first, second = ({"id": one.id, "name": one.name} for one in (pair.first, pair.second))
    return {
        "first": first,
        "second": second,
        "user_id": pair.first.user_id,
        "score": pair.score,
        "reasons": list(pair.reasons),
    }


def _pairs_table(pairs: list["DuplicatePair"]) -> Table:
    table = Table(box=None)
    for name in ("score", "user", "first", "second", "reasons"):
        table.add_column(name, overflow="fold")
    for pair in pairs:
        first, second = (f"{escape(one.name)} {one.id}" for one in (pair.first, pair.second))
        reasons = escape("; ".join(pair.reasons))
        table.add_row(f"{pair.score:.2f}", escape(pair.first.user_id), first, second, reasons)
    return table


def _document(one: "ListedEntity") -> dict[str, Any]:
    return asdict(one) | {"last_seen": iso(one.last_seen)}


def _table(found: list["ListedEntity"]) -> Table:
    table = Table(box=None)
    for name in ("id", "name", "type", "last mentioned", "other names", "merged into it"):
        table.add_column(name, overflow="fold")
    for one in found:
        cells = (one.name, one.entity_type or "", iso(one.last_seen) or "", ", ".join(one.aliases))
        table.add_row(one.id, *map(escape, cells), " ".join(one.merged))
    return table
