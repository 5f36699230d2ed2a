"""English stems, gerunds, singulars and spelling variants. Pure."""

import re
from functools import lru_cache
from typing import Final

from extraction.text.lexicon_en import WORDS, word_pairs

_CACHE_ENTRIES: Final = 200_000
_WORD_CHARS_MAX: Final = 60
_CONSONANT: Final = "[^aeiou]"
_VOWEL: Final = "[aeiouy]"
_C: Final = f"{_CONSONANT}[^aeiouy]*"
_V: Final = f"{_VOWEL}[aeiou]*"
# Porter's measure: the number of vowel-consonant sequences in a word.
_MEASURE_MIN_1: Final = re.compile(f"^({_C})?{_V}{_C}")
_MEASURE_1: Final = re.compile(f"^({_C})?{_V}{_C}({_V})?$")
_MEASURE_MIN_2: Final = re.compile(f"^({_C})?{_V}{_C}{_V}{_C}")
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
    """Return the Porter stem of a lower-case word; short words and other scripts are returned unchanged.

    Strings of more than 60 characters are returned unchanged too, which bounds the cache.

    Source: M. F. Porter 1980, "An algorithm for suffix stripping", which Lucene's `english` analyzer uses too.
    """
    return _stem(word) if len(word) <= _WORD_CHARS_MAX else word


@lru_cache(maxsize=_CACHE_ENTRIES)
def _stem(word: str) -> str:
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    first_y = word[0] == "y"
    word = f"Y{word[1:]}" if first_y else word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5):
        word = step(word)
    return f"y{word[1:]}" if first_y else word


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_MIN_1.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _step_1b_ending(base) if _HAS_VOWEL.match(base) else word
    return word


def _step_1b_ending(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _DOUBLE.search(base):
        return base[:-1]
    return f"{base}e" if _SHORT.match(base) else base


def _step_1c(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and _HAS_VOWEL.match(word[:-1]) else word


def _step_2(word: str) -> str:
    return _replaced(word, _STEP_2)


def _step_3(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + instead if _MEASURE_MIN_1.match(base) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base if _MEASURE_MIN_2.match(base) else word
    if word.endswith(("sion", "tion")):
        return word[:-3] if _MEASURE_MIN_2.match(word[:-3]) else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _MEASURE_MIN_2.match(base) or (_MEASURE_1.match(base) and not _SHORT.match(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _MEASURE_MIN_2.match(word) else word


# Gerunds and singulars

# Shorter words are not read as plurals: "Ann" and "Anns" may be two names.
PLURAL_CHARS_MIN: Final = 4
_VOWELS: Final = "aeiou"


def gerund(verb: str) -> str:
    """Return the gerund of a verb: `paint` → `painting`, `swim` → `swimming`, `dance` → `dancing`."""
    low = verb.lower()
    if low == "be":
        return "being"
    if low.endswith("ie"):
        return low[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")):
        return low[:-1] + "ing"
    short = len(low) in (3, 4) and low[-1] not in _VOWELS + "wxyh" and low[-2] in _VOWELS and low[-3] not in _VOWELS
    return low + low[-1] + "ing" if short else low + "ing"


def singular(word: str) -> str | None:
    """Return the likely singular of a plural noun; None if the word is too short or not a regular plural."""
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "os", "ics")):
        return word[:-1] if len(word) > PLURAL_CHARS_MIN else None
    return None


# Spelling variants: British and American, compounds, irregular plurals, Roman numerals

AMERICAN: Final = word_pairs(WORDS["english"]["american"])
COMPOUNDS: Final = word_pairs(WORDS["english"]["compounds"])
SINGULARS: Final = word_pairs(WORDS["english"]["singulars"])
ROMAN: Final = word_pairs(WORDS["english"]["roman"])
# Transliteration of German letters.
UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
