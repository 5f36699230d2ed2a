"""Ranking measures, their means with confidence intervals, and scores of refusals. Pure.

Gold is the non-empty set of relevant ids; an order lists each id once, best first. The measures equal those of
ir-measures (R@k, Success@k, nDCG@k, RR), which is not used because it requires scipy.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np

RECALL_DEPTHS: Final = (5, 10, 20, 50)
TOP: Final = 10
# Names of the measures of each question.
MEASURES: Final = (*(f"recall@{depth}" for depth in RECALL_DEPTHS), f"hit@{TOP}", f"ndcg@{TOP}", "mrr")
_RESAMPLES: Final = 1_000
_SEED: Final = 20_240_401


def recall_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """Return recall: the share of gold among the first `depth`."""
    return sum(1 for found in order[:depth] if found in gold) / len(gold)


def hit_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """Return 1 if any gold is among the first `depth`, else 0."""
    return 1.0 if any(found in gold for found in order[:depth]) else 0.0


def ndcg_at(order: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """Return the normalised discounted cumulative gain at `depth`, with binary relevance."""
    gained = sum(1 / math.log2(place + 2) for place, found in enumerate(order[:depth]) if found in gold)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(len(gold), depth)))


def reciprocal_rank(order: Sequence[str], gold: AbstractSet[str]) -> float:
    """Return 1 / rank of the first gold; 0 if there is none."""
    return next((1 / place for place, found in enumerate(order, start=1) if found in gold), 0.0)


def ranking_measures(order: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """Return all measures of one question, by name."""
    return {
        **{f"recall@{depth}": recall_at(order, gold, depth) for depth in RECALL_DEPTHS},
        f"hit@{TOP}": hit_at(order, gold, TOP),
        f"ndcg@{TOP}": ndcg_at(order, gold, TOP),
        "mrr": reciprocal_rank(order, gold),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over questions with its 95 % bootstrap confidence interval."""

    value: float
    low: float
    high: float


def means(by_conversation: Mapping[str, Sequence[Mapping[str, float]]], *, seed: int = _SEED) -> dict[str, Mean]:
    """Return the mean of each measure over all questions, equally weighted.

    The intervals come from a two-stage bootstrap: conversations are drawn with replacement, then questions within each.
    They are reproducible.

    Args:
        by_conversation: measures of the questions by conversation; at least one question.
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
        # Counts of draws by question instead of the draws themselves, to bound memory.
        draws = chosen[:, place] * len(group)
        sums += random.multinomial(draws, np.full(len(group), 1 / len(group))) @ group
        questions_n[:, 0] += draws
    low, high = np.percentile(sums / questions_n, (2.5, 97.5), axis=0)
    middle = np.concatenate(groups).mean(axis=0)
    return {
        name: Mean(value=float(middle[place]), low=float(low[place]), high=float(high[place]))
        for place, name in enumerate(MEASURES)
    }


def refusal_scores(refused: Sequence[bool], unanswerable: Sequence[bool]) -> dict[str, float]:
    """Return `precision`, `recall` and `f1` of refusing as a classifier of unanswerable questions; 0 for 0 of 0."""
    both = sum(1 for is_refused, true in zip(refused, unanswerable, strict=True) if is_refused and true)
    precision = both / sum(refused) if any(refused) else 0.0
    recall = both / sum(unanswerable) if any(unanswerable) else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation; 0 for no values."""
    return float(np.percentile(values, share * 100)) if values else 0.0
