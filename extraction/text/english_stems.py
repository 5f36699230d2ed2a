"""Stems; gerunds, singulars and spelling variants of English. Pure."""

from functools import lru_cache
from typing import Final

import snowballstemmer

from extraction.text.lexicon_en import WORDS, word_pairs

_CACHE_ENTRIES: Final = 200_000
_WORD_CHARS_MAX: Final = 60


def stem(word: str) -> str:
    """Return the Porter stem of a lower-case word; short words and other scripts are returned unchanged.

    Strings of more than 60 characters are returned unchanged too, which bounds the cache.

    Source: M. F. Porter 1980, "An algorithm for suffix stripping", which Lucene's `english` analyzer uses too.
    """
    return word if not word.isascii() or len(word) > _WORD_CHARS_MAX else _stem(word, "porter")


_ALGORITHMS: Final = {"de": "german", "es": "spanish", "fr": "french"}


def foreign_stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word in German ("de"), Spanish or French; as `stem` for what it leaves.

    Source: the Snowball algorithms of these languages.
    """
    return _stem(word, _ALGORITHMS[language]) if len(word) <= _WORD_CHARS_MAX else word


@lru_cache(maxsize=_CACHE_ENTRIES)
def _stem(word: str, algorithm: str) -> str:
    if len(word) < 3 or not word.isalpha():
        return word
    # Of each word, because a stemmer keeps its state.
    stemmed: str = snowballstemmer.stemmer(algorithm).stemWord(word)
    return stemmed


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
