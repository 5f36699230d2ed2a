"""Places in lists that others write to: a cursor is the sort key of an element, good also when that is gone. Pure.

A cursor holds no rights: it names no tenant and no memory, and only the list it was made for accepts it.
"""

import base64
import binascii
import json
from enum import StrEnum
from typing import Any, Final

from schema.errors import InputError

_INT_MAX: Final = 2**62


class ListName(StrEnum):
    """The lists there are cursors of."""

    FACTS = "facts"
    SESSIONS = "sessions"
    ENTITIES = "entities"
    SCENES = "scenes"
    JOBS = "jobs"
    DEAD_LETTERS = "dead letters"
    CHANGES = "changes"
    LINES = "lines"


# What each list is sorted by: the last part makes the key unique.
_KEYS: Final[dict[ListName, tuple[type, ...]]] = {
    ListName.FACTS: (int, str),
    ListName.SESSIONS: (int, str),
    ListName.ENTITIES: (int, str),
    ListName.SCENES: (int, str),
    ListName.JOBS: (int, int, str),
    ListName.DEAD_LETTERS: (int, str),
    ListName.CHANGES: (int,),
    ListName.LINES: (int, int, str),
}


def encode_cursor(of: ListName, *key: int | str) -> str:
    """Return the cursor of an element with this sort key."""
    assert tuple(map(type, key)) == _KEYS[of], "a cursor holds the whole sort key"
    text = json.dumps([of.value, *key], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def decode_cursor(of: ListName, cursor: str | None) -> tuple[Any, ...]:
    """Return the sort key in a cursor; nothing but None for the beginning of the list.

    Raises:
        InputError: it is no cursor of this list.
    """
    if cursor is None:
        return (None,) * len(_KEYS[of])
    try:
        found = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        # What is no Unicode could be sent to no database.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _no_cursor(of, cursor) from error
    if not isinstance(found, list) or found[:1] != [of.value] or tuple(map(type, found[1:])) != _KEYS[of]:
        raise _no_cursor(of, cursor)
    if any(isinstance(part, int) and abs(part) > _INT_MAX for part in found[1:]):
        raise _no_cursor(of, cursor)
    return tuple(found[1:])


def _no_cursor(of: ListName, cursor: str) -> InputError:
    return InputError(f"after is {cursor[:60]!r}, which is no cursor of {of}; take `endCursor` of the page before")
