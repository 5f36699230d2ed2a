"""Elided articles, accents and first persons of languages other than English and Chinese, for the search. Pure.

Everything else treats them alike: words of any alphabet without accents, and pairs of characters where a script has no
spaces.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from extraction.text.lexicon_en import WORDS, word_set

# Articles, pronouns and prepositions that French, Italian and Catalan write together with the next word: l'école.
_ELIDED: Final = (
    "l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|un|dell|all|nell|dall|sull|quell|quest|bell|sant|anch|com|dov|gl"
)
_ELISION: Final = re.compile(rf"(?<![^\W_])({_ELIDED})['’](?=[^\W\d_]{{2}})", re.IGNORECASE)
_REST: Final = re.compile(r"[^\W_]+")
_LATIN: Final = re.compile(r"[A-Za-z]+")
# Before a vowel or a silent h.
_VOWELS: Final = frozenset("aeiouhyàâäáèéêëìíîïòóôöùúûüœæ")
_PREFIXES: Final = ("l", "d")
_VARIANT_CHARS_MIN: Final = 4
_VARIED_WORDS_MAX: Final = 6
_ENGLISH: Final = word_set(WORDS["languages"]["english_only"])
FIRST_PERSON: Final = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(WORDS['languages']['first_persons'].values())})(?![^\W_])"
    r"|私|僕|俺|わたし|ぼく|うち|저는|제가|나는|내가|우리|제|내",  # Japanese, Korean
    re.IGNORECASE,
)


def without_elisions(text: str) -> str:
    """Return a text without elided articles: "l'école" becomes "école"."""
    return _ELISION.sub("", text)


def elided_words(text: str) -> list[str]:
    """Return the words of a text with their elided articles, with either apostrophe, as an index may have them."""
    found: dict[str, None] = {}
    for match in _ELISION.finditer(text):
        rest = _REST.match(text, match.end())
        if rest is not None:
            found |= dict.fromkeys(f"{match[1]}{mark}{rest[0]}".casefold() for mark in "'’")
    return list(found)


def perhaps_unaccented(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a question that texts may spell with accents; none for an English question."""
    if _is_english(text):
        return []
    return [word for word in words if len(word) >= _VARIANT_CHARS_MIN and _LATIN.fullmatch(word)][:_VARIED_WORDS_MAX]


def _is_english(text: str) -> bool:
    return any(word.casefold() in _ENGLISH for word in _LATIN.findall(text))


def with_elisions(words: Sequence[str], text: str) -> list[str]:
    """Return the forms with an elided article that words of a text may have elsewhere; none for an English text."""
    if _is_english(text):
        return []
    varied = [word for word in words if len(word) >= _VARIANT_CHARS_MIN and word[0] in _VOWELS][:_VARIED_WORDS_MAX]
    return [f"{prefix}{mark}{word}" for word in varied for prefix in _PREFIXES for mark in "'’"]


def folded(text: str) -> str:
    """Return a text in lower case without accents: "Straße" and "strasse", "café" and "cafe" are equal."""
    if text.isascii():
        return text.lower()
    # Case last: "𝑨" becomes "A" only by the decomposition. Again decomposed, because case folding may compose ("ŉ").
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    # Without combining diacritical marks; the voiced marks of kana and the vowels of other scripts stay.
    return unicodedata.normalize("NFC", "".join(char for char in plain if not "\u0300" <= char <= "\u036f"))
