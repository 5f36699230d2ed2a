"""`mnemoscene facts`, `entities` and `forget`: correct a memory, and delete from it."""

from typing import Annotated, Any, Final

import typer

from graph_service.cli.options import AnyUserOption, Invocation, UserOption, command
from graph_service.cli.service_client import DOCUMENTS, ask_service, service_of
from graph_service.observability.columns import Fields, listing

facts = typer.Typer(help="Show one fact's validity and history, and reopen it after it was closed.")

FactId = Annotated[
    str, typer.Argument(metavar="ID", help="The fact's id, as recall and the viewer show it.", show_default=False)
]


@facts.command()
@command
async def show(call: Invocation, id_: FactId) -> None:
    """Show whether a fact is valid, and what closed it if it is not."""
    await _show_fact(call, DOCUMENTS["fact"], id=id_)


@facts.command()
@command
async def history(call: Invocation, id_: FactId) -> None:
    """Show the earlier and later versions of a fact, and why each was closed."""
    answer = await ask_service(call, DOCUMENTS["factHistory"], id=id_)
    call.terminal.answer(answer, lambda: "\n".join(map(_fact_line, answer["versions"])))


@facts.command()
@command
async def reopen(
    call: Invocation,
    id_: FactId,
    reason: Annotated[
        str, typer.Option(help="Why it is still valid; stored with the fact.")
    ] = "entered on the command line",
) -> None:
    """Make a closed fact valid again; the fact that closed it does not close it a second time."""
    await _show_fact(call, DOCUMENTS["reopenFact"], id=id_, reason=reason)


async def _show_fact(call: Invocation, document: str, **variables: str) -> None:
    fact = (await ask_service(call, document, **variables))["fact"]
    call.terminal.answer(fact, lambda: _fact_line(fact))


def _fact_line(fact: dict[str, Any]) -> str:
    if fact["closing"] is None:
        return f"{fact['statement']}\nvalid since {fact['valid_at']}"
    begin = fact["valid_at"] or "an unknown time"
    return f"{fact['statement']}\nvalid from {begin} to {fact['invalid_at']}: {fact['closing']['text']}"


entities = typer.Typer(help="List the people, places and things of a memory, and merge duplicates.")

EntityId = Annotated[str, typer.Argument(help="The entity's id, as `entities list` shows it.", show_default=False)]


@entities.command("list")
@command
async def list_entities(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of entities, 1 to 1000.")] = 100,
) -> None:
    """List the entities of one user's memory, most recently mentioned first."""
    async with service_of(call) as service:
        found = await service.nodes(DOCUMENTS["entities"], limit=limit, user=user)
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
    keep_id: EntityId,
    merge_id: EntityId,
    reason: Annotated[
        str, typer.Option(help="Why they are the same; stored with the merge.")
    ] = "entered on the command line",
) -> None:
    """Merge the second entity into the first; `split` undoes it."""
    await _change(call, "merged", DOCUMENTS["mergeEntities"], keep=keep_id, merge=merge_id, reason=reason)


@entities.command()
@command
async def split(
    call: Invocation,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the merge, or of the merged entity.", show_default=False)
    ],
) -> None:
    """Undo a merge; facts learned since go to the entity whose name was mentioned."""
    await _change(call, "split", DOCUMENTS["splitEntity"], id=id_)


@entities.command()
@command
async def suggest(
    call: Invocation,
    user: AnyUserOption = None,
    limit: Annotated[int, typer.Option(help="Maximum number of pairs, 1 to 100.")] = 20,
) -> None:
    """Show pairs of entities that may be the same; merges nothing."""
    found = (await ask_service(call, DOCUMENTS["suggestedMerges"], user=user, limit=limit))["suggested_merges"]
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
    first_id: EntityId,
    second_id: EntityId,
    reason: Annotated[
        str, typer.Option(help="Why they differ; stored with the record.")
    ] = "entered on the command line",
) -> None:
    """Record that two entities differ, so that they are not suggested again."""
    done = await ask_service(call, DOCUMENTS["rejectMerge"], first=first_id, second=second_id, reason=reason)
    call.terminal.answer(done, lambda: f"recorded that {first_id} and {second_id} differ")


async def _change(call: Invocation, verb: str, document: str, **variables: str) -> None:
    done = (await ask_service(call, document, **variables))["done"]
    line = f"{verb} {done['merged_id']}, kept {done['kept_id']}; the merge is {done['merge_id']}"
    call.terminal.answer(done, lambda: line)


forget = typer.Typer(help="Delete something from a memory, with everything derived from it.", no_args_is_help=True)

ForgottenId = Annotated[str, typer.Argument(metavar="ID", help="Its id or its URI.", show_default=False)]
_COUNTS: Final = "{ messages scenes facts entities reextracted spooled }"


@forget.command()
@command
async def message(call: Invocation, id_: ForgottenId) -> None:
    """Delete a message, as if it had never been said."""
    await _forget(call, "forgetMessage", id=id_)


@forget.command()
@command
async def scene(call: Invocation, id_: ForgottenId) -> None:
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
async def fact(call: Invocation, id_: ForgottenId) -> None:
    """Delete a fact, so that it is never extracted again; the messages stay."""
    await _forget(call, "forgetFact", id=id_)


@forget.command()
@command
async def entity(call: Invocation, id_: ForgottenId) -> None:
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
    document = f"mutation({declared}) {{ done: {mutation}({given}) {_COUNTS} }}"
    async with service_of(call) as service:
        done = (await service.ask(document, **arguments))["done"]
        # Messages near a deleted one are extracted again; finish that before the command ends.
        await service.finish_jobs(call.terminal)
    counts = [f"{count} {name}" for name, count in done.items() if count and name != "reextracted"]
    call.terminal.answer(done, lambda: "deleted: " + (", ".join(counts) or "nothing was there"))
