"""`mnemograph entities`: who and what a memory knows, making two of them one, and taking that back."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import opened
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
    from graph_service.memory.entity_resolution.listing import EntityListed
    from graph_service.memory.entity_resolution.merge import MergeResult
    from graph_service.memory.service import Memory
    from schema.ids import TenantId

entities = typer.Typer(help="The people, places and things of a memory, and which of them are one.")

IdArgument = Annotated[str, typer.Argument(help="Its id, as `entities list` shows it.", show_default=False)]
Act = Callable[["Memory", "TenantId"], Awaitable["MergeResult"]]


@entities.command("list")
def list_them(
    ctx: typer.Context,
    user: Annotated[str, typer.Option(help="Whose memory.", show_default=False)],
    limit: Annotated[int, typer.Option(help="At most so many, 1 to 1000.")] = 100,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the entities of one user's memory, the most recently named first."""
    run(_listed(merged(ctx, config, tenant, as_json), user, limit))


@entities.command()
def merge(
    ctx: typer.Context,
    keep_id: IdArgument,
    merge_id: IdArgument,
    reason: Annotated[str, typer.Option(help="Why they are one, for people.")] = "told on the command line",
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let the first entity stand for both; `split` takes it back."""
    common = merged(ctx, config, tenant, as_json)
    run(_done(common, "merged", lambda memory, whose: memory.merge_entities(whose, keep_id, merge_id, reason)))


@entities.command()
def split(
    ctx: typer.Context,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The merge, or the entity that was merged.", show_default=False)
    ],
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a merge back; what was learned since stays with the name that was said."""
    common = merged(ctx, config, tenant, as_json)
    run(_done(common, "split", lambda memory, whose: memory.split_entity(whose, id_)))


@entities.command()
def suggest(
    ctx: typer.Context,
    user: Annotated[str | None, typer.Option(help="Whose memory; everybody's without it.", show_default=False)] = None,
    limit: Annotated[int, typer.Option(help="At most so many, 1 to 100.")] = 20,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show pairs that may be one; nothing is merged."""
    run(_suggested(merged(ctx, config, tenant, as_json), user, limit))


@entities.command()
def reject(
    ctx: typer.Context,
    a_id: IdArgument,
    b_id: IdArgument,
    reason: Annotated[str, typer.Option(help="Why they are two, for people.")] = "told on the command line",
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember that two are two: they are not suggested again."""
    run(_rejected(merged(ctx, config, tenant, as_json), a_id, b_id, reason))


async def _listed(common: Common, user: str, limit: int) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        found = await parts.memory.entities(tenant, user, limit=limit)
    terminal.answer({"entities": [_document(one) for one in found]}, lambda: _table(found))


async def _done(common: Common, what: str, act: Act) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        done = await act(parts.memory, tenant)
    document = {"merge_id": done.id, "kept_id": done.kept, "merged_id": done.merged}
    terminal.answer(document, lambda: f"{what} {done.merged}, kept {done.kept}; the merge is {done.id}")


async def _suggested(common: Common, user: str | None, limit: int) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        pairs = await parts.memory.suggested_merges(tenant, user, limit=limit)
    terminal.answer({"suggested": [_pair(pair) for pair in pairs]}, lambda: _pairs_table(pairs))


async def _rejected(common: Common, a_id: str, b_id: str, reason: str) -> None:
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        done = await parts.memory.reject_merge(tenant, a_id, b_id, reason)
    terminal.answer({"rejected": done}, lambda: f"{a_id} and {b_id} are two")


def _pair(pair: "DuplicatePair") -> dict[str, Any]:
    first, second = ({"id": one.id, "name": one.name} for one in (pair.first, pair.second))
    told = {"user_id": pair.first.user_id, "score": pair.score, "reasons": list(pair.reasons)}
    return {"first": first, "second": second, **told}


def _pairs_table(pairs: list["DuplicatePair"]) -> Table:
    table = Table(box=None)
    for name in ("score", "user", "one", "the other", "why"):
        table.add_column(name, overflow="fold")
    for pair in pairs:
        one, other = (f"{escape(side.name)} {side.id}" for side in (pair.first, pair.second))
        why = escape("; ".join(pair.reasons))
        table.add_row(f"{pair.score:.2f}", escape(pair.first.user_id), one, other, why)
    return table


def _document(one: "EntityListed") -> dict[str, Any]:
    return asdict(one) | {"last_seen": iso(one.last_seen)}


def _table(found: list["EntityListed"]) -> Table:
    table = Table(box=None)
    for name in ("id", "name", "type", "last named", "also called", "merged into it"):
        table.add_column(name, overflow="fold")
    for one in found:
        words = (one.name, one.entity_type or "", iso(one.last_seen) or "", ", ".join(one.aliases))
        table.add_row(one.id, *map(escape, words), " ".join(one.merged))
    return table
