"""Candidates → one order, each score with its parts. Pure.

Every part is a weight times a signal between 0 and 1, and the parts sum to the score. Raw full-text scores cannot be
compared between indexes, so they are taken relative to the best of their kind.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graph_service.memory.question import Kind
from schema.timespan import Timespan

# MiniLM puts unrelated texts at a cosine of about 0.1 and paraphrases at 0.7; outside it tells nothing more.
_COSINE_LOW, _COSINE_HIGH = 0.1, 0.7
_RECENCY_HALF_LIFE_DAYS = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each signal counts.

    Source: retrieval.md; linear fusion beats reciprocal ranks, and MiniLM's signals hurt Chinese.
    """

    words: float = 0.42
    meaning: float = 0.40
    names: float = 0.12
    time: float = 0.30
    certainty: float = 0.05
    importance: float = 0.03
    recency: float = 0.03


ENGLISH = Weights()
CHINESE_WITHOUT_MODEL = Weights(words=0.72, meaning=0.06, names=0.18)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something found, with the signals of all channels that found it.

    Attributes:
        words, names: raw scores; cosine: -1…1, None when it was not compared.
        shown: its properties, as the statement returned them.
        channels: which searches found it.
    """

    kind: Kind
    id: str
    words: float
    names: float
    cosine: float | None
    shown: Mapping[str, Any]
    evidence: tuple[Mapping[str, Any], ...]
    channels: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its place.

    Attributes:
        parts: they sum to `score`.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


def gather(rows: Iterable[Mapping[str, Any]]) -> list[Candidate]:
    """One candidate for each thing found, whichever channels found it, ordered by id."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["kind"], row["id"]), []).append(row)
    return [_candidate(kind, name, same) for (kind, name), same in sorted(found.items())]


def rank(
    candidates: Sequence[Candidate], weights: Weights, *, now: datetime, asked_time: Timespan | None, limit: int
) -> list[Ranked]:
    """Best first, at most `limit`; equal scores by id, so the order of the candidates does not matter."""
    best_words = {kind: max((c.words for c in candidates if c.kind is kind), default=0.0) for kind in Kind}
    best_names = max((c.names for c in candidates), default=0.0)
    ranked = []
    for candidate in candidates:
        parts = {
            "words": weights.words * _share(candidate.words, best_words[candidate.kind]),
            "meaning": weights.meaning * _meaning(candidate.cosine),
            "names": weights.names * _share(candidate.names, best_names),
            "time": weights.time * _in_time(candidate, asked_time),
            "certainty": weights.certainty * float(candidate.shown.get("confidence") or 0.0),
            "importance": weights.importance * float(candidate.shown.get("importance") or 5) / 10,
            "recency": weights.recency * _recency(candidate, now),
        }
        parts = {name: round(part, 6) for name, part in parts.items()}
        ranked.append(Ranked(candidate=candidate, score=round(sum(parts.values()), 6), parts=parts))
    ranked.sort(key=lambda r: (-r.score, r.candidate.kind, r.candidate.id))
    return ranked[:limit]


def _candidate(kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Candidate:
    cosines = [2.0 * row["cosine"] - 1.0 for row in rows if row["cosine"] is not None]
    return Candidate(
        kind=Kind(kind),
        id=name,
        words=max((row["score"] for row in rows if row["channel"] == "words"), default=0.0),
        names=max((row["score"] for row in rows if row["channel"] == "entity"), default=0.0),
        cosine=max(cosines, default=None),
        shown=rows[0]["shown"],
        evidence=tuple(rows[0]["evidence"]),
        channels=frozenset(row["channel"] for row in rows),
    )


def _share(raw: float, best: float) -> float:
    return raw / best if best > 0 else 0.0


def _meaning(cosine: float | None) -> float:
    if cosine is None:
        return 0.0
    return min(max((cosine - _COSINE_LOW) / (_COSINE_HIGH - _COSINE_LOW), 0.0), 1.0)


def _in_time(candidate: Candidate, asked: Timespan | None) -> float:
    said_at = candidate.shown.get("said_at")
    return 1.0 if asked is not None and isinstance(said_at, datetime) and asked.holds(said_at) else 0.0


def _recency(candidate: Candidate, now: datetime) -> float:
    said_at = candidate.shown.get("said_at")
    if not isinstance(said_at, datetime):
        return 0.0
    age_days = max((now - said_at).total_seconds() / 86_400, 0.0)
    return math.exp(-math.log(2) * age_days / _RECENCY_HALF_LIFE_DAYS)
