"""What `recall/recall` returns, given names. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from operator import attrgetter
from typing import Any

from extraction.embeddings.token_vectors import whole_cosines
from graph_service.memory.recall.query import HitKind
from schema.fact import FactKind
from schema.timespan import moment_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMessage:
    """A message that proves a hit.

    Attributes:
        whole_chars: how long the text is of which `text` is the beginning; None when that is all of it.
    """

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    whole_chars: int | None = None


# Not frozen, though nobody changes one: a recall makes two hundred of each, and frozen ones take twice as long to make.
@dataclass(slots=True, kw_only=True)
class MessageInContext:
    """A message at its place in a conversation.

    Attributes:
        cosine: to the question, -1…1; None when it was not compared.
        position: its place among the messages of one moment.
        tokens: packed vectors of its pieces and of the whole, if it has such.
        told: the best cosine to the question of a fact that it proves; None when no such was found.
    """

    id: str
    session: str
    said_at: datetime
    position: int
    speaker: str | None
    text: str
    cosine: float | None
    tokens: bytes | None = None
    told: float | None = None


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Something found, with the signals of all channels that found it.

    Attributes:
        scores: the best raw score of each channel that found it.
        cosine: -1…1; None when it was not compared.
        said_at: when a message was said, a scene began, a fact began to hold.
        proofs: ids of the messages that prove a fact.
        ends: ids of the entities that a fact is about; the user and the agent are none.
    """

    kind: HitKind
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
    relation: str | None = None
    invalid_at: datetime | None = None
    strength: float | None = None
    confidence: float | None = None
    predicate: str | None = None
    subject: str | None = None
    object: str | None = None
    fact_kind: str | None = None
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    evidence: tuple[EvidenceMessage, ...] = ()
    proofs: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSet:
    """All that one question brought.

    Attributes:
        candidates: one for each thing found, ordered by kind and id.
        lines: the messages among them in the order of the conversations.
        named: keys of the entities that the question names.
    """

    candidates: tuple[Candidate, ...]
    lines: tuple[MessageInContext, ...]
    named: frozenset[str] = frozenset()


def found_in(
    row: Mapping[str, Any], kinds: Collection[HitKind] = tuple(HitKind), vector: Sequence[float] | None = None
) -> CandidateSet:
    """Return the one row of `recall/recall`.

    Args:
        kinds: what is wanted; other facts only tell of the messages that prove them.
        vector: the question's; with it messages are compared that the index did not compare.
    """
    told = _told(row["rows"])
    near = whole_cosines([one[-1] for one in row["messages"]], vector or ()).tolist()
    messages = [_message_found(one, told, cosine) for one, cosine in zip(row["messages"], near, strict=True)]
    known = (_candidate(one) for one in row["rows"] if one[0] in kinds)
    candidates = [*(candidate for candidate, _ in messages), *known]
    return CandidateSet(
        candidates=tuple(sorted(candidates, key=attrgetter("kind", "id"))),
        lines=tuple(sorted((line for _, line in messages), key=attrgetter("session", "said_at", "position", "id"))),
        named=frozenset(row["named"]),
    )


def _told(rows: Iterable[Sequence[Any]]) -> dict[str, float]:
    """By message, the best cosine of a fact that it proves."""
    best: dict[str, float] = {}
    for _, _, _, similarity, _, _, proofs in rows:
        if (cosine := _cosine(similarity)) is not None:
            best |= {proof: max(cosine, best.get(proof, -1.0)) for proof in proofs or ()}
    return best


def _message_found(row: Sequence[Any], told: Mapping[str, float], near: float) -> tuple[Candidate, MessageInContext]:
    """Return a message found.

    Args:
        near: its cosine by its own bytes; NaN when they hold none.
    """
    name, session, said_ms, position, speaker, text, uri, role, importance, unread, similarity, found, tokens = row
    said_at, cosine = moment_of(said_ms), _cosine(similarity)
    if cosine is None and not isnan(near):
        cosine = near
    candidate = Candidate(
        kind=HitKind.MESSAGE,
        id=name,
        scores=_best(found),
        cosine=cosine,
        uri=uri,
        text=text,
        title=None,
        role=role,
        speaker=speaker,
        said_at=said_at,
        importance=importance,
        unread=bool(unread),
    )
    line = MessageInContext(
        id=name,
        session=session,
        said_at=said_at,
        position=position or 0,
        speaker=speaker,
        text=text,
        cosine=cosine,
        tokens=tokens,
        told=told.get(name),
    )
    return candidate, line


def _candidate(row: Sequence[Any]) -> Candidate:
    kind, name, found, similarity, shown, evidence, proofs = row
    uri, text, title, role, speaker, said_ms, importance, unread, relation, invalid_ms, *fact = shown
    strength, confidence, predicate, subject, obj, *detail = fact
    # Only facts carry these; those of older versions are plain.
    fact_kind, rationale, steps, ends = detail or (None, None, None, ())
    return Candidate(
        kind=HitKind(kind),
        id=name,
        scores=_best(found),
        cosine=_cosine(similarity),
        uri=uri,
        text=text or title or "",
        title=title,
        role=role,
        speaker=speaker,
        said_at=moment_of(said_ms),
        importance=importance,
        unread=bool(unread),
        relation=relation,
        invalid_at=None if invalid_ms is None else moment_of(invalid_ms),
        strength=strength,
        confidence=confidence,
        predicate=predicate,
        subject=subject,
        object=obj,
        fact_kind=(fact_kind or FactKind.FACT.value) if detail else None,
        rationale=rationale,
        steps=tuple(steps or ()),
        evidence=tuple(_message(message) for message in evidence),
        proofs=tuple(proofs or ()),
        ends=tuple(ends),
    )


def _best(found: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the best score of each channel."""
    scores: dict[str, float] = {}
    for channel, score in found:
        scores[channel] = max(score, scores.get(channel, 0.0))
    return scores


def _cosine(similarity: float | None) -> float | None:
    """Neo4j gives (1 + cosine) / 2."""
    return None if similarity is None else 2.0 * similarity - 1.0


def _message(row: Sequence[Any]) -> EvidenceMessage:
    name, uri, role, speaker, text, said_ms, whole_chars = row
    return EvidenceMessage(
        id=name,
        uri=uri,
        role=role,
        speaker=speaker,
        text=text,
        said_at=moment_of(said_ms),
        whole_chars=whole_chars,
    )
