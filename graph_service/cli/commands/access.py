"""`mnemoscene keys`, `quarantine` and `audit`: who may use the service, and what they did."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.auth.access import Role
from graph_service.auth.audit import read_audit_log
from graph_service.cli.open_services import note_in_audit_log, open_for
from graph_service.cli.options import Invocation, command, one_of
from graph_service.observability.columns import Fields, listing
from schema.timespan import iso

if TYPE_CHECKING:
    from graph_service.auth.keyring import Key
    from graph_service.auth.quarantine import QuarantineState


keys = typer.Typer(help="API keys: who may use the service, and for what.", invoke_without_command=True)

KeyId = Annotated[
    str, typer.Argument(metavar="ID", help="The key's id, as `mnemoscene keys` shows it.", show_default=False)
]


@keys.callback()
@command
async def list_keys(call: Invocation) -> None:
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
    rows = list(map(_key_document, found))
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
    call.terminal.report(_key_document(made.key) | {"key": made.text}, lambda: made.text)


@keys.command()
@command
async def revoke(call: Invocation, key_id: KeyId) -> None:
    """Revoke a key permanently; running services refuse it within seconds."""
    await _end_key(call, key_id, delete=False)


@keys.command()
@command
async def delete(call: Invocation, key_id: KeyId) -> None:
    """Delete a revoked key; without any key, a service on 127.0.0.1 needs no credentials again."""
    await _end_key(call, key_id, delete=True)


async def _end_key(call: Invocation, key_id: str, *, delete: bool) -> None:
    async with open_for(call, call.settings_without_models) as services:
        await (services.keyring.delete(key_id) if delete else services.keyring.revoke(key_id))
    state = "deleted" if delete else "revoked"
    await note_in_audit_log(call.settings, f"keys {'delete' if delete else 'revoke'}", key_id, tenant=None)
    call.terminal.report({"id": key_id, "state": state}, lambda: f"{key_id} is {state}")


def _key_document(key: "Key") -> dict[str, Any]:
    own = {name: getattr(key, name) for name in ("id", "name", "tenant", "role")}
    own["state"] = "revoked" if key.revoked_at else "valid" if key.is_valid(datetime.now(UTC)) else "expired"
    times = {name: iso(getattr(key, name)) for name in ("created_at", "expires_at", "revoked_at")}
    return own | times | {"requests_per_s": key.requests_per_s}


quarantine = typer.Typer(
    help="Refuse requests to a tenant while you find out what happened; nothing is deleted.", no_args_is_help=True
)


@quarantine.command("begin")
@command
async def begin(
    call: Invocation,
    reason: Annotated[str, typer.Argument(help="The reason, shown to other administrators.", show_default=False)],
    mode: Annotated[
        str,
        typer.Option(help="closed: refuse reads and writes; read_only: refuse writes; embedding: pause only that."),
    ] = "closed",
) -> None:
    """Put the tenant into quarantine; running services follow within seconds."""
    from graph_service.auth.quarantine import QuarantineMode

    chosen = one_of(QuarantineMode, mode, "--mode")
    async with open_for(call) as services:
        state = await services.quarantine.begin(call.tenant, chosen, reason)
    await note_in_audit_log(call.settings, "quarantine begin", tenant=call.tenant)
    _answer(call, state)


@quarantine.command("end")
@command
async def end(call: Invocation) -> None:
    """End the quarantine of the tenant."""
    async with open_for(call) as services:
        was = await services.quarantine.end(call.tenant)
    await note_in_audit_log(call.settings, "quarantine end", tenant=call.tenant)
    call.terminal.answer({"ended": was}, lambda: "ended" if was else "there was no quarantine")


@quarantine.command("show")
@command
async def show(call: Invocation) -> None:
    """Show the quarantine of the tenant, if there is one."""
    async with open_for(call) as services:
        await services.quarantine.load()
        state = services.quarantine.of(call.tenant)
    _answer(call, state)


def _answer(call: Invocation, state: "QuarantineState | None") -> None:
    if state is None:
        call.terminal.answer({"mode": None}, lambda: "not in quarantine")
        return
    document = {"mode": state.mode, "reason": state.reason, "since": iso(state.since)}
    call.terminal.answer(document, lambda: f"{state.mode} since {iso(state.since)}: {state.reason}")


@command
def audit(
    call: Invocation,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of entries, the latest first.")] = 50,
) -> None:
    """Show writes and administrative requests from this machine's audit log, of all tenants unless --tenant is set."""
    entries = read_audit_log(call.settings.data_dir, tenant=call.tenant_name, rows_max=limit)
    columns: Fields = {
        "at": "at",
        "who": "who",
        "tenant": lambda entry: entry["tenant"] or "all tenants",
        "interface": "interface",
        "what": "what",
        "to": "targets",
        "outcome": "outcome",
    }
    title = f"{len(entries)} entries"
    call.terminal.report({"entries": entries}, lambda: listing(entries, columns, title=title))
