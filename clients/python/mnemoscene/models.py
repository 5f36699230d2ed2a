"""Arguments and answers of the operations; a test compares the models with the service's schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field

from mnemoscene.documents import Model, Select, Word

N = TypeVar("N")

RoleName: TypeAlias = Literal["user", "assistant", "system", "tool", "event"]
HitKindName: TypeAlias = Literal["message", "scene", "fact"]
CategoryName: TypeAlias = Literal["personal", "work", "preferences", "relationships", "goals"]


class Message(Model):
    """A message to store.

    Attributes:
        id: your id; a message with an id can be sent again without effect.
        time: when it was said; now by default.
        importance: 1 to 10, or `low`, `medium`, `high`, `critical`.
        zone: time zone: `Asia/Shanghai` or `+08:00`.
        mentioned_start, mentioned_end: the time that it mentions.
        metadata: your properties, by which `where` filters: texts, numbers, booleans and lists of texts.
        raw: any JSON, kept as it is, and neither read nor searched.
        expires_at: when it is forgotten; excludes `ttl_s`, the seconds until then.
    """

    text: str
    role: RoleName = "user"
    id: str | None = None
    time: datetime | None = None
    speaker: str | None = None
    emotion: str | None = None
    importance: int | str | None = None
    zone: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    raw: Any = None
    expires_at: datetime | None = None
    ttl_s: float | None = None


Said: TypeAlias = "str | Message | Mapping[str, Any] | tuple[RoleName, str]"


class NewFact(Model):
    """A fact that the caller extracted from the messages of the same call.

    Attributes:
        predicate: `PREFERS`, `DISLIKES`, `CARES_ABOUT`, `RELATES_TO` or `CAUSED_BY`.
        relation: the relation in free text, such as `works at`.
        message_indexes: indexes of the messages that are its evidence; all by default.
        replaces: known facts of the same subject that this one replaces: ids, statements or objects.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    relation: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    strength: float | None = None
    confidence: float | None = None
    importance: int | str | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    kind: Literal["fact", "decision", "procedure"] | None = None
    rationale: str | None = None
    steps: Sequence[str] | None = None
    trigger_emotion: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    message_indexes: Sequence[int] | None = None
    replaces: Sequence[str] | None = None


class ClosedFact(Model):
    """A known fact that a fact of the call closes."""

    fact_index: int
    id: str
    statement: str


class FactConflict(Model):
    """A known fact that a fact of the call may contradict; both stay valid."""

    fact_index: int
    id: str
    statement: str
    why: str


class Receipt(Model):
    """Receipt of `remember`.

    Attributes:
        ids: ids of the messages, in the order of the call.
        repeated: number of messages that were already stored.
        dropped: reasons why facts of the call were rejected.
        spooled: the database is unavailable; the messages are safe on the service's disk.
    """

    stored: int
    ids: list[str] = Field(alias="messageIds")
    uris: list[str]
    repeated: int
    closes: list[ClosedFact]
    conflicts: list[FactConflict]
    dropped: list[str]
    notes: list[str]
    spooled: bool


class Evidence(Model):
    """A message that is evidence for a hit."""

    id: str
    uri: str
    role: Word
    speaker: str | None
    text: str
    said_at: datetime


class Hit(Model):
    """A message, scene or fact that answers a question.

    Attributes:
        kind: `message`, `scene` or `fact`.
        text: the message, the scene's abstract, or the fact's statement.
        pending: stored and searchable, but not read yet.
        overtaken_by: id of the fact that replaced it, or of the message that corrects it.
    """

    text: str
    score: float
    kind: Word
    id: str
    uri: str
    said_at: datetime
    title: str | None
    role: Word | None
    speaker: str | None
    tags: list[str]
    metadata: dict[str, Any]
    pending: bool
    subject: str | None
    predicate: str | None
    relation: str | None
    object: str | None
    confidence: float | None
    valid_at: datetime | None
    invalid_at: datetime | None
    overtaken_by: str | None
    evidence: list[Evidence]


class Hits(Model):
    """The hits of a question."""

    hits: list[Hit]


class Context(Model):
    """Memory as text for a prompt.

    Attributes:
        text: the profile and what answers the question; quoted, so that it cannot act as an instruction.
        confidence: probability that the memory contains an answer; None if not estimated.
    """

    text: str
    tokens: int
    confidence: float | None
    nothing_relevant: bool
    degraded: bool
    notes: list[str]


