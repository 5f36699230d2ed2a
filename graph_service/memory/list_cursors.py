"""Encode and decode cursors for keyset pagination: an element's sort key, valid even after it is deleted. Pure.

A cursor grants no access: it contains no tenant or user, and only the list it was made for accepts it.
"""

import base64
import binascii
import json
from enum import StrEnum
from typing import Any, Final

from schema.errors import InputError

_INT_MAX: Final = 2**62


class ListName(StrEnum):
    """Lists that have cursors."""

    FACTS = "facts"
    SESSIONS = "sessions"
    ENTITIES = "entities"
    SCENES = "scenes"
    JOBS = "jobs"
    DEAD_LETTERS = "dead letters"
    CHANGES = "changes"
    LINES = "lines"
    MESSAGES = "messages"
    NEWEST_MESSAGES = "messages, newest first"
    USERS = "users"


# Sort key of each list; the last part makes it unique.
_KEYS: Final[dict[ListName, tuple[type, ...]]] = {
    ListName.FACTS: (int, str),
    ListName.SESSIONS: (int, str),
    ListName.ENTITIES: (int, str),
    ListName.SCENES: (int, str),
    ListName.JOBS: (int, int, str),
    ListName.DEAD_LETTERS: (int, str),
    ListName.CHANGES: (int,),
    ListName.LINES: (int, int, str),
    ListName.MESSAGES: (int, int, int, str),
    ListName.NEWEST_MESSAGES: (int, int, int, str),
    ListName.USERS: (str,),
}


def encode_cursor(of: ListName, *key: int | str) -> str:
    """Return the cursor of the element with this sort key."""
    assert tuple(map(type, key)) == _KEYS[of], "a cursor contains the whole sort key"
    text = json.dumps([of.value, *key], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def decode_cursor(of: ListName, cursor: str | None) -> tuple[Any, ...]:
    """Return the sort key in a cursor; all None for the beginning of the list.

    Raises:
        InputError: it is not a cursor of this list.
    """
    if cursor is None:
        return (None,) * len(_KEYS[of])
    try:
        decoded = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        # Lone surrogates cannot be sent to the database.
        json.dumps(decoded, ensure_ascii=False).encode()
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _invalid_cursor(of, cursor) from error
    if not isinstance(decoded, list) or decoded[:1] != [of.value] or tuple(map(type, decoded[1:])) != _KEYS[of]:
        raise _invalid_cursor(of, cursor)
    if any(isinstance(part, int) and abs(part) > _INT_MAX for part in decoded[1:]):
        raise _invalid_cursor(of, cursor)
    return tuple(decoded[1:])


def _invalid_cursor(of: ListName, cursor: str) -> InputError:
    return InputError(f"after is {cursor[:60]!r}, which is not a cursor of {of}; use `endCursor` of the previous page")
