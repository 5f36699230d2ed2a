"""`mnemoscene entities`: list entities, merge duplicates, and undo merges."""

from typing import Annotated, Any, Final

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.options import AnyUserOption, Invocation, UserOption, command
from graph_service.cli.service_client import PAGE, service_of
from graph_service.cli.signals import run_client

entities = typer.Typer(help="List the people, places and things of a memory, and merge duplicates.")

IdArgument = Annotated[str, typer.Argument(help="The entity's id, as `entities list` shows it.", show_default=False)]
_LIST: Final = f"""
query($user: String!, $first: Int!, $after: String) {{
  entities(userId: $user, first: $first, after: $after) {{
    nodes {{ id name aliases entityType lastSeen merged }} {PAGE}
  }}
}}
"""
_MERGE: Final = """
mutation($keep: String!, $merge: String!, $reason: String!) {
  done: mergeEntities(keepId: $keep, mergeId: $merge, reason: $reason) { mergeId keptId mergedId }
}
"""
_SPLIT: Final = "mutation($id: String!) { done: splitEntity(id: $id) { mergeId keptId mergedId } }"
_SUGGEST: Final = """
query($user: String, $limit: Int!) {
  suggestedMerges(userId: $user, limit: $limit) { userId firstId firstName secondId secondName score reasons }
}
"""
_REJECT: Final = """
mutation($first: String!, $second: String!, $reason: String!) {
  rejected: rejectMerge(firstId: $first, secondId: $second, reason: $reason)
}
"""


@entities.command("list")
@command
def list_entities(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of entities, 1 to 1000.")] = 100,
) -> None:
    """List the entities of one user's memory, most recently mentioned first."""
    run_client(_list(call, user, limit))


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
    run_client(_change(call, "merged", _MERGE, keep=keep_id, merge=merge_id, reason=reason))


@entities.command()
@command
def split(
    call: Invocation,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the merge, or of the merged entity.", show_default=False)
    ],
) -> None:
    """Undo a merge; facts learned since go to the entity whose name was mentioned."""
    run_client(_change(call, "split", _SPLIT, id=id_))


@entities.command()
@command
def suggest(
    call: Invocation,
    user: AnyUserOption = None,
    limit: Annotated[int, typer.Option(help="Maximum number of pairs, 1 to 100.")] = 20,
) -> None:
    """Show pairs of entities that may be the same; merges nothing."""
    run_client(_suggest(call, user, limit))


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
    run_client(_reject(call, first_id, second_id, reason))


async def _list(call: Invocation, user: str, limit: int) -> None:
    async with service_of(call) as service:
        found = await service.nodes(_LIST, limit=limit, user=user)
    call.terminal.answer({"entities": found}, lambda: _table(found))


async def _change(call: Invocation, verb: str, document: str, **variables: str) -> None:
    async with service_of(call) as service:
        done = (await service.ask(document, **variables))["done"]
    line = f"{verb} {done['merged_id']}, kept {done['kept_id']}; the merge is {done['merge_id']}"
    call.terminal.answer(done, lambda: line)


async def _suggest(call: Invocation, user: str | None, limit: int) -> None:
    async with service_of(call) as service:
        found = (await service.ask(_SUGGEST, user=user, limit=limit))["suggested_merges"]
    pairs = [_pair(one) for one in found]
    call.terminal.answer({"suggested": pairs}, lambda: _pairs_table(pairs))


async def _reject(call: Invocation, first_id: str, second_id: str, reason: str) -> None:
    async with service_of(call) as service:
        done = await service.ask(_REJECT, first=first_id, second=second_id, reason=reason)
    call.terminal.answer(done, lambda: f"recorded that {first_id} and {second_id} differ")


def _pair(one: dict[str, Any]) -> dict[str, Any]:
    first, second = ({"id": one[f"{name}_id"], "name": one[f"{name}_name"]} for name in ("first", "second"))
    return {"first": first, "second": second, **{name: one[name] for name in ("user_id", "score", "reasons")}}


def _pairs_table(pairs: list[dict[str, Any]]) -> Table:
    table = Table(box=None)
    for name in ("score", "user", "first", "second", "reasons"):
        table.add_column(name, overflow="fold")
    for pair in pairs:
        first, second = (f"{escape(pair[name]['name'])} {pair[name]['id']}" for name in ("first", "second"))
        reasons = escape("; ".join(pair["reasons"]))
        table.add_row(f"{pair['score']:.2f}", escape(pair["user_id"]), first, second, reasons)
    return table


def _table(found: list[dict[str, Any]]) -> Table:
    table = Table(box=None)
    for name in ("id", "name", "type", "last mentioned", "other names", "merged into it"):
        table.add_column(name, overflow="fold")
    for one in found:
        cells = (one["name"], one["entity_type"] or "", one["last_seen"], ", ".join(one["aliases"]))
        table.add_row(one["id"], *map(escape, cells), " ".join(one["merged"]))
    return table
