"""Candidates → one order, each score with its parts. Pure.

Every part is a weight times a signal. Signals without a scale of their own (BM25, cosines) are counted in how far
messages usually lie apart, from the least of those found up, so that no part is below zero; the parts sum to the score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from graph_service.memory.found import Candidate, Found
from graph_service.memory.lexical import Floats
from graph_service.memory.question import Kind
from graph_service.memory.signals import Asked, signals
from graph_service.memory.weights import SPREADS, Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its place.

    Attributes:
        parts: they sum to `score`.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


def rank(found: Found, weights: Weights, *, asked: Asked, now: datetime, limit: int) -> list[Ranked]:
    """Best first, at most `limit`; of equal scores by kind, then the newest, then by text and id.

    So neither the order of what was found matters, nor, unless texts are equal too, which ids a memory has given.
    """
    candidates = found.candidates
    if not candidates:
        return []
    raw = signals(found, asked, now=now)
    messages = np.array([one.kind is Kind.MESSAGE for one in candidates])
    parts = {
        name: _counted(raw.scaled[name], weight / SPREADS[name], messages)
        for name, weight in weights.scaled.items()
        if name in raw.scaled
    }
    parts |= {name: weight * raw.plain[name] for name, weight in weights.plain.items()}
    # As tidy as the shares of a whole: the greatest score that these weights usually give is about one.
    whole = sum(map(abs, weights.scaled.values())) * 3 + sum(weights.plain.values()) / 2
    table = np.round(np.array([*parts.values()], np.float64) / whole, 6)
    scores = np.round(table.sum(axis=0), 6)
    keys = [
        (-score, one.kind, -one.said_at.timestamp(), one.text, one.id)
        for score, one in zip(scores.tolist(), candidates, strict=True)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)[:limit]
    shares = table.T[order].tolist()
    return [
        Ranked(candidate=candidates[at], score=-keys[at][0], parts=dict(zip(parts, share, strict=True)))
        for at, share in zip(order, shares, strict=True)
    ]


def _counted(values: Floats, weight: float, messages: npt.NDArray[np.bool_]) -> Floats:
    """What each value counts, from the one that counts least up; what has none counts like the mean message."""
    known = ~np.isnan(values)
    base = values[known & messages] if (known & messages).any() else values[known]
    if not len(base):
        return np.zeros(len(values))
    counted: Floats = weight * np.where(known, values, base.mean())
    counted -= counted.min()
    return counted
