"""Candidates → one order, each score with its parts. Pure.

Every part is a weight times a signal between 0 and 1, and the parts sum to the score. Raw full-text scores cannot be
compared between indexes, so they are taken relative to the best of their kind.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_service.memory.found import Candidate
from graph_service.memory.question import Kind
from schema.ids import name_key
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
    speaker: float = 0.25
    time: float = 0.30
    certainty: float = 0.05
    importance: float = 0.03
    recency: float = 0.03


ENGLISH = Weights()
CHINESE_WITHOUT_MODEL = Weights(words=0.72, meaning=0.06, names=0.18)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is known about a question when candidates are ranked.

    Attributes:
        name_keys: keys of every stretch of the question that could be a name.
        time: the time the question names.
    """

    name_keys: frozenset[str] = frozenset()
    time: Timespan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its place.

    Attributes:
        parts: they sum to `score`.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


def rank(candidates: Sequence[Candidate], weights: Weights, *, asked: Asked, now: datetime, limit: int) -> list[Ranked]:
    """Best first, at most `limit`; equal scores by id, so the order of the candidates does not matter."""
    speaker = _speaker_asked(candidates, asked)
    best_words = {
        kind: max((c.scores.get("words", 0.0) for c in candidates if c.kind is kind), default=0.0) for kind in Kind
    }
    best_names = max((c.scores.get("entity", 0.0) for c in candidates), default=0.0)
    ranked = []
    for candidate in candidates:
        parts = {
            "words": weights.words * _share(candidate.scores.get("words", 0.0), best_words[candidate.kind]),
            "meaning": weights.meaning * _meaning(candidate.cosine),
            "names": weights.names * _share(candidate.scores.get("entity", 0.0), best_names),
            "speaker": weights.speaker * (1.0 if speaker is not None and _key(candidate) == speaker else 0.0),
            "time": weights.time * (1.0 if asked.time is not None and asked.time.holds(candidate.said_at) else 0.0),
            "certainty": weights.certainty * (candidate.confidence or 0.0),
            "importance": weights.importance * (candidate.importance or 5) / 10,
            "recency": weights.recency * _recency(candidate.said_at, now),
        }
        parts = {name: round(part, 6) for name, part in parts.items()}
        ranked.append(Ranked(candidate=candidate, score=round(sum(parts.values()), 6), parts=parts))
    ranked.sort(key=lambda r: (-r.score, r.candidate.kind, r.candidate.id))
    return ranked[:limit]


def _speaker_asked(candidates: Sequence[Candidate], asked: Asked) -> str | None:
    """The speaker whom the question names, if it names exactly one of those who speak in the candidates.

    Source: retrieval.md, "speaker: 1 if the question names exactly one speaker and the message is theirs".
    """
    named = {key for candidate in candidates if (key := _key(candidate)) is not None and key in asked.name_keys}
    return named.pop() if len(named) == 1 else None


def _key(candidate: Candidate) -> str | None:
    return name_key(candidate.speaker) if candidate.speaker else None


def _share(raw: float, best: float) -> float:
    return raw / best if best > 0 else 0.0


def _meaning(cosine: float | None) -> float:
    if cosine is None:
        return 0.0
    return min(max((cosine - _COSINE_LOW) / (_COSINE_HIGH - _COSINE_LOW), 0.0), 1.0)


def _recency(said_at: datetime, now: datetime) -> float:
    age_days = max((now - said_at).total_seconds() / 86_400, 0.0)
    return math.exp(-math.log(2) * age_days / _RECENCY_HALF_LIFE_DAYS)
