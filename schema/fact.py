"""Facts: what an edge of the graph says, and what proves it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from schema.entity import EntityRef
from schema.ids import MemoryId, Uri
from schema.telling import Assertion, Closing, Stated

# The reader of what a person stated by hand.
PERSON: Final = "person"


class FactKind(StrEnum):
    """What sort of knowledge a fact is; the later outranks the earlier when both are read of one fact."""

    FACT = "fact"
    DECISION = "decision"
    PROCEDURE = "procedure"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetail:
    """What sort of fact it is, and what goes with that sort.

    Attributes:
        rationale: why it was decided or is so, if somebody said why.
        steps: of a procedure, in order, each "action → result".
        mentioned_start, mentioned_end: the time the fact talks about, aware UTC, when the words name one.
    """

    kind: FactKind = FactKind.FACT
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None

    def joined(self, other: "FactDetail", *, first: bool) -> "FactDetail":
        """Return both details of one fact in one; `first` says whose words win where both have some: this one's."""
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
    """What a fact says, whenever it holds: the fact may have held for several spells."""

    subject_id: MemoryId
    predicate: str
    relation: str | None
    object_id: MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Words that support a fact.

    Attributes:
        said_at: when the message was said; heard_at: when it was stored, if it was; position: among those of the time.
        quote_start: character offset in the message text; None when the whole message is the proof.
        adds: the words say that the fact holds beside others of its kind.
    """

    message_id: MemoryId
    said_at: datetime
    heard_at: datetime | None = None
    position: int = 0
    quote_start: int | None = None
    quote_end: int | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFact:
    """A fact that passed the check: both ends are known beings, the predicate is on the whitelist.

    Attributes:
        statement: the fact in words, in the language of the conversation.
        strength: 0…1, how much it matters to the subject; confidence: 0…1, how sure the reader is.
        importance: 1…10, how much it will matter later.
        said_at: when the first of the proving messages was said; said_last: when the last was.
        valid_by: when it had begun at the latest; None means at `valid_at`.
        closes: True when it says that something no longer holds ("I don't live in Paris any more").
        reader: who read it: `rules`, `caller`, `person`, or the model's name.
        stated: a person stated it by hand.
    """

    subject: EntityRef
    predicate: str
    object: EntityRef
    statement: str
    relation: str | None
    strength: float
    confidence: float
    said_at: datetime
    said_last: datetime
    valid_at: datetime
    invalid_at: datetime | None
    trigger_emotion: str | None
    proofs: tuple[Proof, ...]
    reader: str
    valid_by: datetime | None = None
    closes: bool = False
    importance: int = 5
    detail: FactDetail = PLAIN_FACT
    stated: Stated | None = None

    @property
    def claim(self) -> Claim:
        """Return what it says."""
        return Claim(self.subject.id, self.predicate, self.relation, self.object.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAs:
    """How a fact was read, while a person's words stand in front of it."""

    statement: str
    base_strength: float
    confidence: float
    importance: int
    reader: str
    trigger_emotion: str | None
    detail: FactDetail


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact as the graph holds it.

    Attributes:
        evidence: ids of the messages that prove it, sorted; scenes: ids of the scenes they belong to, sorted.
        quotes: where in a message the proving words stand, `messageId:start:end`, sorted.
        slot: how many spells of the same fact had ended before this one began.
        base_strength: the strongest single proof; `strength` follows from it and the number of proofs.
        closed_by: the fact that ended this one; None when it is open or the text itself said it was over.
        closed_why: why it does not hold any more; facts of older versions do not say.
        closing_known_at: when we heard of what closed it; facts of older versions do not say.
        told: the messages that said it or ended it, with when; facts of older versions have none.
        reopened: what does not close it, because a person said so: claims (ids of their first spells) and messages.
        object_name: what the object is called, where it is known.
        stated: what people stated by hand, `messageId:words`, sorted; read_as: how it was read, if it was read as well.
    """

    id: MemoryId
    uri: Uri
    subject_id: MemoryId
    object_id: MemoryId
    predicate: str
    relation: str | None
    slot: int
    statement: str
    base_strength: float
    strength: float
    confidence: float
    first_seen: datetime
    last_seen: datetime
    valid_at: datetime
    invalid_at: datetime | None
    closed_by: MemoryId | None
    trigger_emotion: str | None
    evidence: tuple[MemoryId, ...]
    scenes: tuple[MemoryId, ...]
    quotes: tuple[str, ...]
    reader: str
    importance: int = 5
    detail: FactDetail = PLAIN_FACT
    closed_why: Closing | None = None
    told: tuple[Assertion, ...] = ()
    reopened: tuple[str, ...] = ()
    object_name: str | None = None
    closing_known_at: datetime | None = None
    stated: tuple[str, ...] = ()
    read_as: ReadAs | None = None

    @property
    def known_at(self) -> datetime | None:
        """When we first heard of it; None for facts of older versions and for mentions."""
        said = [telling for telling in self.told if not telling.ends] or self.told
        return min((telling.heard_at for telling in said), default=None)

    @property
    def claim(self) -> Claim:
        """Return what it says."""
        return Claim(self.subject_id, self.predicate, self.relation, self.object_id)
