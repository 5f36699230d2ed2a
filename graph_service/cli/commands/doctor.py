"""`mnemoscene doctor`: check the installation and show how to fix problems."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph_service.admin.doctor import Check
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from graph_service.observability.columns import DIM, GREEN, RED, YELLOW, Columns
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


def _table(checks: list[Check]) -> Columns:
    rows: list[tuple[str, list[str]]] = []
    for check in checks:
        style, mark = {True: ("", "✓"), False: (RED, "✗"), None: (DIM, "·")}[check.ok]
        rows.append((style, [mark, check.name, check.finding]))
        if check.fix:
            rows.append((YELLOW, ["", "", f"→ {check.fix}"]))
    return Columns(rows=rows, styles=(GREEN,))
