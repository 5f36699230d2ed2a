"""The types that the stages of recall exchange: candidates, candidate sets, and ranked hits. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from graph_service.memory.recall.query import HitKind
from schema.fact import FactKind

if TYPE_CHECKING:
    # An MCP process in front of a service starts faster without numpy.
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMessage:
    """A message that is evidence for a hit.

    Attributes:
        whole_chars: length of the full text if `text` is only its beginning, else None.
        zone: time zone of the speaker, in which `said_at` has its day; None for UTC.
    """

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    whole_chars: int | None = None
    zone: str | None = None


# An agent provided facts with at least this confidence.
_PROVIDED_MIN: Final = 0.9


# Not frozen, although never changed: a recall creates two hundred, and frozen ones take twice as long to create.
@dataclass(slots=True, kw_only=True)
class Candidate:
    """A message, scene or fact that at least one channel retrieved.

    Attributes:
        scores: best raw score in each channel that found it.
        cosine: cosine to the question, -1 to 1; None if it was not compared.
        is_cross_language: the text is not in the question's language; `cosine` is that of the cross-language vector
            (`Embedded.cross_language_vector`), and words are not comparable.
        said_at: when a message was said, a scene began, or a fact became valid.
        zone: time zone of the message, or of the first one of the evidence; None for UTC.
        pending: the message is stored and searchable, but no scene or fact was extracted from it yet.
        tags, emotion: tags of a message, and the emotion of its speaker.
        session, position, scene, tokens, fact_cosine: for messages only: node id of the session; order among messages
            of the same time; id of the scene; packed token and whole-text vectors; best cosine of a retrieved fact that
            the message proves.
        subject, predicate, object, relation, strength, confidence, fact_kind, rationale, steps: for facts only.
        trigger_emotion: a lasting emotion that the fact triggers.
        mentioned_start, mentioned_end: the time that a message, scene or fact is about, if it names one.
        proofs: ids of the messages that prove a fact.
        closed: the fact was valid only before the time of the question.
        told_as_ended: no message says that the fact was valid, only that it has ended, as its statement does.
        overtaken_by: id of the fact that closed this fact or, of those that this message proves, the fact nearest to
            the question; of a message that a later one corrects, the id of that one.
        withdrawn: it was never true: a later message corrects it, or a person rejected the fact.
        meant: of a message that corrects an earlier one, the text of that one as corrected.
        ends: ids of the subject and object of a fact, without user and agent.
    """

    kind: HitKind
    id: str
    scores: Mapping[str, float] = field(default_factory=dict)
    cosine: float | None = None
    is_cross_language: bool = False
    uri: str
    text: str
    title: str | None = None
    role: str | None = None
    speaker: str | None = None
    said_at: datetime
    zone: str | None = None
    importance: int | None = None
    pending: bool = False
    tags: tuple[str, ...] = ()
    emotion: str | None = None
    session: str = ""
    position: int = 0
    scene: str | None = None
    tokens: bytes | None = None
    fact_cosine: float | None = None
    relation: str | None = None
    invalid_at: datetime | None = None
    strength: float | None = None
    confidence: float | None = None
    predicate: str | None = None
    subject: str | None = None
    object: str | None = None
    fact_kind: FactKind | None = None
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    trigger_emotion: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    evidence: tuple[EvidenceMessage, ...] = ()
    proofs: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    closed: bool = False
    told_as_ended: bool = False
    overtaken_by: str | None = None
    withdrawn: bool = False
    meant: str | None = None

    @property
    def valid_at(self) -> datetime | None:
        """Return when a fact became true; None for others, and for a fact that was told as past, without its begin."""
        return None if self.kind is not HitKind.FACT or self.told_as_ended else self.said_at

    @property
    def is_provided(self) -> bool:
        """True for a fact that an agent provided; those that were read in the messages have a lower confidence."""
        return self.kind is HitKind.FACT and (self.confidence or 0.0) >= _PROVIDED_MIN


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSet:
    """The candidates that one question retrieved.

    Attributes:
        candidates: ordered by kind and id.
        messages: all messages, also those that filters removed from `candidates`, ordered by session and time.
        named: keys of the entities that the question names.
        proofs: ids of the messages that prove each retrieved fact, by its id, also of facts that were not requested.
    """

    candidates: tuple[Candidate, ...]
    messages: tuple[Candidate, ...]
    named: frozenset[str] = frozenset()
    proofs: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSimilarities:
    """Cosines between a question and the abstract and overview of a scene; None without a vector."""

    scene_id: str
    abstract: float | None
    overview: float | None


class ScoreParts(Mapping[str, float]):
    """The contribution of each feature to a score, by name: a view of a column, because a page shows few hits."""

    __slots__ = ("_rows", "_values")

    def __init__(self, rows: Mapping[str, int], values: "npt.NDArray[np.float64]") -> None:
        """Keep the place of each feature in the column."""
        self._rows, self._values = rows, values

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._rows[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A ranked candidate.

    Attributes:
        parts: contribution of each feature to the score; they sum to it.
        snippet: the passage of at most 100 characters that matches the question best; set in answers only.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    snippet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Number of candidates removed for one reason."""

    reason: str
    count: int
