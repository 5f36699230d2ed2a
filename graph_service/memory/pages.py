"""Pages of an answer: a cursor says what was shown of one question, so the next page repeats nothing. Pure.

A cursor holds no rights: it names no tenant and no memory, and only the question it was made for accepts it.
"""

import base64
import binascii
import hashlib
import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from graph_service.memory.ranking import Ranked
from schema.errors import InputError

CURSOR_LIFE: Final = timedelta(hours=1)
_MARK_BYTES: Final = 5
_SEAL_BYTES: Final = 8
_HEAD: Final = struct.Struct(">BQ")
_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_MS: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a cursor says.

    Attributes:
        asked_at: when the first page was asked for: words such as "yesterday" go on meaning the same.
        marks: of the hits that were shown.
    """

    asked_at: datetime
    marks: frozenset[bytes] = frozenset()


def mark_of(kind: str, name: str) -> bytes:
    """A short mark of a hit."""
    return hashlib.blake2b(f"{kind} {name}".encode(), digest_size=_MARK_BYTES).digest()


def cursor_of(shown: Shown, asked: str) -> str:
    """The cursor that says what was shown of a question.

    Args:
        asked: everything that makes the question what it is.
    """
    body = _HEAD.pack(_VERSION, (shown.asked_at - _EPOCH) // _ONE_MS) + b"".join(sorted(shown.marks))
    return base64.urlsafe_b64encode(body + _seal(body, asked)).decode().rstrip("=")


def shown_in(cursor: str, asked: str, *, now: datetime) -> Shown:
    """What a cursor says.

    Raises:
        InputError: it is no cursor of ours, was made for another question, or is too old.
    """
    try:
        whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError("after is no cursor of ours; hand in the one that came with the last answer") from error
    body, seal = whole[:-_SEAL_BYTES], whole[-_SEAL_BYTES:]
    marks = body[_HEAD.size :]
    if len(body) < _HEAD.size or body[0] != _VERSION or len(marks) % _MARK_BYTES:
        raise InputError("after is no cursor of ours; hand in the one that came with the last answer")
    if _seal(body, asked) != seal:
        raise InputError("after belongs to another question; ask on with the same one, or without after")
    asked_at = _EPOCH + _HEAD.unpack_from(body)[1] * _ONE_MS
    if not now - CURSOR_LIFE <= asked_at <= now:
        raise InputError("after is stale: more than an hour has passed; ask again without it")
    found = frozenset(marks[at : at + _MARK_BYTES] for at in range(0, len(marks), _MARK_BYTES))
    return Shown(asked_at=asked_at, marks=found)


def page_of(ranked: Sequence[Ranked], shown: Shown, asked: str, *, limit: int) -> tuple[list[Ranked], str | None]:
    """The next hits that were not shown yet, and the cursor for what comes behind them; None when nothing does."""
    # To mark all that was found takes as long as to rank it.
    left = [one for one in ranked if _mark(one) not in shown.marks] if shown.marks else ranked
    page = list(left[:limit])
    if len(left) <= limit:
        return page, None
    marks: Collection[bytes] = {_mark(one) for one in page}
    return page, cursor_of(Shown(asked_at=shown.asked_at, marks=shown.marks.union(marks)), asked)


def _mark(one: Ranked) -> bytes:
    return mark_of(one.candidate.kind, one.candidate.id)


def _seal(body: bytes, asked: str) -> bytes:
    return hashlib.blake2b(body, key=hashlib.blake2b(asked.encode()).digest(), digest_size=_SEAL_BYTES).digest()
