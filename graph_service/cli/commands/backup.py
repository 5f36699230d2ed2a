"""`mnemograph backup` and `mnemograph restore`: save the local data directory to one file, and restore it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.terminal import ProgressBars
from graph_service.config.settings import Settings
from graph_service.runtime.progress import Step
from schema.errors import InstallError

FileArgument = Annotated[Path, typer.Argument(help="The backup file.", metavar="FILE", show_default=False)]


@command
def backup(call: Invocation, file: FileArgument) -> None:
    """Write the whole data directory (all tenants, keys, spool, audit log) to one file; Neo4j must be stopped."""
    from graph_service.admin.backup import back_up

    settings = _require_local(call.settings)
    with ProgressBars(call.terminal) as bars:
        done = back_up(settings.data_dir, file, on_progress=_progress(bars, "writing"))
    document = {"file": str(file), **asdict(done)}
    call.terminal.report(document, lambda: _summary(document, f"written to {file}"))


@command
def restore(call: Invocation, file: FileArgument) -> None:
    """Restore the data directory from a backup; it must be empty, and stays empty if the restore fails."""
    from graph_service.admin import backup as backups

    settings = _require_local(call.settings)
    with ProgressBars(call.terminal) as bars:
        done = backups.restore(file, settings.data_dir, on_progress=_progress(bars, "reading"))
    document = {"data_dir": str(settings.data_dir), **asdict(done)}
    call.terminal.report(document, lambda: _summary(document, f"as of {done.made_at}, to {settings.data_dir}"))


def _require_local(settings: Settings) -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(
            f"NEO4J_URI is {settings.neo4j.uri!r}: back up that server with its own tool (`neo4j-admin database dump`);"
            " `mnemograph export FILE` writes one tenant of it. Unset NEO4J_URI for the local Neo4j"
        )
    return settings


def _progress(bars: ProgressBars, doing: str) -> Any:
    def report(done: int, total: int) -> None:
        bars(Step(part="backup", doing=doing, done=done, total=max(total, 2), unit="bytes"))

    return report


def _summary(document: dict[str, Any], where: str) -> str:
    return f"{document['files']} files, {document['bytes'] / 1e6:.0f} MB, {where}"
