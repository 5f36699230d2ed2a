"""`mnemograph cypher`: an analyst's own statement on the whole database, which can only read."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, one_of, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.sections import EmbeddingSettings, LlmSettings
from graph_service.config.settings import Settings
from graph_service.memory.analyst_queries import json_ready
from graph_service.observability.terminal_text import shown
from schema.errors import InputError, InstallError
from schema.json_text import read_json

# Rows as people and programs want them: CSV, JSON, JSON lines, Parquet.

_NO_PARQUET = "Parquet needs pyarrow: install it with `pip install 'mnemograph[parquet]'`, or use --format csv or jsonl"
# The last four are what Asian keyboards write; spreadsheets read them as the first four.
_FORMULA_SIGNS = frozenset("=+-@＝＋－＠")
_CELL_BREAKS = frozenset("\t\r\n")
Rows = Sequence[Sequence[Any]]


class RowFormat(StrEnum):
    """How rows are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


def written(form: RowFormat, columns: Sequence[str], rows: Rows, *, raw: bool = False) -> bytes:
    """Return the rows in a form for programs; `table` is for people and is not written here.

    Args:
        raw: of CSV: leave cells as they are that a spreadsheet would run as formulas.

    Raises:
        InstallError: Parquet is wanted, and what it needs is not installed.
    """
    match form:
        case RowFormat.CSV:
            return as_csv(columns, rows, raw=raw).encode()
        case RowFormat.PARQUET:
            return as_parquet(columns, rows)
        case RowFormat.JSONL:
            return "".join(f"{_json(row)}\n" for row in _objects(columns, rows)).encode()
        case _:
            return (json.dumps(list(_objects(columns, rows)), ensure_ascii=False, indent=1) + "\n").encode()


def as_csv(columns: Sequence[str], rows: Rows, *, raw: bool = False) -> str:
    """Return CSV as RFC 4180 writes it; lists and maps are JSON in their cell, null is empty.

    A text that a spreadsheet would take for a formula gets an apostrophe in front, which makes it a text there; numbers
    stay numbers.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows(
        [cell(value) if raw or not isinstance(value, str) else _plain(value) for value in row]
        for row in (columns, *rows)
    )
    return text.getvalue()


def _plain(text: str) -> str:
    """Return a text that is no formula in a spreadsheet (OWASP, "CSV Injection")."""
    bare = text.lstrip()
    return f"'{text}" if bare and (text[0] in _CELL_BREAKS or bare[0] in _FORMULA_SIGNS) else text


def cell(value: Any) -> str:
    """Return a value as text for people and spreadsheets."""
    ready = json_ready(value)
    if ready is None:
        return ""
    return ready if isinstance(ready, str) else _json(ready)


def as_parquet(columns: Sequence[str], rows: Rows) -> bytes:
    """Return parquet with a type for each column; columns of maps, or of several types, are JSON text.

    Raises:
        InstallError: pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InstallError(_NO_PARQUET) from error
    arrays = [pyarrow.array(_column([row[place] for row in rows])) for place in range(len(columns))]
    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=_distinct(columns)), sink)
    return sink.getvalue()


def _column(values: list[Any]) -> list[Any]:
    """Return values of one type that a column can have, or their JSON."""
    kinds = {_kind(value) for value in values if value is not None and value != []}
    if kinds <= {"int", "float"} and kinds != {"int"}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) <= 1 and "map" not in kinds:
        return values
    return [None if value is None else _json(json_ready(value)) for value in values]


def _kind(value: Any) -> str:
    match value:
        case dict():
            return "map"
        case list():
            inner = {_kind(one) for one in value if one is not None}
            return "map" if len(inner) > 1 or inner & {"map"} else f"list of {''.join(inner)}"
        case datetime():
            return f"moment {value.tzinfo is not None}"
        case date() | bool() | str() | float():
            return type(value).__name__
        case int():
            return "int" if -(2**63) <= value < 2**63 else "map"
        case _:
            return "map"


def _distinct(columns: Sequence[str]) -> list[str]:
    """Return names of columns, of which Parquet wants each once."""
    return [name if name not in columns[:place] else f"{name}_{place}" for place, name in enumerate(columns)]


def _objects(columns: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(columns, (json_ready(value) for value in row), strict=True)) for row in rows]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if TYPE_CHECKING:
    from graph_service.graph.read_only_query import FreeAnswer
    from graph_service.memory.analyst_queries import AnalystStatement

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
    from graph_service.memory.analyst_queries import AnalystStatement

    wanted = RowFormat.JSON if common.as_json else one_of(RowFormat, form, "--format")
    if wanted is RowFormat.PARQUET and output is None and sys.stdout.isatty():
        raise InputError("Parquet is no text for a screen: name a file with --output")
    question = AnalystStatement(
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


async def _ask(settings: Settings, question: "AnalystStatement", terminal: Terminal) -> "FreeAnswer":
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

    table = Table(caption=f"{len(answer.rows)} rows, {answer.took_ms:.0f} ms")
    for name in answer.columns:
        table.add_column(escape(name), overflow="fold")
    for row in answer.rows:
        table.add_row(*(escape(cell(value)) for value in row))
    return table
