"""How far a message turns away from what was spoken of just before it: by meaning and by words. Pure.

Distances differ between embedding models and languages, so each is taken in standard deviations of what the same
conversation showed before; 0 is as usual. Measured on joined pieces of LoCoMo (en) and MemoryBank (zh): see
`tests/benchmarks/topic_table.py`.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from extraction.text.sentences import has_cjk
from extraction.text.text_rank import words_of

# A message is compared with so many before it, and its distance with that of so many before it.
NEAR: Final = 6
USUAL: Final = 14
# Fewer terms say nothing about a topic: thanks, greetings, a yes.
TERMS_MIN: Final = 4
# A conversation that kept very close to its topic must not make every other message a turn.
_MEANING_SPREAD_MIN: Final = 0.05
_WORDS_SPREAD_MIN: Final = 0.08
_CJK_RUN = re.compile(r"[\u3400-\u9fff]+")
_TEXT_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topic:
    """What one message is about; equal to itself only.

    Attributes:
        vector: of unit length; None without an embedder, or when it knows little of the message's language.
    """

    terms: frozenset[str]
    vector: NDArray[np.float64] | None = None


def terms_of(text: str) -> frozenset[str]:
    """Return words that carry meaning; of Chinese every two neighbouring characters, which need no dictionary."""
    head = text[:_TEXT_CHARS_MAX]
    if not has_cjk(head):
        return frozenset(words_of(head))
    runs = _CJK_RUN.findall(head)
    pairs = {run[place : place + 2] for run in runs for place in range(len(run) - 1)}
    return frozenset(pairs | set(words_of(_CJK_RUN.sub(" ", head))))


class Turns:
    """How far messages of one conversation turn away; what neighbours share is worked out once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Topic, ...], tuple[float, float | None]] = {}

    def strength(self, earlier: Sequence[Topic], new: Topic) -> float:
        """Return how far `new` turns away from `earlier` (oldest first), in standard deviations; 0: nothing can be
        said.
        """
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
        """Return what the last topic shares with those before it, in words and in meaning."""
        if window not in self._known:
            self._known[window] = (_shared(window[:-1], window[-1]), _nearest(window[:-1], window[-1]))
        return self._known[window]


def _unusual(values: Sequence[float], spread_min: float) -> float:
    """Return how far the last value lies below the others."""
    usual = values[-USUAL - 1 : -1]
    if not usual:
        return 0.0
    mean = math.fsum(usual) / len(usual)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in usual) / len(usual))
    return (mean - values[-1]) / max(spread, spread_min)


def _shared(before: Sequence[Topic], topic: Topic) -> float:
    """Return which share of a message's terms was said just before it."""
    said = frozenset[str]().union(*(one.terms for one in before))
    return len(topic.terms & said) / max(TERMS_MIN, len(topic.terms))


def _nearest(before: Sequence[Topic], topic: Topic) -> float | None:
    """Return the greatest cosine between a message and those just before it; None without vectors."""
    others = [one.vector for one in before if one.vector is not None]
    if topic.vector is None or not others:
        return None
    return max(float(topic.vector @ other) for other in others)
