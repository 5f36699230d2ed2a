"""What `read/recall` returns, given names. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from graph_service.memory.question import Kind
from schema.fact import FactKind

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMessage:
    """A message that proves a hit."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something found, with the signals of all channels that found it.

    Attributes:
        scores: the best raw score of each channel that found it.
        cosine: -1…1; None when it was not compared.
        said_at: when a message was said, a scene began, a fact began to hold.
    """

    kind: Kind
    id: str
    scores: Mapping[str, float]
    cosine: float | None
    uri: str
    text: str
    title: str | None
    role: str | None
    speaker: str | None
    said_at: datetime
    importance: int | None
    unread: bool
    relation: str | None
    invalid_at: datetime | None
    strength: float | None
    confidence: float | None
    predicate: str | None
    subject: str | None
    object: str | None
    fact_kind: str | None = None
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    evidence: tuple[EvidenceMessage, ...] = ()


def candidates_in(rows: Iterable[Sequence[Any]]) -> list[Candidate]:
    """One candidate for each thing found, ordered by kind and id."""
    return sorted((_candidate(row) for row in rows), key=lambda candidate: (candidate.kind, candidate.id))


def _candidate(row: Sequence[Any]) -> Candidate:
    kind, name, found, cosine, shown, evidence = row
    scores: dict[str, float] = {}
    for channel, score in found:
        scores[channel] = max(score, scores.get(channel, 0.0))
    uri, text, title, role, speaker, said_ms, importance, unread, relation, invalid_ms, *fact = shown
    strength, confidence, predicate, subject, obj, *detail = fact
    # Only facts carry these; those of older versions are plain.
    fact_kind, rationale, steps = detail or (None, None, None)
    return Candidate(
        kind=Kind(kind),
        id=name,
        scores=scores,
        # Neo4j gives (1 + cosine) / 2.
        cosine=None if cosine is None else 2.0 * cosine - 1.0,
        uri=uri,
        text=text or title or "",
        title=title,
        role=role,
        speaker=speaker,
        said_at=_moment(said_ms),
        importance=importance,
        unread=bool(unread),
        relation=relation,
        invalid_at=None if invalid_ms is None else _moment(invalid_ms),
        strength=strength,
        confidence=confidence,
        predicate=predicate,
        subject=subject,
        object=obj,
        fact_kind=(fact_kind or FactKind.FACT.value) if detail else None,
        rationale=rationale,
        steps=tuple(steps or ()),
        evidence=tuple(_message(message) for message in evidence),
    )


def _message(row: Sequence[Any]) -> EvidenceMessage:
    name, uri, role, speaker, text, said_ms = row
    return EvidenceMessage(id=name, uri=uri, role=role, speaker=speaker, text=text, said_at=_moment(said_ms))


def _moment(millis: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=millis)
