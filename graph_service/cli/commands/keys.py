"""`mnemoscene keys`: create, list and revoke API keys."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.auth.access import Role
from graph_service.cli.open_services import note_in_audit_log, open_for
from graph_service.cli.options import Invocation, command
from graph_service.observability.columns import Fields, listing
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.auth.keyring import Key

keys = typer.Typer(help="API keys: who may use the service, and for what.", invoke_without_command=True)

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The key's id, as `mnemoscene keys` shows it.", show_default=False)
]


@keys.callback()
@command
async def show(call: Invocation) -> None:
    """List the keys of all tenants, valid ones first; the secrets are never shown."""
    if call.subcommand is not None:
        return
    async with open_for(call, call.settings_without_models) as services:
        found = await services.keyring.list_keys()
    title = f"{len(found)} keys" if found else "no keys: everybody on this machine may do everything"
    columns: Fields = {
        "id": "id",
        "name": "name",
        "tenant": lambda key: "all tenants" if key["tenant"] is None else key["tenant"],
        "role": "role",
        "state": "state",
        "created": lambda key: (key["created_at"] or "")[:10],
        "expires": lambda key: (key["expires_at"] or "")[:10],
    }
    rows = list(map(_document, found))
    call.terminal.report({"keys": rows}, lambda: listing(rows, columns, title=title))


@keys.command()
@command
async def create(
    call: Invocation,
    name: Annotated[str, typer.Argument(help="A name to recognise the key by.", show_default=False)],
    role: Annotated[Role, typer.Option(help="What the key may do; each role includes the previous ones.")] = Role.WRITE,
    every_tenant: Annotated[bool, typer.Option("--every-tenant", help="Make the key valid for all tenants.")] = False,
    days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Days until it expires; never by default.")
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.01, max=100_000, help="Requests per second; by default the limit in the settings."),
    ] = None,
) -> None:
    """Create a key for one tenant (--tenant) and print it once; the service then requires credentials."""
    tenant = None if every_tenant else call.tenant
    lifetime = None if days is None else timedelta(days=days)
    async with open_for(call, call.settings_without_models) as services:
        made = await services.keyring.create(name=name, tenant=tenant, role=role, lasts=lifetime, requests_per_s=rate)
    await note_in_audit_log(call.settings, "keys create", made.key.id, tenant=tenant)
    call.terminal.say(
        "save it now, it cannot be shown again; send it as `Authorization: Bearer KEY`, or sign in with it"
    )
    call.terminal.report(_document(made.key) | {"key": made.text}, lambda: made.text)


@keys.command()
@command
async def revoke(call: Invocation, key_id: IdArgument) -> None:
    """Revoke a key permanently; running services refuse it within seconds."""
    await _end(call, key_id, delete=False)


@keys.command()
@command
async def delete(call: Invocation, key_id: IdArgument) -> None:
    """Delete a revoked key; without any key, a service on 127.0.0.1 needs no credentials again."""
    await _end(call, key_id, delete=True)


async def _end(call: Invocation, key_id: str, *, delete: bool) -> None:
    async with open_for(call, call.settings_without_models) as services:
        await (services.keyring.delete(key_id) if delete else services.keyring.revoke(key_id))
    state = "deleted" if delete else "revoked"
    await note_in_audit_log(call.settings, f"keys {'delete' if delete else 'revoke'}", key_id, tenant=None)
    call.terminal.report({"id": key_id, "state": state}, lambda: f"{key_id} is {state}")


def _state(key: "Key") -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.is_valid(datetime.now(UTC)) else "expired"


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
