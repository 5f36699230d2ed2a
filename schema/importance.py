"""Importance: 1 to 10 on messages, scenes and facts, from words or fractions."""

import math
from typing import Final

# `low` is below the minimum that the check of proposals accepts.
WORDS: Final = {"low": 3, "medium": 6, "high": 8, "critical": 10}
IMPORTANCE_DEFAULT: Final = 5


def importance_of(said: str | float | None) -> int | None:
    """Return the importance for a given word or number; None if it is not understood.

    Args:
        said: `low`, `medium`, `high`, `critical`; a fraction from 0 to 1; or a number up to 10. Clamped to 1…10.
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
    """Return the default importance of a fact with this strength."""
    return min(10, max(1, round(strength * 10)))