Name = Annotated[
    str, Select(fields="{ name }"), BeforeValidator(lambda node: node["name"] if isinstance(node, dict) else node or "")
]


class Fact(Model):
    """A fact: a relation between two named things.

    Attributes:
        strength: 0 to 1; grows with the amount of evidence.
        valid_at, invalid_at: when it became true and stopped being true; None if unknown or still true.
        created_at, updated_at: when it was first and last recorded.
    """

    id: str
    uri: str
    statement: str
    subject: Name
    predicate: str
    relation: str | None
    object: Name
    strength: float
    confidence: float
    importance: int | None
    kind: Word
    rationale: str | None
    steps: list[str]
    tags: list[str]
    valid_at: datetime | None
    invalid_at: datetime | None
    created_at: datetime | None
    updated_at: datetime | None
    last_seen: datetime | None
    version: int


class Closing(Model):
    """The reason why a fact is no longer valid, and what closed it."""

    reason: Word
    text: str
    fact_id: str | None
    message_id: str | None


class FactStatus(Model):
    """A fact, and whether it is valid.

    Attributes:
        holds: it was valid at the time asked for.
        closing: why it is no longer valid; None while it is.
    """

    id: str
    uri: str
    statement: str
    kind: Word
    valid_at: datetime | None
    invalid_at: datetime | None
    holds: bool
    closing: Closing | None


class FactVersion(Model):
    """One fact in the history of a fact."""

    id: str
    statement: str
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    valid_at: datetime | None
    invalid_at: datetime | None
    known_at: datetime
    closing_known_at: datetime | None
    closing: Closing | None
    evidence: list[str]


class Correction(Model):
    """A correction of a fact.

    Attributes:
        fact_id: the fact that holds now; None while the correction is pending.
        replaced_id: the fact that it replaced, if it created another one.
    """

    id: str
    kind: Word
    text: str
    at: datetime
    fact_id: str | None
    replaced_id: str | None
    pending: bool


class ProfileItem(Model):
    """A fact of a profile."""

    id: str
    statement: str
    predicate: str
    relation: str | None
    object: str
    importance: int
    confidence: float
    valid_at: datetime
    last_seen: datetime


class ProfilePart(Model):
    """One category of a profile, the most important items first."""

    category: Word
    items: list[ProfileItem]
    omitted: int


class Session(Model):
    """A conversation.

    Attributes:
        unread: number of messages that are not read yet.
    """

    session_id: str
    uri: str
    state: Word
    opened_at: datetime
    last_at: datetime
    messages: int
    scenes: int
    unread: int


class StoredMessage(Model):
    """A message as it was stored.

    Attributes:
        external_id: your id, if you gave one.
        raw: the payload that you gave.
        expires_at: when it is forgotten; None for never.
        is_read: nothing of it waits to be read.
    """

    id: str
    uri: str
    external_id: str | None
    session_id: str
    role: Word
    speaker: str | None
    text: str
    raw: Any
    metadata: dict[str, Any]
    tags: list[str]
    time: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    version: int
    is_read: bool


class User(Model):
    """A user of the tenant."""

    user_id: str
    name: str
    first_seen: datetime
    last_seen: datetime


class Item(Model):
    """A JSON value, stored by namespace and key.

    Attributes:
        version: 1 for a new item, one more with each put.
        score: relevance for a query, 0 to 1; None without a query.
    """

    namespace: list[str]
    key: str
    value: Any
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    score: float | None


class Forgotten(Model):
    """Numbers of what was deleted.

    Attributes:
        reextracted: neighbouring messages and scenes that are read again.
    """

    messages: int
    scenes: int
    facts: int
    entities: int
    reextracted: int
    spooled: int


class Change(Model):
    """A change of the graph.

    Attributes:
        op: `node+`, `edge+`, `node-` or `edge-`; `reset` if changes were missed, and what you hold must be read again.
        body: the element after the change; None if it was deleted.
    """

    seq: float
    at: datetime
    user_id: str
    op: str
    element_id: str
    reason: str
    body: Any


class PageInfo(Model):
    """Position of a page."""

    has_next_page: bool
    end_cursor: str | None


class Connection(Model, Generic[N]):
    """A page of a list."""

    nodes: list[N]
    page_info: PageInfo


class Changes(Connection[Change]):
    """Changes after a sequence number."""

    epoch: str
    head: float
    complete: bool
