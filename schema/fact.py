"""Facts: relations with valid times and evidence.

A reading proposes facts by name (`schema.message.ProvidedFact` from a caller, `ProposedFact` from a reader); the check
resolves them to an `AcceptedFact`, which is one assertion; all assertions of a claim together make its `Fact`s, one for
each validity period. So the three have different values, and no other type for a fact is stored.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from schema.assertion import Assertion, Closing, CorrectionKind
from schema.entity import EntityRef
from schema.ids import MemoryId, Uri

_T = TypeVar("_T")

# Value of `reader` for corrections by people.
PERSON: Final = "person"
# Reader of what the reader without a language model finds.
LOCAL_READER: Final = "rules"


def told_begin(valid_at: _T, invalid_at: _T | None, known_at: _T | None, end_known_at: _T | None) -> _T | None:
    """Return the begin of a valid time; None if it is unknown, because the message told the fact as past.

    Stored, such a fact ends where it begins, and its end was received with it ("I used to live in Lyon"); a rejected
    one ends where it begins, too, but that was learned later.
    """
    return None if valid_at == invalid_at and known_at is not None and known_at == end_known_at else valid_at


class FactKind(StrEnum):
    """Kind of a fact; when one fact is extracted with two kinds, the later in this list wins."""

    FACT = "fact"
    DECISION = "decision"
    PROCEDURE = "procedure"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetail:
    """Kind of a fact, with the details of that kind.

    Attributes:
        rationale: the stated reason, if any.
        steps: of a procedure, in order, each "action → result".
        mentioned_start, mentioned_end: the time the fact is about, aware UTC, if the text names one.
    """

    kind: FactKind = FactKind.FACT
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None

    def joined(self, other: "FactDetail", *, first: bool) -> "FactDetail":
        """Merge two details of one fact; where both have a value, keep that of `self` if `first`, else of `other`."""
        one, two = (self, other) if first else (other, self)
        timed = one if one.mentioned_start is not None else two
        return FactDetail(
            kind=max(self.kind, other.kind, key=list(FactKind).index),
            rationale=one.rationale or two.rationale,
            steps=one.steps or two.steps,
            mentioned_start=timed.mentioned_start,
            mentioned_end=timed.mentioned_end,
        )


PLAIN_FACT = FactDetail()


class Claim(NamedTuple):
    """The content of a fact, regardless of time: a claim may be valid for several periods, each a fact of its own."""

    subject_id: MemoryId
    predicate: str
    relation: str | None
    object_id: MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A message that supports a fact.

    Attributes:
        heard_at: when the message was stored; None if it is not stored yet.
        position: index among messages of the same time.
        quote_start: character offset in the message text; None when the whole message is the evidence.
        adds: the message says that the fact is valid in addition to others.
    """

    message_id: MemoryId
    said_at: datetime
    heard_at: datetime | None = None
    position: int = 0
    quote_start: int | None = None
    quote_end: int | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FactValues:
    """The values of a fact that its reader extracts, and a correction overrides.

    Attributes:
        statement: the fact in words, in the language of the conversation.
        base_strength: 0…1, relevance for the subject; confidence: 0…1, certainty of the reader.
        importance: 1…10, expected later relevance.
        reader: `rules`, `caller`, `person`, or the model's name.
    """

    statement: str
    base_strength: float
    confidence: float
    importance: int
    reader: str
    trigger_emotion: str | None
    detail: FactDetail


def fact_values(source: FactValues) -> dict[str, Any]:
    """Return the fields of `FactValues` by name."""
    return {name: getattr(source, name) for name in FactValues.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFact(FactValues):
    """A proposal that passed the check: both ends are resolved, the predicate is on the whitelist.

    Not a `Fact` yet: it asserts or ends a claim, which may be stored already for several periods.

    Attributes:
        said_at: time of the first evidence message.
        valid_by: latest possible start; None means `valid_at`.
        closes: the message says that the fact has ended ("I don't live in Paris any more").
        corrects: it ends what a message had wrong that its own corrects; nothing if no such fact is stored.
        withdraws: id of that message, if another fact is told instead: what was read from it was never true.
        correction: set when it is a correction by a person.
        changes: the statement or its evidence says that the value is new or changed.
        replaces: ids of the claims that it replaces, as the caller said.
        unconfirmed: the local reader read it, and a model is to read the same messages.
    """

    subject: EntityRef
    predicate: str
    object: EntityRef
    relation: str | None
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    proofs: tuple[Proof, ...]
    valid_by: datetime | None = None
    closes: bool = False
    corrects: bool = False
    withdraws: MemoryId | None = None
    correction: CorrectionKind | None = None
    changes: bool = False
    replaces: tuple[MemoryId, ...] = ()
    unconfirmed: bool = False

    @property
    def claim(self) -> Claim:
        """Return the fact without its times."""
        return Claim(self.subject.id, self.predicate, self.relation, self.object.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(FactValues):
    """A fact as stored in the graph: one validity period of a claim.

    Attributes:
        evidence, scenes: ids of the evidence messages and of their scenes, sorted.
        quotes: positions of the supporting text, `messageId:start:end`, sorted.
        slot: number of earlier validity periods of the same claim.
        base_strength: strength of the strongest evidence; `strength` is computed from it and the amount of evidence.
        closed_by: id of the fact that ended this one; None when it is open or a message says that it ended.
        closing_reason: reason of the end; None when it is open.
        closing_known_at: when the assertion that ended it was received; None when it is open.
        assertions: its assertions; mentions have none.
        ignored_closings: ids of the facts (first validity period) and messages whose ending of it a person rejected.
        object_name: name of the object, if loaded.
        corrections: manual corrections, `messageId:words`, sorted.
        wordings: the extracted statements of its messages, `messageId:words`, sorted; empty if all are the same.
        extracted: the extracted values that corrections override; None if there are none.
        recorded_at: when it was first stored; None if it is not, or was not loaded.
    """

    id: MemoryId
    uri: Uri
    subject_id: MemoryId
    object_id: MemoryId
    predicate: str
    relation: str | None
    slot: int
    strength: float
    first_seen: datetime
    last_seen: datetime
    valid_at: datetime
    invalid_at: datetime | None
    closed_by: MemoryId | None
    evidence: tuple[MemoryId, ...]
    scenes: tuple[MemoryId, ...]
    quotes: tuple[str, ...]
    importance: int = 5
    detail: FactDetail = PLAIN_FACT
    closing_reason: Closing | None = None
    assertions: tuple[Assertion, ...] = ()
    ignored_closings: tuple[str, ...] = ()
    object_name: str | None = None
    closing_known_at: datetime | None = None
    corrections: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    extracted: FactValues | None = None
    recorded_at: datetime | None = field(default=None, compare=False)

    @property
    def is_unconfirmed(self) -> bool:
        """True if only the local reader has read it, or no model has judged it, and one is to do so."""
        return bool(self.assertions) and all(assertion.unconfirmed for assertion in self.assertions)

    @property
    def known_at(self) -> datetime | None:
        """Return when the first assertion was received; None for mentions."""
        starts = [assertion for assertion in self.assertions if not assertion.ends] or self.assertions
        return min((assertion.heard_at for assertion in starts), default=None)

    @property
    def begin(self) -> datetime | None:
        """Return when it became true; None if it was told as past, without its begin."""
        return told_begin(self.valid_at, self.invalid_at, self.known_at, self.closing_known_at)

    @property
    def claim(self) -> Claim:
        """Return the fact without its times."""
        return Claim(self.subject_id, self.predicate, self.relation, self.object_id)
