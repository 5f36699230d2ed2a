"""Encode and decode cursors, which request the next page of an answer. Pure.

A cursor contains marks (short hashes) of the hits shown so far, so that the next page repeats none. It grants no
access: it identifies no tenant or memory, and is valid only for the question it was made for.
"""

import base64
import binascii
import hashlib
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from schema.errors import InputError

CURSOR_LIFE: Final = timedelta(hours=1)
_MARK_BYTES: Final = 5
_SEAL_BYTES: Final = 8
_HEAD: Final = struct.Struct(">BQ")
_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_MS: Final = timedelta(milliseconds=1)
_MALFORMED: Final = "after is not a cursor of this service; use the cursor of the previous answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorState:
    """The content of a cursor.

    Attributes:
        asked_at: when the first page was requested; "yesterday" means the same day on every page.
        marks: hashes (`mark_of`) of the hits that were shown.
    """

    asked_at: datetime
    marks: frozenset[bytes] = frozenset()


def cursor_of(shown: CursorState, key: str) -> str:
    """Return the cursor for a question.

    Args:
        key: fingerprint of the question.
    """
    body = _HEAD.pack(_VERSION, (shown.asked_at - _EPOCH) // _ONE_MS) + b"".join(sorted(shown.marks))
    return base64.urlsafe_b64encode(body + _seal(body, key)).decode().rstrip("=")


def shown_in(cursor: str, key: str, *, now: datetime) -> CursorState:
    """Return the content of a cursor.

    Raises:
        InputError: the cursor is malformed, too old, or of another question.
    """
    try:
        whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(_MALFORMED) from error
    body, seal = whole[:-_SEAL_BYTES], whole[-_SEAL_BYTES:]
    marks = body[_HEAD.size :]
    if len(body) < _HEAD.size or body[0] != _VERSION or len(marks) % _MARK_BYTES:
        raise InputError(_MALFORMED)
    if _seal(body, key) != seal:
        raise InputError("after belongs to another question; repeat that question, or leave out after")
    asked_at = _EPOCH + _HEAD.unpack_from(body)[1] * _ONE_MS
    if not now - CURSOR_LIFE <= asked_at <= now:
        raise InputError("after is stale: more than an hour old; ask again without it")
    found = frozenset(marks[at : at + _MARK_BYTES] for at in range(0, len(marks), _MARK_BYTES))
    return CursorState(asked_at=asked_at, marks=found)


def mark_of(kind: str, name: str) -> bytes:
    """Return the short hash that stands for a hit in a cursor."""
    return hashlib.blake2b(f"{kind} {name}".encode(), digest_size=_MARK_BYTES).digest()


def _seal(body: bytes, key: str) -> bytes:
    return hashlib.blake2b(body, key=hashlib.blake2b(key.encode()).digest(), digest_size=_SEAL_BYTES).digest()
