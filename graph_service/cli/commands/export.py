"""`mnemograph export`: a tenant's whole memory as a file."""

import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, one_of, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.sections import EmbeddingSettings, LlmSettings
from graph_service.config.settings import Settings
from graph_service.runtime.progress import Step
from schema.errors import InputError
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.memory.export_import.exporter import ExportResult
    from graph_service.memory.export_import.service import ExportFormat


def export(
    ctx: typer.Context,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; standard output without it.")] = None,
    form: Annotated[str, typer.Option("--format", help="jsonl: everything. graphml: the map, for Gephi.")] = "jsonl",
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Leave vectors out; an import makes them anew.")
    ] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a tenant's whole memory to a file; `mnemograph import` takes JSONL into another tenant."""
    common = merged(ctx, config, tenant, as_json)
    from graph_service.memory.export_import.service import ExportFormat

    settings, wanted = settings_of(common), one_of(ExportFormat, form, "--format")
    terminal = Terminal(as_json=common.as_json)
    with tempfile.TemporaryFile(prefix="mnemograph-export-") as text:
        told = run(_export(settings, text, wanted, terminal, vectors=not no_vectors))
        text.seek(0)
        if output is None:
            shutil.copyfileobj(text, sys.stdout.buffer)
            sys.stdout.flush()
            return
        _put(text, output)
    document: dict[str, Any] = {"file": str(output), "nodes": told.nodes, "edges": told.edges, "bytes": told.bytes}
    document["sha256"] = told.sha256
    terminal.answer(document, lambda: f"{told.nodes} nodes and {told.edges} edges in {output}, {told.bytes:,} bytes")


def _put(text: BinaryIO, output: Path) -> None:
    """Put a whole file in place, readable by its owner alone, or leave what was there."""
    half: str | None = None
    try:
        # A name of its own: another export into the same file, or a link under a known name, would be written over.
        number, half = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.", suffix=".part")
        with os.fdopen(number, "wb") as file:
            shutil.copyfileobj(text, file)
        os.replace(half, output)
    except OSError as error:
        if half is not None:
            Path(half).unlink(missing_ok=True)
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error


async def _export(
    settings: Settings, text: BinaryIO, form: "ExportFormat", terminal: Terminal, *, vectors: bool
) -> "ExportResult":
    # Nothing is embedded or read here, and loading models takes seconds.
    bare = replace(settings, embedding=EmbeddingSettings(kind="none"), llm=LlmSettings())
    async with opened(bare, terminal) as parts:
        with Steps(terminal) as steps:

            def tell(doing: str, done: int, total: int) -> None:
                steps(Step(part="export", doing=doing, done=done, total=total or None, unit="rows"))

            name = tenant_named(settings.tenant)
            return await parts.memory.transfer.export(name, text, form, vectors=vectors, on_progress=tell)
