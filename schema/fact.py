"""Facts: what an edge of the graph says, and what proves it."""

from dataclasses import dataclass
from datetime import datetime

from schema.entity import Being
from schema.ids import MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Words that support a fact.

    Attributes:
        quote_start: character offset in the message text; None when the whole message is the proof.
    """

    message_id: MemoryId
    quote_start: int | None = None
    quote_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFact:
    """A fact that passed the check: both ends are known beings, the predicate is on the whitelist.

    Attributes:
        statement: the fact in words, in the language of the conversation.
        strength: 0…1, how much it matters to the subject; confidence: 0…1, how sure the reader is.
        closes: True when it says that something no longer holds ("I don't live in Paris any more").
        reader: who read it: `rules`, `caller`, or the model's name.
    """

    subject: Being
    predicate: str
    object: Being
    statement: str
    relation: str | None
    strength: float
    confidence: float
    valid_at: datetime
    invalid_at: datetime | None
    trigger_emotion: str | None
    proofs: tuple[Proof, ...]
    reader: str
    closes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact as the graph holds it, with what a decision about it needs.

    Attributes:
        evidence: ids of the messages that prove it; scenes: ids of the scenes they belong to.
        slot: how many times the same fact had been opened before.
    """

    id: MemoryId
    subject_id: MemoryId
    object_id: MemoryId
    predicate: str
    relation: str | None
    slot: int
    statement: str
    strength: float
    confidence: float
    first_seen: datetime
    last_seen: datetime
    valid_at: datetime
    invalid_at: datetime | None
    evidence: tuple[MemoryId, ...]
    scenes: tuple[MemoryId, ...]
    reader: str
