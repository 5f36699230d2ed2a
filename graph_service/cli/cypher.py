"""`mnemograph cypher`: an analyst's own statement on the whole database, which can only read."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.choices import one_of
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.running import run
from graph_service.cli.terminal import Terminal
from graph_service.cli.working import opened
from graph_service.model_settings import EmbeddingSettings, LlmSettings
from graph_service.settings import Settings
from graph_service.shown_text import shown
from schema.errors import InputError
from schema.json_text import read_json

if TYPE_CHECKING:
    from graph_service.graph.free_query import FreeAnswer
    from graph_service.memory.analyst import FreeQuestion

FROM_STDIN = "-"


def cypher(
    ctx: typer.Context,
    statement: Annotated[
        str | None, typer.Argument(help="Cypher; `-` reads it from standard input.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from a file.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter: JSON, or text. May be repeated."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="table, csv, json, jsonl or parquet.")] = "table",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file, not the screen.")] = None,
    rows: Annotated[int | None, typer.Option(help="At most so many rows.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="CSV cells as they are, also those that a spreadsheet takes for formulas.")
    ] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the graph in Cypher. Only reads, and stops what costs too much; it sees all tenants."""
    common = merged(ctx, config, tenant, as_json)
    settings = settings_of(common)
    from graph_service.cli.row_formats import RowFormat
    from graph_service.memory.analyst import FreeQuestion

    wanted = RowFormat.JSON if common.as_json else one_of(RowFormat, form, "--format")
    if wanted is RowFormat.PARQUET and output is None and sys.stdout.isatty():
        raise InputError("Parquet is no text for a screen: name a file with --output")
    question = FreeQuestion(
        statement=_statement(statement, file),
        # The tenant of the command line is there for statements that want it.
        parameters={"tenant": settings.tenant, **_parameters(param or [])},
        timeout_s=timeout,
        rows=rows,
    )
    terminal = Terminal(as_json=common.as_json)
    answer = run(_ask(settings, question, terminal))
    _show(answer, wanted, output, terminal, raw=raw)
    if answer.cut:
        terminal.say(f"not all: {answer.cut}")


async def _ask(settings: Settings, question: "FreeQuestion", terminal: Terminal) -> "FreeAnswer":
    # Nothing is embedded or read here, and loading models takes seconds.
    bare = replace(settings, embedding=EmbeddingSettings(kind="none"), llm=LlmSettings())
    async with opened(bare, terminal) as parts:
        return await parts.memory.analyst.ask(question)


def _statement(argument: str | None, file: Path | None) -> str:
    if (argument is None) == (file is None):
        raise InputError("give one statement: as an argument, `-` for standard input, or --file")
    if file is None:
        return sys.stdin.read() if argument == FROM_STDIN else str(argument)
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error


def _parameters(given: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--param is {one!r}: write NAME=VALUE, for example --param 'user=ana' or --param n=5")
        try:
            found[name] = read_json(text)
        except json.JSONDecodeError:
            found[name] = text
    return found


def _show(answer: "FreeAnswer", form: str, output: Path | None, terminal: Terminal, *, raw: bool) -> None:
    from graph_service.cli.row_formats import RowFormat, written

    if form == RowFormat.TABLE and output is None:
        terminal.answer(None, lambda: _table(answer))
        return
    # A table in a file is for programs too.
    wanted = RowFormat.CSV if form == RowFormat.TABLE else RowFormat(form)
    text = written(wanted, answer.columns, answer.rows, raw=raw)
    if output is None:
        if sys.stdout.isatty():
            text = shown(text.decode().replace("\r\n", "\n")).encode()
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
        return
    try:
        output.write_bytes(text)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from error
    terminal.say(f"{len(answer.rows)} rows in {output}")


def _table(answer: "FreeAnswer") -> Table:
    from graph_service.cli.row_formats import cell

    table = Table(caption=f"{len(answer.rows)} rows, {answer.took_ms:.0f} ms")
    for name in answer.columns:
        table.add_column(escape(name), overflow="fold")
    for row in answer.rows:
        table.add_row(*(escape(cell(value)) for value in row))
    return table
