"""`mnemoscene audit`: print the audit log."""

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.auth.audit import read_audit_log
from graph_service.cli.options import Invocation, command


@command
def audit(
    call: Invocation,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of entries, the latest first.")] = 50,
) -> None:
    """Show writes and administrative requests from this machine's audit log, of all tenants unless --tenant is set."""
    entries = read_audit_log(call.settings.data_dir, tenant=call.tenant_name, rows_max=limit)
    call.terminal.report({"entries": entries}, lambda: _table(entries))


def _table(entries: list[dict[str, Any]]) -> Table:
    table = Table(title=f"{len(entries)} entries", title_justify="left", box=None)
    for name in ("at", "who", "tenant", "interface", "what", "to", "outcome"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        what, to = ", ".join(entry["what"]), ", ".join(entry["targets"])
        row = (
            entry["at"],
            entry["who"],
            entry["tenant"] or "all tenants",
            entry["interface"],
            what,
            to,
            entry["outcome"],
        )
        table.add_row(*(escape(str(cell)) for cell in row))
    return table
