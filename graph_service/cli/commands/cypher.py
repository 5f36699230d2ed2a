"""`mnemoscene cypher`: run a read-only Cypher statement on the whole database."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from extraction.text.secrets import without_secrets
from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command, one_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.memory.analyst_queries import json_ready
from graph_service.observability.columns import Columns
from graph_service.observability.terminal_text import shown
from schema.errors import InputError, InstallError
from schema.json_text import read_json

if TYPE_CHECKING:
    from graph_service.graph.read_only_query import FreeAnswer
    from graph_service.memory.analyst_queries import AnalystStatement

FROM_STDIN = "-"
_NO_PARQUET = (
    "Parquet needs pyarrow: install it with `pip install 'mnemoscene-server[parquet]'`, or use --format csv or jsonl"
)
# The last four are full-width forms, which spreadsheets treat like the first four.
_FORMULA_SIGNS = frozenset("=+-@＝＋－＠")
_CELL_BREAKS = frozenset("\t\r\n")
Rows = Sequence[Sequence[Any]]


class RowFormat(StrEnum):
    """Output formats of a result."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


def encode(row_format: RowFormat, columns: Sequence[str], rows: Rows, *, raw: bool = False) -> bytes:
    """Encode the rows in any format except `table`.

    Args:
        raw: in CSV, do not escape cells that a spreadsheet would run as formulas.

    Raises:
        InstallError: Parquet needs pyarrow, which is not installed.
    """
    match row_format:
        case RowFormat.CSV:
            return as_csv(columns, rows, raw=raw).encode()
        case RowFormat.PARQUET:
            return as_parquet(columns, rows)
        case RowFormat.JSONL:
            return "".join(f"{_json(row)}\n" for row in _objects(columns, rows)).encode()
        case _:
            return (json.dumps(list(_objects(columns, rows)), ensure_ascii=False, indent=1) + "\n").encode()


def as_csv(columns: Sequence[str], rows: Rows, *, raw: bool = False) -> str:
    """Return CSV by RFC 4180; lists and maps become JSON, null an empty cell.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it text; numbers stay
    numbers.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows(
        [cell(value) if raw or not isinstance(value, str) else _escape_formula(value) for value in row]
        for row in (columns, *rows)
    )
    return text.getvalue()


def _escape_formula(text: str) -> str:
    """Return text that a spreadsheet does not run as a formula (OWASP, "CSV Injection")."""
    bare = text.lstrip()
    return f"'{text}" if bare and (text[0] in _CELL_BREAKS or bare[0] in _FORMULA_SIGNS) else text


def cell(value: Any) -> str:
    """Return a value as the text of one cell."""
    ready = json_ready(value)
    if ready is None:
        return ""
    return ready if isinstance(ready, str) else _json(ready)


def as_parquet(columns: Sequence[str], rows: Rows) -> bytes:
    """Return Parquet with typed columns; columns of maps or of mixed types are JSON text.

    Raises:
        InstallError: pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InstallError(_NO_PARQUET) from error
    arrays = [pyarrow.array(_column([row[index] for row in rows])) for index in range(len(columns))]
    sink = io.BytesIO()
    # Parquet requires unique names.
    names = [name if name not in columns[:index] else f"{name}_{index}" for index, name in enumerate(columns)]
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), sink)
    return sink.getvalue()


def _column(values: list[Any]) -> list[Any]:
    """Return the values if they have one type that Parquet supports, else each as JSON text."""
    types = {_type(value) for value in values if value is not None and value != []}
    if types <= {"int", "float"} and types != {"int"}:
        return [None if value is None else float(value) for value in values]
    if len(types) <= 1 and "map" not in types:
        return values
    return [None if value is None else _json(json_ready(value)) for value in values]


def _type(value: Any) -> str:
    match value:
        case dict():
            return "map"
        case list():
            inner = {_type(one) for one in value if one is not None}
            return "map" if len(inner) > 1 or inner & {"map"} else f"list of {''.join(inner)}"
        case datetime():
            return f"datetime {value.tzinfo is not None}"
        case date() | bool() | str() | float():
            return type(value).__name__
        case int():
            return "int" if -(2**63) <= value < 2**63 else "map"
        case _:
            return "map"


def _objects(columns: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(columns, (json_ready(value) for value in row), strict=True)) for row in rows]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@command
def cypher(
    call: Invocation,
    statement: Annotated[
        str | None, typer.Argument(help="Cypher; `-` reads it from standard input.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from a file.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter: JSON, or text. May be repeated."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="table, csv, json, jsonl or parquet.")] = "table",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    rows: Annotated[int | None, typer.Option(help="Maximum number of rows.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Timeout in seconds.")] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Do not escape CSV cells that a spreadsheet would run as formulas.")
    ] = False,
) -> None:
    """Run a read-only Cypher statement, within limits of time and rows; it sees all tenants."""
    from graph_service.memory.analyst_queries import AnalystStatement

    row_format = RowFormat.JSON if call.as_json else one_of(RowFormat, form, "--format")
    if row_format is RowFormat.PARQUET and output is None and sys.stdout.isatty():
        raise InputError("Parquet is binary: name a file with --output")
    question = AnalystStatement(
        statement=_statement(statement, file),
        # Statements may use the tenant of the command line as $tenant.
        parameters={"tenant": call.settings.tenant, **_parameters(param or [])},
        timeout_s=timeout,
        rows=rows,
    )
    answer = run(_run(call, question))
    _print(answer, row_format, output, call.terminal, raw=raw)
    if answer.truncated:
        call.terminal.say(f"incomplete: {answer.truncated}")


async def _run(call: Invocation, question: "AnalystStatement") -> "FreeAnswer":
    async with open_for(call, call.settings_without_models) as services:
        return await services.memory.analyst.ask(question)


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


def _print(answer: "FreeAnswer", row_format: RowFormat, output: Path | None, terminal: Terminal, *, raw: bool) -> None:
    if row_format is RowFormat.TABLE and output is None:
        terminal.answer(None, lambda: _table(answer))
        return
    # A table written to a file is CSV.
    text = encode(RowFormat.CSV if row_format is RowFormat.TABLE else row_format, answer.columns, answer.rows, raw=raw)
    if output is None:
        if row_format is not RowFormat.PARQUET:
            text = without_secrets(text.decode(), terminal.hidden).encode()
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


def _table(answer: "FreeAnswer") -> Columns:
    rows = [("", [cell(value) for value in row]) for row in answer.rows]
    return Columns(header=answer.columns, rows=rows, notes=[("", f"{len(answer.rows)} rows, {answer.took_ms:.0f} ms")])
