"""`mnemograph keys`: makes, lists and revokes the API keys that open the service's doors."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.auth.access import Role
from graph_service.auth.audit import AuditEntry, AuditLog
from graph_service.cli.open_services import opened
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.tenant_name import tenant_named
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.auth.keys import Key

keys = typer.Typer(help="API keys: who may use the service's doors, and for what.", invoke_without_command=True)

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As the list tells it.", show_default=False)]


@keys.callback()
def show(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """List the keys of all tenants, good ones first; never the keys themselves."""
    ctx.obj = merged(ctx, config, tenant, as_json)
    if ctx.invoked_subcommand is None:
        run(_listed(ctx.obj))


@keys.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for, for people.", show_default=False)],
    role: Annotated[Role, typer.Option(help="What it is good for; each role includes the ones before.")] = Role.WRITE,
    every_tenant: Annotated[bool, typer.Option("--every-tenant", help="It opens all tenants, not just one.")] = False,
    days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Good for so many days; for ever if not given.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=0.01, max=100_000, help="Requests a second; as the settings say if not given.")
    ] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key for the tenant of --tenant and show it, once; from then on the doors are locked without one."""
    common = merged(ctx, config, tenant, as_json)
    run(_created(common, name, role, every_tenant=every_tenant, days=days, rate=rate))


@keys.command()
def revoke(
    ctx: typer.Context,
    key_id: IdArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key good for nothing, for ever; running services know within seconds."""
    run(_ended(merged(ctx, config, tenant, as_json), key_id, drop=False))


@keys.command()
def drop(
    ctx: typer.Context,
    key_id: IdArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a revoked key out of the list; without any key a service for this machine alone is open to it again."""
    run(_ended(merged(ctx, config, tenant, as_json), key_id, drop=True))


def _settings(common: Common) -> Settings:
    # Keys need no vectors, whose model takes a second to load.
    return settings_of(common, embedding__kind="none")


async def _listed(common: Common) -> None:
    settings, terminal = _settings(common), Terminal(as_json=common.as_json)
    async with opened(settings, terminal) as parts:
        found = await parts.keyring.list_keys()
    terminal.answer({"keys": [_document(key) for key in found]}, lambda: _table(found))


async def _created(
    common: Common, name: str, role: Role, *, every_tenant: bool, days: int | None, rate: float | None
) -> None:
    settings, terminal = _settings(common), Terminal(as_json=common.as_json)
    tenant = None if every_tenant else tenant_named(settings.tenant)
    lasts = None if days is None else timedelta(days=days)
    async with opened(settings, terminal) as parts:
        made = await parts.keyring.create(name=name, tenant=tenant, role=role, lasts=lasts, requests_per_s=rate)
    await _note(settings, "keys create", made.key.id, tenant)
    terminal.say("keep it now, it cannot be shown again; send it as `Authorization: Bearer KEY`, or sign in with it")
    terminal.answer(_document(made.key) | {"key": made.text}, lambda: made.text)


async def _ended(common: Common, key_id: str, *, drop: bool) -> None:
    settings, terminal = _settings(common), Terminal(as_json=common.as_json)
    async with opened(settings, terminal) as parts:
        await (parts.keyring.delete(key_id) if drop else parts.keyring.revoke(key_id))
    word = "dropped" if drop else "revoked"
    await _note(settings, f"keys {'drop' if drop else 'revoke'}", key_id, None)
    terminal.answer({"id": key_id, "state": word}, lambda: f"{key_id} is {word}")


async def _note(settings: Settings, what: str, key_id: str, tenant: str | None) -> None:
    log = AuditLog(settings.data_dir, bytes_max=settings.auth.audit_mb_max * 2**20)
    at = datetime.now(UTC)
    await log.write(AuditEntry(at=at, who="cli", tenant=tenant, door="cli", what=(what,), targets=(key_id,)))


def _state(key: "Key") -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "good" if key.is_valid(datetime.now(UTC)) else "over"


def _document(key: "Key") -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "tenant": key.tenant,
        "role": key.role,
        "state": _state(key),
        "created_at": iso(key.created_at),
        "expires_at": iso(key.expires_at),
        "revoked_at": iso(key.revoked_at),
        "requests_per_s": key.requests_per_s,
    }


def _table(found: list["Key"]) -> Table:
    title = f"{len(found)} keys" if found else "no keys: whoever uses this machine may do everything"
    table = Table(title=title, title_justify="left", box=None)
    for name in ("id", "name", "tenant", "role", "state", "made", "until"):
        table.add_column(name, overflow="fold")
    for key in found:
        until = (iso(key.expires_at) or "")[:10]
        tenant = "every tenant" if key.tenant is None else escape(key.tenant)
        table.add_row(key.id, escape(key.name), tenant, key.role, _state(key), (iso(key.created_at) or "")[:10], until)
    return table
