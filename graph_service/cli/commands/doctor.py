"""`mnemograph doctor`: what is missing, and how to mend it."""

from dataclasses import asdict

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.admin.doctor import Check
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.errors import InstallError


def doctor(
    ctx: typer.Context, config: ConfigOption = None, tenant: TenantOption = None, as_json: JsonOption = False
) -> None:
    """Say what is missing and how to mend it; starts and changes nothing."""
    # What it looks with takes half a second to load, which no other command should wait for.
    from graph_service.admin.doctor import examine, unreadable_settings

    common = merged(ctx, config, tenant, as_json)
    try:
        checks = run(examine(settings_of(common)))
    except InstallError as error:
        checks = [unreadable_settings(error)]
    sound = all(check.ok is not False for check in checks)
    document = {"sound": sound, "checks": [asdict(check) for check in checks]}
    Terminal(as_json=common.as_json).answer(document, lambda: _table(checks))
    if not sound:
        raise typer.Exit(InstallError.exit_code)


def _table(checks: list[Check]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[dim]·[/]"}[check.ok]
        table.add_row(mark, check.name, escape(check.finding))
        if check.mend:
            table.add_row("", "", f"[yellow]→ {escape(check.mend)}[/]")
    return table
