"""English words without their endings, so that "paints", "painted" and "painting" are one word to search (pure)."""

import re
from functools import lru_cache
from typing import Final

_KEPT: Final = 200_000
_WORD_CHARS_MAX: Final = 60
_CONSONANT: Final = "[^aeiou]"
_VOWEL: Final = "[aeiouy]"
_C: Final = f"{_CONSONANT}[^aeiouy]*"
_V: Final = f"{_VOWEL}[aeiou]*"
_SOME: Final = re.compile(f"^({_C})?{_V}{_C}")
_ONE: Final = re.compile(f"^({_C})?{_V}{_C}({_V})?$")
_MORE: Final = re.compile(f"^({_C})?{_V}{_C}{_V}{_C}")
_HAS_VOWEL: Final = re.compile(f"^({_C})?{_VOWEL}")
_SHORT: Final = re.compile(f"^{_C}{_VOWEL}[^aeiouwxy]$")
_DOUBLE: Final = re.compile(r"([^aeiouylsz])\1$")
_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al",
    "er", "ic", "ou",
)  # fmt: skip


def stem(word: str) -> str:
    """Return a lower-case word without its endings; short words and words of other scripts stay as they are.

    What is longer than any word stays as well, so that what is kept of words is bounded.

    Source: M. F. Porter 1980, "An algorithm for suffix stripping", which Lucene's `english` analyzer uses too.
    """
    return _stem(word) if len(word) <= _WORD_CHARS_MAX else word


@lru_cache(maxsize=_KEPT)
def _stem(word: str) -> str:
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    first_y = word[0] == "y"
    word = f"Y{word[1:]}" if first_y else word
    for step in (_plurals, _past, _final_y, _double_suffixes, _long_suffixes, _last_suffixes, _tidy):
        word = step(word)
    return f"y{word[1:]}" if first_y else word


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _SOME.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mended(base) if _HAS_VOWEL.match(base) else word
    return word


def _mended(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _DOUBLE.search(base):
        return base[:-1]
    return f"{base}e" if _SHORT.match(base) else base


def _final_y(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and _HAS_VOWEL.match(word[:-1]) else word


def _double_suffixes(word: str) -> str:
    return _replaced(word, _STEP_2)


def _long_suffixes(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + instead if _SOME.match(base) else word
    return word


def _last_suffixes(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base if _MORE.match(base) else word
    if word.endswith(("sion", "tion")):
        return word[:-3] if _MORE.match(word[:-3]) else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _MORE.match(base) or (_ONE.match(base) and not _SHORT.match(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _MORE.match(word) else word
