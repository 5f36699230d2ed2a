"""Stems; singulars and spelling variants of English. Pure."""

from functools import lru_cache
from typing import Final

import snowballstemmer

from extraction.text.lexicon_en import WORDS, word_pairs

_CACHE_ENTRIES: Final = 200_000
_WORD_CHARS_MAX: Final = 60
# Snowball's names of the algorithms; Porter's of 1980 for English, as in Lucene's `english` analyzer.
_ALGORITHMS: Final = {"en": "porter", "de": "german", "es": "spanish", "fr": "french"}


def stem(word: str, language: str = "en") -> str:
    """Return the stem of a lower-case word; short words, and other letters than those of English, are left as they are.

    Strings of more than 60 characters are returned unchanged too, which bounds the cache.

    Args:
        language: "de", "es" and "fr" have stems of their own, also of words with other letters; all else those of "en".

    Source: the Snowball algorithms.
    """
    algorithm = _ALGORITHMS.get(language, "porter")
    is_read = len(word) <= _WORD_CHARS_MAX and (word.isascii() or algorithm != "porter")
    return _stem(word, algorithm) if is_read else word


@lru_cache(maxsize=_CACHE_ENTRIES)
def _stem(word: str, algorithm: str) -> str:
    if len(word) < 3 or not word.isalpha():
        return word
    # Of each word, because a stemmer keeps its state.
    stemmed: str = snowballstemmer.stemmer(algorithm).stemWord(word)
    return stemmed


# Singulars

# Shorter words are not read as plurals: "Ann" and "Anns" may be two names.
PLURAL_CHARS_MIN: Final = 4


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
