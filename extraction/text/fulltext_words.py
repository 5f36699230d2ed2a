"""Words for full-text queries, without anything that Lucene would parse as query syntax. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from extraction.text.chinese import CJK
from extraction.text.other_languages import elided_words, with_elisions, without_elisions
from extraction.text.stop_words import CHINESE, ENGLISH

# Letters and digits of any script, as the `cjk` analyzer tokenizes; drops all Lucene syntax.
WORD = re.compile(r"[^\W_]+")
# "Bart's" becomes "Bart", and "what's" a stop word.
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
CJK_RUN: Final = re.compile(rf"[{CJK}]+")
_WORDS_MAX = 64
# Lucene refuses a query of more than 1,024 terms (`IndexSearcher.getMaxClauseCount`) over all fields, and our queries
# search up to three fields. In scripts without spaces the analyzer makes a term of each pair of characters.
TERMS_MAX = 320
# The analyzer cuts longer words of other scripts.
_WORD_CHARS_MAX = 255


def words_in(text: str) -> list[str]:
    """Return the distinct words of a text without stop words, in order.

    Chinese stays in runs, which the analyzer splits into bigrams. In other languages, words are followed by their forms
    with an elided article, because the analyzer keeps "l'école" as one word.
    """
    words = plain_words(without_elisions(_POSSESSIVE.sub("", text)))
    more = dict.fromkeys([*elided_words(text), *with_elisions(words, text)])
    return within_terms([*words, *more][:_WORDS_MAX], terms_max=TERMS_MAX) if more else words


def plain_words(text: str) -> list[str]:
    """Return the distinct words of a text without stop words, in order; unlike `words_in`, keep possessives."""
    found: dict[str, None] = {}
    for word in WORD.findall(text.replace("'", "").replace("’", "")):
        for part in _by_script(word):
            if part.casefold() not in ENGLISH:
                found[part.casefold()] = None
    return within_terms(list(found)[:_WORDS_MAX], terms_max=TERMS_MAX)


def within_terms(words: Sequence[str], *, terms_max: int) -> list[str]:
    """Return the first words that the analyzer turns into at most `terms_max` terms; the last one may be cut."""
    kept: list[str] = []
    left = terms_max
    for word in words:
        if left <= 0:
            break
        # Each character from U+2E80 on may become a term; any other word is one term.
        by_characters = any(ord(character) >= 0x2E80 for character in word)
        kept.append(word[: left if by_characters else _WORD_CHARS_MAX])
        left -= len(kept[-1]) if by_characters else 1
    return kept


def _by_script(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in CJK_RUN.finditer(word):
        parts += [word[end : run.start()], *_zh_pieces(run.group())]
        end = run.end()
    parts.append(word[end:])
    return [part for part in parts if part]


def _zh_pieces(run: str) -> list[str]:
    for stop in CHINESE:
        run = run.replace(stop, " ")
    return run.split()
