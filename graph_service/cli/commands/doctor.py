"""`mnemoscene doctor`: check the installation and show how to fix problems."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.admin.doctor import Check
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from schema.errors import InstallError


@command
def doctor(
    call: Invocation,
    ask_model: Annotated[
        bool,
        typer.Option(
            "--ask-model",
            help="Also ask the configured model endpoints, and measure what the language model can do.",
        ),
    ] = False,
) -> None:
    """Check the installation and show how to fix problems; starts and changes nothing."""
    # Imports psutil and httpx, half a second.
    from graph_service.admin.doctor import examine, unreadable_settings

    try:
        checks = run(examine(call.settings, ask_endpoints=ask_model))
    except InstallError as error:
        checks = [unreadable_settings(error)]
    passed = all(check.ok is not False for check in checks)
    document = {"ok": passed, "checks": [asdict(check) for check in checks]}
    call.terminal.report(document, lambda: _table(checks))
    if not passed:
        raise typer.Exit(InstallError.exit_code)


def _table(checks: list[Check]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[dim]·[/]"}[check.ok]
        table.add_row(mark, check.name, escape(check.finding))
        if check.fix:
            table.add_row("", "", f"[yellow]→ {escape(check.fix)}[/]")
    return table
