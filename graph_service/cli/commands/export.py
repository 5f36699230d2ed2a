"""`mnemoscene export`: write a tenant's whole memory to a file."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command, one_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import ProgressBars
from graph_service.observability.terminal_text import shown, shown_json
from schema.errors import InputError

if TYPE_CHECKING:
    from graph_service.memory.export_import.exporter import ExportResult
    from graph_service.memory.export_import.service import ExportFormat


@command
def export(
    call: Invocation,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; standard output by default.")] = None,
    form: Annotated[
        str,
        typer.Option("--format", help="jsonl: everything; graphml: the graph, for Gephi."),
    ] = "jsonl",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Include vectors, so that an import need not compute them again.")
    ] = False,
) -> None:
    """Write a tenant's whole memory to a file; `mnemoscene import` reads JSONL into another tenant.

    The service may store and answer meanwhile: the file has the state of one moment near the end of the export.
    """
    from graph_service.memory.export_import.service import ExportFormat

    export_format = one_of(ExportFormat, form, "--format")
    with tempfile.TemporaryFile(prefix="mnemoscene-export-") as text:
        done = run(_export(call, text, export_format, vectors=vectors))
        text.seek(0)
        if output is None:
            print_export(text, is_json=export_format is ExportFormat.JSONL)
            return
        _write_atomically(text, output)
    document: dict[str, Any] = {"file": str(output), "nodes": done.nodes, "edges": done.edges, "bytes": done.bytes}
    document["sha256"] = done.sha256
    line = f"{done.nodes} nodes and {done.edges} edges in {output}, {done.bytes:,} bytes"
    call.terminal.report(document, lambda: line)


def print_export(text: BinaryIO, *, is_json: bool) -> None:
    """Write an export to standard output: unchanged to a file or pipe, without control characters to a terminal."""
    if sys.stdout.isatty():
        neutral = shown_json if is_json else shown
        sys.stdout.writelines(neutral(line.decode("utf-8", "replace")) for line in text)
    else:
        shutil.copyfileobj(text, sys.stdout.buffer)
    sys.stdout.flush()


def _write_atomically(text: BinaryIO, output: Path) -> None:
    """Write the whole file, readable by its owner alone, or leave the old one in place."""
    part: str | None = None
    try:
        # A random name: another export to the same file, or a link under a known name, would be overwritten.
        descriptor, part = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.", suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            shutil.copyfileobj(text, file)
        os.replace(part, output)
    except OSError as error:
        if part is not None:
            Path(part).unlink(missing_ok=True)
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error


async def _export(call: Invocation, text: BinaryIO, form: "ExportFormat", *, vectors: bool) -> "ExportResult":
    tenant = call.tenant
    async with open_for(call, call.settings_without_models) as services:
        with ProgressBars(call.terminal) as bars:
            on_progress = bars.counted("export")
            return await services.memory.transfer.export(tenant, text, form, vectors=vectors, on_progress=on_progress)
