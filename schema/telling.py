"""Tellings: when a message said a fact, or that it is over. Everything about when a fact held follows from them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final

from schema.errors import InputError
from schema.ids import MemoryId

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ONE = timedelta(microseconds=1)
_MOMENTS_KEPT: Final = 16_384


class Closing(StrEnum):
    """Why a fact does not hold any more: another took its place, its opposite was said, somebody said that it was over.

    `JOINED` is a spell that turned out to be part of an earlier one of the same fact; `JUDGED`: a model held that what
    was said since leaves no room for it; `REJECTED`: a person said that it never held.
    """

    REPLACED = "replaced"
    REVERSED = "reversed"
    OVER = "over"
    JOINED = "joined"
    JUDGED = "judged"
    REJECTED = "rejected"


class Stated(StrEnum):
    """What a person states of a fact, by hand: that it is so, that it never was, or that it must not be overlooked."""

    SAYS = "says"
    REJECTS = "rejects"
    PINS = "pins"


_MARKS: Final = {Stated.SAYS: "h", Stated.REJECTS: "n", Stated.PINS: "p"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One message that says a fact.

    Attributes:
        valid_at: from when it held by this telling; of an end, when it was over.
        valid_by: when that had come at the latest ("last month" begins early and ends late); not before `valid_at`.
        heard_at, position: when the message was stored, and where in its call; they part what was said at one moment.
        ends: it says that the fact is over.
        adds: it says that the fact holds beside others of its kind ("I also work at …").
        judged: of an end: the message does not say so; a model concluded it from what the message does say.
        stated: a person stated it by hand; that outranks whatever was read. None when it was read.
    """

    message_id: MemoryId
    scene_id: MemoryId
    valid_at: datetime
    valid_by: datetime
    said_at: datetime
    heard_at: datetime
    position: int = 0
    ends: bool = False
    adds: bool = False
    judged: bool = False
    stated: Stated | None = None

    @property
    def asserts(self) -> bool:
        """True if a person stated that it is so."""
        return self.stated is not None and not self.ends


def telling_text(telling: Assertion) -> str:
    """Return a telling as edges keep it: `message|scene|valid|by|said|heard|position|marks`, moments in µs."""
    marks = ("e" if telling.ends else "") + ("a" if telling.adds else "") + ("j" if telling.judged else "")
    marks += _MARKS[telling.stated] if telling.stated else ""
    moments = map(_number_of, (telling.valid_at, telling.valid_by, telling.said_at, telling.heard_at))
    return "|".join((telling.message_id, telling.scene_id, *moments, str(telling.position), marks))


def telling_of(text: str) -> Assertion:
    """Return the telling in a text that `telling_text` made.

    Raises:
        InputError: the text has another form.
    """
    try:
        message, scene, *numbers, position, marks = text.rsplit("|", 7)
        valid_at, valid_by, said_at, heard_at = map(_moment_of, numbers)
        place = int(position)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{text!r} is no telling; it must read message|scene|valid|by|said|heard|position|marks"
        ) from error
    return Assertion(
        message_id=MemoryId(message),
        scene_id=MemoryId(scene),
        valid_at=valid_at,
        valid_by=valid_by,
        said_at=said_at,
        heard_at=heard_at,
        position=place,
        ends="e" in marks,
        adds="a" in marks,
        judged="j" in marks,
        stated=_stated_by(marks) if marks else None,
    )


# A fact that was told a thousand times is read and written with a thousand tellings, and most of their moments are the
# same: of one telling, and of what one call stored.
@lru_cache(maxsize=_MOMENTS_KEPT)
def _moment_of(number: str) -> datetime:
    return _EPOCH + int(number) * _ONE


@lru_cache(maxsize=_MOMENTS_KEPT)
def _number_of(moment: datetime) -> str:
    return f"{(moment - _EPOCH) // _ONE}"


def _stated_by(marks: str) -> Stated | None:
    return next((stated for stated, mark in _MARKS.items() if mark in marks), None)


def last_word(tellings: Iterable[Assertion]) -> Assertion | None:
    """Return what a person stated last of a fact; None when nobody did."""
    stated = [telling for telling in tellings if telling.stated is not None]
    return max(stated, key=lambda one: (one.said_at, one.heard_at, one.position, one.message_id), default=None)


def joined(tellings: Iterable[Assertion]) -> tuple[Assertion, ...]:
    """Tellings with one for each message that says the fact and one for each that ends it; order does not matter."""
    one: dict[tuple[MemoryId, bool], Assertion] = {}
    for telling in tellings:
        key = (telling.message_id, telling.ends)
        before = one.get(key)
        if before is not None:
            telling = replace(
                telling,
                scene_id=min(before.scene_id, telling.scene_id),
                valid_at=min(before.valid_at, telling.valid_at),
                valid_by=min(before.valid_by, telling.valid_by),
                said_at=min(before.said_at, telling.said_at),
                heard_at=min(before.heard_at, telling.heard_at),
                position=min(before.position, telling.position),
                adds=before.adds or telling.adds,
                judged=before.judged and telling.judged,
                stated=before.stated or telling.stated,
            )
        one[key] = telling
    return tuple(one[key] for key in sorted(one))
