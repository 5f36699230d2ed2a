"""Assertions, from which the valid times of facts are computed, and the texts of corrections by people."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final

from schema.errors import InputError
from schema.ids import MemoryId

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MOMENTS_KEPT: Final = 16_384


class Closing(StrEnum):
    """The reason why a fact ended.

    REPLACED: another value of an attribute, or the caller said so. REVERSED: the opposite predicate. ENDED: a message
    says so. MERGED: it turned out to be part of an earlier period, or another fact says the same ("I love oat milk",
    "my favourite milk is oat milk"). JUDGED: a model concluded it from later messages. REJECTED: a person said that the
    fact was never true.
    """

    REPLACED = "replaced"
    REVERSED = "reversed"
    ENDED = "ended"
    MERGED = "merged"
    JUDGED = "judged"
    REJECTED = "rejected"


CLOSING_TEXTS: Final = {
    Closing.REPLACED: "another took its place",
    Closing.REVERSED: "the opposite was said",
    Closing.ENDED: "it was said to have ended",
    Closing.JUDGED: "a model judged that what was said since leaves no room for it",
    Closing.REJECTED: "a person said that it is not so",
    Closing.MERGED: "it is part of another fact, which says the same",
}


class CorrectionKind(StrEnum):
    """A correction of a fact by a person: it is true, it was never true, or it must be in the profile."""

    SAYS = "says"
    REJECTS = "rejects"
    PINS = "pins"


_MARKS: Final = {CorrectionKind.SAYS: "h", CorrectionKind.REJECTS: "n", CorrectionKind.PINS: "p"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One message that states a fact or its end.

    Attributes:
        valid_at: earliest time of the start (or of the end, with `ends`) according to the message.
        valid_by: latest time of the start or end ("last month" is a range); not before `valid_at`.
        heard_at, position: when the message was stored and its index in the call; they break ties of `said_at`.
        ends: the message says that the fact has ended.
        adds: the message says that the fact is valid in addition to others ("I also work at …").
        judged: with `ends`: a model concluded the end; the message does not say it.
        changes: the message says that the value is new or changed ("now", "switched to"), so that it replaces the
            others of an attribute that may hold several.
        replaces: ids of claims that the fact replaces, as the caller said.
        unconfirmed: only the local reader read it, and a model is to read the message, too.
        local: only the local reader read it.
        correction: a correction by a person, with priority over extracted facts; None when extracted.
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
    correction: CorrectionKind | None = None
    changes: bool = False
    replaces: tuple[MemoryId, ...] = ()
    unconfirmed: bool = False
    local: bool = False

    @property
    def asserts(self) -> bool:
        """True if a person stated that the fact is true."""
        return self.correction is not None and not self.ends


def assertion_text(assertion: Assertion) -> str:
    """Return an assertion as stored in `assertions[]`: `message|scene|valid|by|said|heard|position|marks`, times in µs.

    The marks are letters, followed by `:` and the ids of the replaced claims, if there are any.
    """
    marks = ("e" if assertion.ends else "") + ("a" if assertion.adds else "") + ("j" if assertion.judged else "")
    marks += _MARKS[assertion.correction] if assertion.correction else ""
    marks += ("c" if assertion.changes else "") + ("u" if assertion.unconfirmed else "")
    marks += "l" if assertion.local else ""
    marks += f":{','.join(assertion.replaces)}" if assertion.replaces else ""
    moments = map(_number_of, (assertion.valid_at, assertion.valid_by, assertion.said_at, assertion.heard_at))
    return "|".join((assertion.message_id, assertion.scene_id, *moments, str(assertion.position), marks))


def parse_assertion(text: str) -> Assertion:
    """Return the assertion of a text that `assertion_text` wrote.

    Raises:
        InputError: the text has another form.
    """
    try:
        message, scene, *numbers, position, marks = text.rsplit("|", 7)
        valid_at, valid_by, said_at, heard_at = map(_moment_of, numbers)
        place = int(position)
        marks, _, replaced = marks.partition(":")
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{text!r} is not an assertion; the format is message|scene|valid|by|said|heard|position|marks"
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
        correction=next((stated for stated, mark in _MARKS.items() if mark in marks), None) if marks else None,
        changes="c" in marks,
        unconfirmed="u" in marks,
        local="l" in marks,
        replaces=tuple(map(MemoryId, replaced.split(","))) if replaced else (),
    )


# A fact that was stated a thousand times has a thousand assertions, and most of their times are equal: the four of one
# assertion, and those of one call.
@lru_cache(maxsize=_MOMENTS_KEPT)
def _moment_of(number: str) -> datetime:
    return _EPOCH + int(number) * _MICROSECOND


@lru_cache(maxsize=_MOMENTS_KEPT)
def _number_of(moment: datetime) -> str:
    return f"{(moment - _EPOCH) // _MICROSECOND}"


def latest_correction(assertions: Iterable[Assertion]) -> Assertion | None:
    """Return the latest correction of a fact by a person; None if there is none."""
    stated = [assertion for assertion in assertions if assertion.correction is not None]
    return max(stated, key=lambda one: (one.said_at, one.heard_at, one.position, one.message_id), default=None)


def joined(assertions: Iterable[Assertion]) -> tuple[Assertion, ...]:
    """Return at most one assertion per message and direction (start or end), merged; the order does not matter."""
    one: dict[tuple[MemoryId, bool], Assertion] = {}
    for assertion in assertions:
        key = (assertion.message_id, assertion.ends)
        before = one.get(key)
        if before is not None:
            assertion = replace(
                assertion,
                scene_id=min(before.scene_id, assertion.scene_id),
                valid_at=min(before.valid_at, assertion.valid_at),
                valid_by=min(before.valid_by, assertion.valid_by),
                said_at=min(before.said_at, assertion.said_at),
                heard_at=min(before.heard_at, assertion.heard_at),
                position=min(before.position, assertion.position),
                adds=before.adds or assertion.adds,
                judged=before.judged and assertion.judged,
                correction=before.correction or assertion.correction,
                changes=before.changes or assertion.changes,
                replaces=tuple(sorted({*before.replaces, *assertion.replaces})),
                unconfirmed=before.unconfirmed and assertion.unconfirmed,
                local=before.local and assertion.local,
            )
        one[key] = assertion
    return tuple(one[key] for key in sorted(one))


_CJK: Final = ("\u4e00", "\u9fff")


class StatementKind(StrEnum):
    ADD = "add"
    UPDATE = "update"
    CONFIRM = "confirm"
    REJECT = "reject"
    PIN = "pin"


_SENTENCES: Final = {
    StatementKind.ADD: ("{}", "{}"),
    StatementKind.UPDATE: ("It is rather so: {}", "应当是：{}"),
    StatementKind.CONFIRM: ("It is so: {}", "确实如此：{}"),
    StatementKind.REJECT: ("It is not so: {}", "并非如此：{}"),
    StatementKind.PIN: ("This matters: {}", "这很重要：{}"),
}


def sentence_of(kind: StatementKind, words: str) -> str:
    """Return the text of a correction's message, in the language of the fact. Pure."""
    return _SENTENCES[kind][any(_CJK[0] <= char <= _CJK[1] for char in words)].format(words)


def words_of(kind: StatementKind, text: str) -> str:
    """Return the words that `sentence_of` made into the text of a correction's message. Pure."""
    for form in _SENTENCES[kind]:
        before = form.partition("{}")[0]
        if before and text.startswith(before):
            return text[len(before) :]
    return text
