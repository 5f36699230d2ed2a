"""Score topic shifts between a message and those before it, by vectors and by words. Pure.

Distances differ between embedding models and languages, so a score is the number of standard deviations from the mean
of earlier distances in the same conversation; 0 is average. Measured on pieces of LoCoMo (en) and MemoryBank (zh)
conversations joined together: `tests/benchmarks/topic_table.py`.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from extraction.text.chinese import HAN, character_pairs
from extraction.text.sentences import has_cjk
from extraction.text.text_rank import words_of

# Number of preceding messages to compare with, and of earlier distances that form the baseline.
NEAR: Final = 6
USUAL: Final = 14
# Shorter messages (thanks, greetings) have no topic.
TERMS_MIN: Final = 4
# Lower bounds of the standard deviation, so that small differences within one topic are not scored as shifts.
_MEANING_SPREAD_MIN: Final = 0.05
_WORDS_SPREAD_MIN: Final = 0.08
_HAN = re.compile(rf"[{HAN}]+")
_TEXT_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topic:
    """Topic features of one message; compared by identity.

    Attributes:
        vector: unit vector; None without an embedder, or when it does not support the message's language.
    """

    terms: frozenset[str]
    vector: NDArray[np.float64] | None = None


def topic_words(text: str) -> frozenset[str]:
    """Return the content words of a text; for Chinese its character bigrams, which need no dictionary."""
    head = text[:_TEXT_CHARS_MAX]
    if not has_cjk(head):
        return frozenset(words_of(head))
    return frozenset((*character_pairs(head), *words_of(_HAN.sub(" ", head))))


class Turns:
    """Score topic shifts within one conversation; similarities are cached."""

    def __init__(self) -> None:
        self._known: dict[tuple[Topic, ...], tuple[float, float | None]] = {}

    def strength(self, earlier: Sequence[Topic], new: Topic) -> float:
        """Return the topic shift of `new` after `earlier` (oldest first) in standard deviations; 0 if unknown."""
        if len(new.terms) < TERMS_MIN or len(earlier) < 2:
            return 0.0
        every = (*earlier[-(USUAL + NEAR) :], new)
        pairs = [self._common(every[max(0, place - NEAR) : place + 1]) for place in range(1, len(every))]
        by_words = _unusual([shared for shared, _ in pairs], _WORDS_SPREAD_MIN)
        if pairs[-1][1] is None:
            return by_words
        by_meaning = _unusual([near for _, near in pairs if near is not None], _MEANING_SPREAD_MIN)
        return (by_words + by_meaning) / 2

    def _common(self, window: tuple[Topic, ...]) -> tuple[float, float | None]:
        """Return the similarity of the last topic to those before it, by words and by vectors."""
        if window not in self._known:
            self._known[window] = (_shared(window[:-1], window[-1]), _nearest(window[:-1], window[-1]))
        return self._known[window]


def _unusual(values: Sequence[float], spread_min: float) -> float:
    """Return how many standard deviations the last value lies below the mean of the others."""
    usual = values[-USUAL - 1 : -1]
    if not usual:
        return 0.0
    mean = math.fsum(usual) / len(usual)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in usual) / len(usual))
    return (mean - values[-1]) / max(spread, spread_min)


def _shared(before: Sequence[Topic], topic: Topic) -> float:
    """Return the share of a message's terms that occur in the messages before it."""
    said = frozenset[str]().union(*(one.terms for one in before))
    return len(topic.terms & said) / max(TERMS_MIN, len(topic.terms))


def _nearest(before: Sequence[Topic], topic: Topic) -> float | None:
    """Return the highest cosine between a message and those before it; None without vectors."""
    others = [one.vector for one in before if one.vector is not None]
    if topic.vector is None or not others:
        return None
    return max(float(topic.vector @ other) for other in others)
