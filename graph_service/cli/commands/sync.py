"""`mnemoscene sync`: check a tenant for inconsistencies and repair them."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from graph_service.cli.open_services import finish_jobs, open_for
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from graph_service.cli.terminal import ProgressBars
from graph_service.runtime.progress import Step


@command
def sync(
    call: Invocation,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report only, repair nothing.")] = False,
) -> None:
    """Check texts, vectors, scenes, facts and jobs of a tenant for consistency, and repair them."""
    run(_sync(call, dry_run=dry_run))


async def _sync(call: Invocation, *, dry_run: bool) -> None:
    async with open_for(call) as services:
        with ProgressBars(call.terminal) as bars:

            def on_progress(done: int, total: int) -> None:
                bars(Step(part="sync", doing="comparing", done=done, total=total, unit="things"))

            report = await services.memory.sync(call.tenant, dry_run=dry_run, on_progress=on_progress)
        if report.indexed:
            await finish_jobs(services, call.tenant, call.terminal)

    def table() -> Table:
        repaired = "to repair" if dry_run else "repaired"
        count = sum(report.found.values()) if dry_run else report.indexed
        title = f"{report.total} checked, {report.skipped} consistent, {count} {repaired}, {report.errors} errors"
        rows = Table(title=title, title_justify="left", box=None)
        rows.add_column("problem")
        rows.add_column("found", justify="right")
        for problem, found in sorted(report.found.items()):
            rows.add_row(problem.replace("_", " "), str(found))
        return rows

    call.terminal.report(asdict(report), table)
