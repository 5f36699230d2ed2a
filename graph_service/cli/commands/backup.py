"""`mnemograph backup` and `mnemograph restore`: the local data directory, in one file and back."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from graph_service.runtime.progress import Step
from schema.errors import InstallError

FileArgument = Annotated[Path, typer.Argument(help="The backup.", metavar="FILE", show_default=False)]


def backup(
    ctx: typer.Context,
    file: FileArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole data directory (all tenants, keys, spool, audit log) into one file; Neo4j must not run."""
    from graph_service.admin.backup import back_up

    common = merged(ctx, config, tenant, as_json)
    settings, terminal = _local(settings_of(common)), Terminal(as_json=common.as_json)
    with Steps(terminal) as steps:
        kept = back_up(settings.data_dir, file, on_progress=_progress(steps, "writing"))
    document = {"file": str(file), **asdict(kept)}
    terminal.answer(document, lambda: _told(document, "written to"))


def restore(
    ctx: typer.Context,
    file: FileArgument,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the data directory from a backup; it must be empty, and is complete afterwards or empty again."""
    from graph_service.admin import backup as backups

    common = merged(ctx, config, tenant, as_json)
    settings, terminal = _local(settings_of(common)), Terminal(as_json=common.as_json)
    with Steps(terminal) as steps:
        kept = backups.restore(file, settings.data_dir, on_progress=_progress(steps, "reading"))
    document = {"data_dir": str(settings.data_dir), **asdict(kept)}
    terminal.answer(document, lambda: _told(document, f"as of {kept.made_at}, restored into"))


def _local(settings: Settings) -> Settings:
    if settings.neo4j.uri is not None:
        raise InstallError(
            f"NEO4J_URI is {settings.neo4j.uri!r}: that server has backups of its own (`neo4j-admin database dump`);"
            " `mnemograph export FILE` writes one tenant of it. Unset NEO4J_URI for the local Neo4j"
        )
    return settings


def _progress(steps: Steps, doing: str) -> Any:
    def tell(done: int, total: int) -> None:
        steps(Step(part="backup", doing=doing, done=done, total=max(total, 2), unit="bytes"))

    return tell


def _told(document: dict[str, Any], where: str) -> str:
    place = document.get("file") or document["data_dir"]
    return f"{document['files']} files, {document['bytes'] / 1e6:.0f} MB, {where} {place}"
