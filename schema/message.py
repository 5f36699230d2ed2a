"""Input types: messages, and the episode of one call."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from schema.assertion import CorrectionKind
from schema.fact import FactKind
from schema.ids import MemoryId, SessionId, TenantId, Uri, UserId, content_hash
from schema.importance import GivenImportance
from schema.labels import Role
from schema.zones import zone_named


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as it is stored.

    Attributes:
        said_at: when it was said, aware UTC.
        speaker: name of the speaker; None if only the role is known.
        content_hash: of role, speaker, time and text; a repetition with the same id must have the same.
        position: order among messages of one session said at the same moment.
        importance: 1 to 10.
        emotion: of the speaker, in the caller's words.
        zone: time zone of the speaker, an IANA name or an offset such as `+08:00`; "today" is a day of this zone.
        mentioned_start, mentioned_end: time that the text is about, aware UTC, half-open.
        tags: the caller's tags, normalised.
        received_at: when its text was stored; None before that.
        external_id: the caller's id, if it gave one.
        raw: payload as JSON text, kept as it came.
        metadata: JSON object of texts, numbers, booleans and lists of texts; None if empty.
        extract: read facts from it; never true for an empty text.
        expires_at: from then on it is gone; None for never.
        parts: ids of the further parts of a long text, in order; each has the id of the first part as `part_of`.
    """

    id: MemoryId
    uri: Uri
    role: Role
    text: str
    said_at: datetime
    content_hash: str
    position: int = 0
    speaker: str | None = None
    importance: int = 5
    zone: str | None = None
    emotion: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    tags: tuple[str, ...] = ()
    received_at: datetime | None = None
    external_id: str | None = None
    raw: str | None = None
    metadata: str | None = None
    extract: bool = True
    expires_at: datetime | None = None
    parts: tuple[MemoryId, ...] = ()
    part_of: MemoryId | None = None

    @property
    def raw_hash(self) -> str | None:
        """Hash of the payload; None without one."""
        return content_hash(self.raw) if self.raw is not None else None

    @property
    def repeat_key(self) -> str:
        """The part that a repetition with the same id must repeat: `content_hash`, payload and number of parts."""
        return f"{self.content_hash}/{self.raw_hash or ''}/{len(self.parts)}"

    @property
    def said_local(self) -> datetime:
        """The time `said_at`, in the time zone of the message."""
        zone = zone_named(self.zone) if self.zone else None
        return self.said_at.astimezone(zone or UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedFact:
    """A fact that the agent extracted and sends with the messages.

    Attributes:
        subject: `user`, `assistant`, or a name.
        object: `user`, `assistant`, or the short name of a person, place, thing or idea.
        statement: the fact as one sentence, in the language of the conversation.
        relation: the relation in free text: `works at`, `sister`.
        strength: 0 to 1: how important it is to the subject.
        confidence: 0 to 1: how certain you are. Below the setting `facts.confidence_min` it is not stored.
        valid_at: when it became true.
        invalid_at: when it stopped being true.
        trigger_emotion: a lasting emotion that it triggers.
        message_indexes: indexes (from 0) of the messages that are its evidence. Default: all.
        importance: 1 to 10: long-term importance; derived from the strength if omitted.
        kind: decisions have a rationale, procedures have steps.
        rationale: the reason for the decision or fact.
        steps: steps of a procedure, in order: `action → result`.
        mentioned_start: start of the time it mentions.
        mentioned_end: end of the time it mentions.
        correction: kind of a manual correction; never set for facts that agents send.
        replaces: known facts of the same subject that this one replaces: ids or URIs, or statements or objects.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    relation: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    strength: float = 0.7
    confidence: float = 0.9
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    trigger_emotion: str | None = None
    message_indexes: tuple[int, ...] = ()
    importance: GivenImportance = None
    kind: FactKind = FactKind.FACT
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    correction: CorrectionKind | None = None
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Validated messages of one ingest call, with their scope.

    Attributes:
        received_at: when the service accepted them, aware UTC.
        user_name: the user's display name, if the caller gave one.
    """

    tenant: TenantId
    user_id: UserId
    session_id: SessionId
    messages: tuple[Message, ...]
    received_at: datetime
    agent_id: str | None = None
    user_name: str | None = None
    facts: tuple[ProvidedFact, ...] = field(default=())
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedFact:
    """A known fact that was closed by a fact of this call.

    Attributes:
        fact_index: index of the fact in the call.
        id: id of the known fact.
        statement: statement of the known fact.
    """

    fact_index: int
    id: MemoryId
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactConflict:
    """A known fact that a fact of the call may contradict. Both stay valid.

    Attributes:
        fact_index: index of the fact in the call.
        id: id of the known fact.
        statement: statement of the known fact.
        why: why they may contradict each other.
    """

    fact_index: int
    id: MemoryId
    statement: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedOutcome:
    """The effect of provided facts on known ones.

    Attributes:
        closes: known facts that facts of the call close once they are processed.
        conflicts: known facts that facts of the call may contradict. Pass a fact again with `replaces` to close one.
        notes: references to replaced facts that match none or several, or why nothing was compared.
    """

    closes: tuple[ClosedFact, ...] = ()
    conflicts: tuple[FactConflict, ...] = ()
    notes: tuple[str, ...] = ()


NO_OUTCOME: Final = ProvidedOutcome()
