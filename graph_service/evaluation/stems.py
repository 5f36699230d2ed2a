"""English words without their endings, by Porter's rules of 1980. Pure.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
"""

import re
from functools import lru_cache
from typing import Final

_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
)  # fmt: skip
_VOWEL: Final = re.compile("v")
_RUNS: Final = re.compile(r"v+c+")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; words of other alphabets, and short ones, stay as they are."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    for step in (_plural, _past, _final_y, _second, _third, _fourth, _final_e):
        word = step(word)
    return word


def _letters(stem_: str) -> str:
    """`c` for each consonant and `v` for each vowel; y is a vowel after a consonant."""
    kinds = ""
    for place, letter in enumerate(stem_):
        vowel = letter in "aeiou" or (letter == "y" and place > 0 and kinds[-1] == "c")
        kinds += "v" if vowel else "c"
    return kinds


def _measure(stem_: str) -> int:
    return len(_RUNS.findall(_letters(stem_)))


def _has_vowel(stem_: str) -> bool:
    return _VOWEL.search(_letters(stem_)) is not None


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _letters(word)[-1] == "c"


def _short(word: str) -> bool:
    """Ends in consonant, vowel, consonant, the last not w, x or y."""
    return _letters(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    for ending, kept in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + kept
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            left = word.removesuffix(ending)
            return _mended(left) if _has_vowel(left) else word
    return word


def _mended(left: str) -> str:
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _doubled(left) and left[-1] not in "lsz":
        return left[:-1]
    return left + "e" if _measure(left) == 1 and _short(left) else left


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _second(word: str) -> str:
    return _replaced(word, _STEP_2)


def _third(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """With the longest ending that fits replaced, if enough is left before it."""
    for ending, put in sorted(endings, key=lambda pair: -len(pair[0])):
        if word.endswith(ending):
            left = word.removesuffix(ending)
            return left + put if _measure(left) > 0 else word
    return word


def _fourth(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            left = word.removesuffix(ending)
            return left if _measure(left) > 1 else word
    if word.endswith("ion") and word[-4:-3] in ("s", "t") and _measure(word[:-3]) > 1:
        return word[:-3]
    return word


def _final_e(word: str) -> str:
    if word.endswith("e"):
        left = word[:-1]
        if _measure(left) > 1 or (_measure(left) == 1 and not _short(left)):
            word = left
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
