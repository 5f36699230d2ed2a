"""`mnemograph audit`: who wrote or administered what, and when."""

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.auth.audit import read_audit_log
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.terminal import Terminal


def audit(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many, the latest.")] = 50,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who wrote or administered what; of the data directory of this machine, of all tenants unless --tenant."""
    common = merged(ctx, config, tenant, as_json)
    settings = settings_of(common)
    deeds = read_audit_log(settings.data_dir, tenant=common.tenant, rows_max=limit)
    Terminal(as_json=common.as_json).answer({"deeds": deeds}, lambda: _table(deeds))


def _table(deeds: list[dict[str, Any]]) -> Table:
    table = Table(title=f"{len(deeds)} deeds", title_justify="left", box=None)
    for name in ("at", "who", "tenant", "door", "what", "to", "outcome"):
        table.add_column(name, overflow="fold")
    for deed in deeds:
        what, to = ", ".join(deed["what"]), ", ".join(deed["targets"])
        row = (deed["at"], deed["who"], deed["tenant"] or "every tenant", deed["door"], what, to, deed["outcome"])
        table.add_row(*(escape(str(cell)) for cell in row))
    return table
