"""Rows as people and programs want them: CSV, JSON, JSON lines, Parquet."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from graph_service.memory.analyst import json_ready
from schema.errors import InstallError

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
    """A value as text for people and spreadsheets."""
    ready = json_ready(value)
    if ready is None:
        return ""
    return ready if isinstance(ready, str) else _json(ready)


def as_parquet(columns: Sequence[str], rows: Rows) -> bytes:
    """Parquet with a type for each column; columns of maps, or of several types, are JSON text.

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
    """Values of one type that a column can have, or their JSON."""
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
    """Names of columns, of which Parquet wants each once."""
    return [name if name not in columns[:place] else f"{name}_{place}" for place, name in enumerate(columns)]


def _objects(columns: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(columns, (json_ready(value) for value in row), strict=True)) for row in rows]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
