"""How good an order of found things is, and how sure that is. Pure.

Gold is a set of ids, never empty; an order holds each id once, the best first.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np

RECALL_DEPTHS: Final = (5, 10, 20, 50)
TOP: Final = 10
# What is measured of each question, by name.
MEASURES: Final = (*(f"recall@{depth}" for depth in RECALL_DEPTHS), f"hit@{TOP}", f"ndcg@{TOP}", "mrr")
_RESAMPLES: Final = 1_000
_SEED: Final = 20_240_401


def recall_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """Return the share of gold among the first `depth`."""
    return sum(1 for found in order[:depth] if found in gold) / len(gold)


def hit_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """1 when any gold is among the first `depth`, else 0."""
    return 1.0 if any(found in gold for found in order[:depth]) else 0.0


def ndcg_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """Gold among the first `depth`, discounted by the logarithm of its place, as a share of the best possible."""
    gained = sum(1 / math.log2(place + 2) for place, found in enumerate(order[:depth]) if found in gold)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(len(gold), depth)))


def reciprocal_rank(order: Sequence[str], gold: AbstractSet[str]) -> float:
    """Return one over the place of the first gold, 0 when there is none."""
    return next((1 / place for place, found in enumerate(order, start=1) if found in gold), 0.0)


def measured(order: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """Return all measures of one question, by name."""
    return {
        **{f"recall@{depth}": recall_at(order, gold, depth) for depth in RECALL_DEPTHS},
        f"hit@{TOP}": hit_at(order, gold, TOP),
        f"ndcg@{TOP}": ndcg_at(order, gold, TOP),
        "mrr": reciprocal_rank(order, gold),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over questions, and the interval that holds it in 95 of 100 resamplings."""

    value: float
    low: float
    high: float


def means(by_conversation: Mapping[str, Sequence[Mapping[str, float]]], *, seed: int = _SEED) -> dict[str, Mean]:
    """Return each measure's mean over all questions, every question counting alike.

    The intervals come from drawing conversations with repetition, and questions within each that was drawn; the same
    questions give the same intervals.

    Args:
        by_conversation: the questions' measures; at least one question.
    """
    groups = [
        np.array([[row[name] for name in MEASURES] for row in by_conversation[key]], dtype=np.float64)
        for key in sorted(by_conversation)
        if by_conversation[key]
    ]
    random = np.random.default_rng(seed)
    chosen = random.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=_RESAMPLES)
    sums, questions_n = np.zeros((_RESAMPLES, len(MEASURES))), np.zeros((_RESAMPLES, 1))
    for place, group in enumerate(groups):
        # How often each question was drawn, instead of the draws themselves: small even for thousands.
        draws = chosen[:, place] * len(group)
        sums += random.multinomial(draws, np.full(len(group), 1 / len(group))) @ group
        questions_n[:, 0] += draws
    low, high = np.percentile(sums / questions_n, (2.5, 97.5), axis=0)
    middle = np.concatenate(groups).mean(axis=0)
    return {
        name: Mean(value=float(middle[place]), low=float(low[place]), high=float(high[place]))
        for place, name in enumerate(MEASURES)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How well "nothing relevant" was told.

    Attributes:
        precision: of what was refused, the share without an answer.
        recall: of what has no answer, the share that was refused.
    """

    precision: float
    recall: float
    f1: float


def judged(refused: Sequence[bool], unanswerable: Sequence[bool]) -> Judged:
    """Return how well refusing fits; 0 where there is nothing to divide by."""
    both = sum(1 for said, true in zip(refused, unanswerable, strict=True) if said and true)
    precision = both / sum(refused) if any(refused) else 0.0
    recall = both / sum(unanswerable) if any(unanswerable) else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return Judged(precision=precision, recall=recall, f1=f1)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies, between neighbours in proportion; 0 of nothing."""
    return float(np.percentile(values, share * 100)) if values else 0.0
