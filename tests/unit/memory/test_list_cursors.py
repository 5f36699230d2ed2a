"""Test list cursors: the sort key round-trips, invalid cursors are refused."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from schema.errors import InputError

_NUMBERS = st.integers(min_value=-(2**62), max_value=2**62)


@given(_NUMBERS, st.text(st.characters(codec="utf-8")))
def test_cursor_returns_its_sort_key(at: int, name: str) -> None:
    assert decode_cursor(ListName.SESSIONS, encode_cursor(ListName.SESSIONS, at, name)) == (at, name)
    assert decode_cursor(ListName.CHANGES, encode_cursor(ListName.CHANGES, at)) == (at,)
    assert decode_cursor(ListName.JOBS, None) == (None, None, None)


def _made_of(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        *("", " ", "x", "é", "a" * 5_000, "====", "MTIzOmFiYw=="),
        encode_cursor(ListName.FACTS, 1, "a"),
        encode_cursor(ListName.CHANGES, 1),
        *(_made_of(value) for value in (None, 1, {}, [], ["sessions"], ["sessions", "a", 1], ["sessions", True, "a"])),
        *(_made_of(["sessions", at, "a"]) for at in (1.5, 2**63, -(2**63), 1e400)),
        _made_of(["sessions", 1, "\ud800"]),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    ],
)
def test_invalid_list_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InputError, match="is not a cursor of sessions"):
        decode_cursor(ListName.SESSIONS, cursor)
