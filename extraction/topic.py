"""How far a message turns away from what was spoken of just before it: by meaning and by words. Pure.

Distances differ between embedding models and languages, so each is taken in standard deviations of what the same
conversation showed before; 0 is as usual. Measured on joined pieces of LoCoMo (en) and MemoryBank (zh): see
`tests/bench/topic_table.py`.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from extraction.sentences import has_cjk
from extraction.text_rank import words_of

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What one message is about.

    Attributes:
        vector: of unit length; None without an embedder, or when it knows little of the message's language.
    """

    terms: frozenset[str]
    vector: NDArray[np.float64] | None = None


def terms_of(text: str) -> frozenset[str]:
    """Words that carry meaning; of Chinese every two neighbouring characters, which need no dictionary."""
    head = text[:_TEXT_CHARS_MAX]
    if not has_cjk(head):
        return frozenset(words_of(head))
    runs = _CJK_RUN.findall(head)
    pairs = {run[place : place + 2] for run in runs for place in range(len(run) - 1)}
    return frozenset(pairs | set(words_of(_CJK_RUN.sub(" ", head))))


def turn(earlier: Sequence[Topic], new: Topic) -> float:
    """How far `new` turns away from `earlier` (oldest first), in standard deviations; 0 when nothing can be said."""
    if len(new.terms) < TERMS_MIN or len(earlier) < 2:
        return 0.0
    every = [*earlier[-(USUAL + NEAR) :], new]
    by_words = _unusual([_shared(every, place) for place in range(1, len(every))], _WORDS_SPREAD_MIN)
    near = [_nearest(every, place) for place in range(1, len(every))]
    if near[-1] is None:
        return by_words
    by_meaning = _unusual([value for value in near if value is not None], _MEANING_SPREAD_MIN)
    return (by_words + by_meaning) / 2


def _unusual(values: Sequence[float], spread_min: float) -> float:
    """How far the last value lies below the others."""
    usual = values[-USUAL - 1 : -1]
    if not usual:
        return 0.0
    mean = math.fsum(usual) / len(usual)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in usual) / len(usual))
    return (mean - values[-1]) / max(spread, spread_min)


def _shared(topics: Sequence[Topic], place: int) -> float:
    """Which share of a message's terms was said just before it."""
    before = frozenset[str]().union(*(topic.terms for topic in topics[max(0, place - NEAR) : place]))
    return len(topics[place].terms & before) / max(TERMS_MIN, len(topics[place].terms))


def _nearest(topics: Sequence[Topic], place: int) -> float | None:
    """The greatest cosine between a message and those just before it; None without vectors."""
    own = topics[place].vector
    others = [topic.vector for topic in topics[max(0, place - NEAR) : place] if topic.vector is not None]
    if own is None or not others:
        return None
    return max(float(own @ other) for other in others)
