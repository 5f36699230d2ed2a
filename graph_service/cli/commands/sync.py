"""`mnemoscene sync`: check a tenant for inconsistencies and repair them."""

from typing import Annotated, Final

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import service_of
from graph_service.cli.terminal import ProgressBars
from graph_service.observability.columns import listing
from graph_service.runtime.progress import Step

_SYNC: Final = """
mutation($dryRun: Boolean!) { sync(dryRun: $dryRun) { total indexed skipped errors found { problem count } } }
"""


@command
async def sync(
    call: Invocation,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report only, repair nothing.")] = False,
) -> None:
    """Check texts, vectors, scenes, facts and jobs of a tenant for consistency, and repair them."""
    async with service_of(call) as service:
        with ProgressBars(call.terminal) as bars:
            bars(Step(part="sync", doing="comparing"))
            report = (await service.ask(_SYNC, dryRun=dry_run))["sync"]
        if report["indexed"]:
            await service.finish_jobs(call.terminal)
    report["found"] = {one["problem"].lower(): one["count"] for one in report["found"]}

    repaired = "to repair" if dry_run else "repaired"
    count = sum(report["found"].values()) if dry_run else report["indexed"]
    title = f"{report['total']} checked, {report['skipped']} consistent, {count} {repaired}, {report['errors']} errors"
    rows = [{"problem": name.replace("_", " "), "found": n} for name, n in sorted(report["found"].items())]
    call.terminal.report(report, lambda: listing(rows, {"problem": "problem", "found": "found"}, title=title))
