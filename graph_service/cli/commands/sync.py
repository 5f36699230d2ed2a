"""`mnemograph sync`: compares what is stored with itself and mends it."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from graph_service.runtime.progress import Step
from schema.tenant_name import tenant_named


def sync(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look only, mend nothing.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare texts, vectors, scenes, facts and work of a tenant, and mend what does not fit together."""
    common = merged(ctx, config, tenant, as_json)
    run(_sync(settings_of(common), Terminal(as_json=common.as_json), dry_run=dry_run))


async def _sync(settings: Settings, terminal: Terminal, *, dry_run: bool) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        with Steps(terminal) as steps:

            def tell(done: int, total: int) -> None:
                steps(Step(part="sync", doing="comparing", done=done, total=total, unit="things"))

            report = await parts.memory.sync(tenant, dry_run=dry_run, on_progress=tell)
        if report.indexed:
            await read_everything(parts, tenant, terminal)

    def table() -> Table:
        mended = "would be mended" if dry_run else "mended"
        count = sum(report.found.values()) if dry_run else report.indexed
        title = f"{report.total} compared, {report.skipped} sound, {count} {mended}, {report.errors} errors"
        shown = Table(title=title, title_justify="left", box=None)
        shown.add_column("problem")
        shown.add_column("found", justify="right")
        for problem, found in sorted(report.found.items()):
            shown.add_row(problem.replace("_", " "), str(found))
        return shown

    terminal.answer(asdict(report), table)
