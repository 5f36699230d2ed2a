"""How a claim is put into words, and how much of it is believed: as it was read, and as people state it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from schema.fact import PERSON, FactDetail, ReadAs
from schema.telling import Stated, Telling, last_word

# How much a fact matters that a person states by hand, and one that they pin.
STATED_STRENGTH: Final = 0.9
IMPORTANCE_MAX: Final = 10
# Whose words name a fact when several told it at the same time: who hands it in, then a model, then the rules.
_READERS = ("caller", "", "rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a claim is put, and how much of it is believed.

    Attributes:
        rank: whose words count: the lowest; an assertion before an end, then the earliest.
    """

    rank: tuple[bool, datetime, int, str]
    statement: str
    reader: str
    base_strength: float
    confidence: float
    importance: int
    trigger_emotion: str | None
    detail: FactDetail

    def joined(self, other: "Wording") -> "Wording":
        """Both in one: the words of the first, the best of each judgement; what a person states is kept beside it."""
        if (self.reader == PERSON) != (other.reader == PERSON):
            return other if self.reader == PERSON else self
        first, second = (self, other) if self.rank <= other.rank else (other, self)
        return replace(
            first,
            base_strength=max(self.base_strength, other.base_strength),
            confidence=max(self.confidence, other.confidence),
            importance=max(self.importance, other.importance),
            trigger_emotion=first.trigger_emotion or second.trigger_emotion,
            detail=first.detail.joined(second.detail, first=True),
        )


def in_front(wording: Wording, told: Sequence[Telling], stated: Collection[str]) -> Wording:
    """How a claim is put: as a person stated it last, else as it was read.

    Args:
        stated: what people stated, `messageId:words`.
    """
    if not stated:
        return wording
    words = dict(text.split(":", 1) for text in stated)
    said = last_word(telling for telling in told if telling.asserts and telling.message_id in words)
    if said is None:
        return wording
    pinned = any(telling.stated is Stated.PINS for telling in told)
    return replace(
        wording,
        statement=words[said.message_id],
        reader=PERSON,
        base_strength=max(wording.base_strength, STATED_STRENGTH),
        confidence=1.0,
        importance=IMPORTANCE_MAX if pinned else wording.importance,
    )


def behind(wording: Wording, told: Sequence[Telling], stated: Collection[str]) -> ReadAs | None:
    """How a claim was read, or put first, when a person's words stand in front of that."""
    if in_front(wording, told, stated) == wording:
        return None
    return ReadAs(
        statement=wording.statement,
        base_strength=wording.base_strength,
        confidence=wording.confidence,
        importance=wording.importance,
        reader=wording.reader,
        trigger_emotion=wording.trigger_emotion,
        detail=wording.detail,
    )


def rank_of(told: Sequence[Telling], reader: str, statement: str) -> tuple[bool, datetime, int, str]:
    """Whose words count: the lowest."""
    # What a person states says nothing of when it was read.
    mine = [telling for telling in told if (telling.stated is not None) == (reader == PERSON)] or told
    first = min((telling.ends, telling.valid_at) for telling in mine)
    place = _READERS.index(reader) if reader in _READERS else _READERS.index("")
    return (*first, place, statement)
