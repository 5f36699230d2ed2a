"""The types that the stages of recall exchange: candidates, candidate sets, and ranked hits. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from extraction.text.choices import CHOSE
from graph_service.memory.recall.query import HitKind
from schema.fact import FactKind
from schema.timespan import Timespan


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMessage:
    """A message that is evidence for a hit.

    Attributes:
        whole_chars: length of the full text if `text` is only its beginning, else None.
        zone: time zone of its speaker; None if unknown.
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
        text: the message, the scene's abstract, or the fact's statement.
        title: scenes only.
        role, speaker, tags: messages only.
        said_at: when it was said or became true.
        zone: time zone of the message, or of one that is its evidence.
        pending: stored and searchable, but not extracted yet.
        emotion: messages: the speaker's emotion, if known.
        session, position, tokens, fact_cosine: for messages only: node id of the session; order among messages of the
            same time; packed token and whole-text vectors; best cosine of a retrieved fact that the message proves.
        scene: messages: id of the scene; None until it is read.
        relation, strength, confidence, predicate, subject, object: facts only.
        invalid_at: facts: when it stopped being true.
        fact_kind: facts: plain fact, decision or procedure.
        rationale: facts: the reason, if stated.
        steps: procedures: steps in order, `action → result`.
        trigger_emotion: facts: a lasting emotion that it triggers.
        mentioned_start: start of the time it is about, if it names one.
        mentioned_end: end of that time, exclusive.
        evidence: evidence messages, if requested with `evidence`.
        proofs: ids of the messages that prove a fact.
        ends: ids of the subject and object of a fact, without user and agent.
        closed: the fact was valid only before the time of the question.
        told_as_ended: no message says that the fact was valid, only that it has ended, as its statement does.
        overtaken_by: id of the fact that replaced this one, or all facts of this message, which is out of date; or of
            the message that corrects this one.
        withdrawn: it was never true: a later message corrects it, or a person rejected the fact.
        meant: of a message that corrects an earlier one, the text of that one as corrected.
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

    def was_valid_in(self, time: Timespan) -> bool:
        """Return whether a fact was valid at some moment of a time."""
        begun = time.end is None or self.said_at < time.end
        return begun and (time.start is None or self.invalid_at is None or self.invalid_at > time.start)

    @property
    def is_choice(self) -> bool:
        """True for a fact that somebody chose one of several options."""
        return self.relation == CHOSE

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result.

    Attributes:
        parts: contribution of each feature to the score; they sum to it.
        snippet: at most 100 characters around the best match.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    snippet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Number of candidates left out for one reason."""

    reason: str
    count: int
