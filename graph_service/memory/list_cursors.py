"""Encode and decode cursors for keyset pagination: an element's sort key, valid even after it is deleted. Pure.

A cursor grants no access: it contains no tenant or user, and only the list it was made for accepts it.
"""

import base64
import binascii
import json
from enum import Enum
from typing import Any, Final

from schema.errors import InputError

_INT_MAX: Final = 2**62


class ListName(Enum):
    """Lists that have cursors: their names, and the types of their sort keys, whose last part makes them unique."""

    FACTS = ("facts", int, str)
    SESSIONS = ("sessions", int, str)
    ENTITIES = ("entities", int, str)
    SCENES = ("scenes", int, str)
    JOBS = ("jobs", int, int, str)
    DEAD_LETTERS = ("dead letters", int, str)
    CHANGES = ("changes", int)
    LINES = ("lines", int, int, str)
    MESSAGES = ("messages", int, int, int, str)
    NEWEST_MESSAGES = ("messages, newest first", int, int, int, str)
    USERS = ("users", str)


def encode_cursor(of: ListName, *key: int | str) -> str:
    """Return the cursor of the element with this sort key."""
    assert tuple(map(type, key)) == of.value[1:], "a cursor contains the whole sort key"
    text = json.dumps([of.value[0], *key], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def decode_cursor(of: ListName, cursor: str | None) -> tuple[Any, ...]:
    """Return the sort key in a cursor; all None for the beginning of the list.

    Raises:
        InputError: it is not a cursor of this list.
    """
    if cursor is None:
        return (None,) * len(of.value[1:])
    try:
        decoded = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        # Lone surrogates cannot be sent to the database.
        json.dumps(decoded, ensure_ascii=False).encode()
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _invalid_cursor(of, cursor) from error
    name, *types = of.value
    if not isinstance(decoded, list) or decoded[:1] != [name] or [*map(type, decoded[1:])] != types:
        raise _invalid_cursor(of, cursor)
    if any(isinstance(part, int) and abs(part) > _INT_MAX for part in decoded[1:]):
        raise _invalid_cursor(of, cursor)
    return tuple(decoded[1:])


def _invalid_cursor(of: ListName, cursor: str) -> InputError:
    return InputError(
        f"after is {cursor[:60]!r}, which is not a cursor of {of.value[0]}; use `endCursor` of the previous page"
    )
