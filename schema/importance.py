"""Importance: 1 to 10 on messages, scenes and facts, from words or fractions."""

import math
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from schema.errors import InputError

# `low` is below the minimum that the check of proposals accepts.
WORDS: Final = {
    "low": 3,
    "medium": 6,
    "high": 8,
    "critical": 10,
    "低": 3,
    "中": 6,
    "中等": 6,
    "高": 8,
    "很高": 8,
    "极高": 10,
    "关键": 10,
}
IMPORTANCE_DEFAULT: Final = 5


def importance_of(said: str | float | None) -> int | None:
    """Return the importance for a given word or number; None if it is not understood.

    Args:
        said: `low`, `medium`, `high`, `critical`, or 低, 中, 高, 极高; a fraction from 0 to 1; or a number up to 10.
            Clamped to 1…10.
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
    # 1 is the lowest of 1 to 10, 1.0 the highest fraction.
    is_fraction = number < 1 or (number == 1 and "." in word)
    return min(10, max(1, round(number * 10 if is_fraction else number)))


def number_for_word(given: Any) -> Any:
    """Return the importance for a word that a caller gives; any other value unchanged, to be checked as a number."""
    return WORDS.get(given.strip().casefold(), given) if isinstance(given, str) else given


def importance_given(given: Any) -> int:
    """Return the importance that a caller gives as a number or as a word.

    Raises:
        InputError: it is neither.
    """
    number = number_for_word(given)
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if type(number) is not int:
        raise InputError(f"importance is {given!r:.100}; use 1 to 10, or low, medium, high, critical, 低, 中, 高, 极高")
    return number


# An importance in a caller's document: 1 to 10, or a word.
GivenImportance = Annotated[int | None, BeforeValidator(number_for_word)]


def importance_of_strength(strength: float) -> int:
    """Return the default importance of a fact with this strength."""
    return min(10, max(1, round(strength * 10)))
