"""`mnemoscene entities`: list entities, merge duplicates, and undo merges."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import AnyUserOption, Invocation, UserOption, command
from graph_service.cli.service_client import PAGE, ask_service, service_of
from graph_service.observability.columns import Fields, listing

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
async def list_entities(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of entities, 1 to 1000.")] = 100,
) -> None:
    """List the entities of one user's memory, most recently mentioned first."""
    async with service_of(call) as service:
        found = await service.nodes(_LIST, limit=limit, user=user)
    columns: Fields = {
        "id": "id",
        "name": "name",
        "type": "entity_type",
        "last mentioned": "last_seen",
        "other names": "aliases",
        "merged into it": "merged",
    }
    call.terminal.answer({"entities": found}, lambda: listing(found, columns))


@entities.command()
@command
async def merge(
    call: Invocation,
    keep_id: IdArgument,
    merge_id: IdArgument,
    reason: Annotated[
        str, typer.Option(help="Why they are the same; stored with the merge.")
    ] = "entered on the command line",
) -> None:
    """Merge the second entity into the first; `split` undoes it."""
    await _change(call, "merged", _MERGE, keep=keep_id, merge=merge_id, reason=reason)


@entities.command()
@command
async def split(
    call: Invocation,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the merge, or of the merged entity.", show_default=False)
    ],
) -> None:
    """Undo a merge; facts learned since go to the entity whose name was mentioned."""
    await _change(call, "split", _SPLIT, id=id_)


@entities.command()
@command
async def suggest(
    call: Invocation,
    user: AnyUserOption = None,
    limit: Annotated[int, typer.Option(help="Maximum number of pairs, 1 to 100.")] = 20,
) -> None:
    """Show pairs of entities that may be the same; merges nothing."""
    found = (await ask_service(call, _SUGGEST, user=user, limit=limit))["suggested_merges"]
    pairs = [
        {
            **{end: {"id": one[f"{end}_id"], "name": one[f"{end}_name"]} for end in ("first", "second")},
            **{name: one[name] for name in ("user_id", "score", "reasons")},
        }
        for one in found
    ]
    columns: Fields = {
        "score": lambda pair: f"{pair['score']:.2f}",
        "user": "user_id",
        "first": lambda pair: f"{pair['first']['name']} {pair['first']['id']}",
        "second": lambda pair: f"{pair['second']['name']} {pair['second']['id']}",
        "reasons": lambda pair: "; ".join(pair["reasons"]),
    }
    call.terminal.answer({"suggested": pairs}, lambda: listing(pairs, columns))


@entities.command()
@command
async def reject(
    call: Invocation,
    first_id: IdArgument,
    second_id: IdArgument,
    reason: Annotated[
        str, typer.Option(help="Why they differ; stored with the record.")
    ] = "entered on the command line",
) -> None:
    """Record that two entities differ, so that they are not suggested again."""
    done = await ask_service(call, _REJECT, first=first_id, second=second_id, reason=reason)
    call.terminal.answer(done, lambda: f"recorded that {first_id} and {second_id} differ")


async def _change(call: Invocation, verb: str, document: str, **variables: str) -> None:
    done = (await ask_service(call, document, **variables))["done"]
    line = f"{verb} {done['merged_id']}, kept {done['kept_id']}; the merge is {done['merge_id']}"
    call.terminal.answer(done, lambda: line)
