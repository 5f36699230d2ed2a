"""Importance: 1 to 10 on messages, scenes and facts; words and shares of one map onto it."""

import math
from typing import Final

# Source: requirements.md B5. A proposal of `low` importance is below what C7 lets in.
WORDS: Final = {"low": 3, "medium": 6, "high": 8, "critical": 10}
IMPORTANCE_DEFAULT: Final = 5


def importance_of(said: str | float | None) -> int | None:
    """Return the importance that somebody named; None when it cannot be understood.

    Args:
        said: `low`, `medium`, `high`, `critical`; a share from 0 to 1; or a number up to 10. Beyond is cut to the ends.
    """
    if said is None:
        return None
    word = str(said).strip().casefold()
    if word in WORDS:
        return WORDS[word]
    try:
        number = float(word)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return min(10, max(1, round(number * 10 if number <= 1 else number)))


def importance_of_strength(strength: float) -> int:
    """Return the importance of a fact for which nobody named one: how much it matters to its subject."""
    return min(10, max(1, round(strength * 10)))
