"""`mnemoscene audit`: print the audit log."""

from typing import Annotated

import typer

from graph_service.auth.audit import read_audit_log
from graph_service.cli.options import Invocation, command
from graph_service.observability.columns import Fields, listing


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
