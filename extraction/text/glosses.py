"""Gloss Chinese text in English, word by word, so that a model that reads only English can compare it. Pure.

"我最近在学吉他" becomes "I recently at learn guitar": no translation, but a cross-encoder that was trained on English
recognises that it answers "What instrument am I learning?" (docs/decisions/0007-answer-scores.md). Names are written
in pinyin, as people write them in English: 王芳 is "Wang Fang".
"""

import functools
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from extraction.text.chinese import HAN, segmented, table_lines
from extraction.text.lexicon_en import WORDS, word_pairs
from extraction.text.lexicon_zh import SURNAMES
from extraction.text.name_forms import simplified_characters
from schema.result_cache import cached_by_chars

_HAN: Final = re.compile(rf"[{HAN}]+")
_PUNCTUATION: Final = str.maketrans("，。？！、：；（）“”‘’《》", ',.?!,:;()""\'\'""')
# Gloss of particles and measure words.
_NO_MEANING: Final = "-"
# Longest word that is looked for within a longer one, in characters.
_WORD_CHARS_MAX: Final = 4
_SPACES: Final = re.compile(r"\s+")
_SPACE_BEFORE: Final = re.compile(r" (?=[,.?!:;)])")
# "我 妈妈" is "my mom", "我 走" is "I walk".
_OWNERS: Final = word_pairs(WORDS["chinese"]["owners"])
_RELATED: Final = re.compile(WORDS["chinese"]["related"])
# 小李 and 老张 are "Xiao Li" and "Lao Zhang".
_FAMILIAR: Final = frozenset("小老阿大")


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def english_gloss(text: str) -> str:
    """Return a text with its Chinese words replaced by English glosses; other words stay."""
    if _HAN.search(text) is None:
        return text
    parts: list[str] = []
    for word, after in pairwise((*_words(text), "")):
        if word in _OWNERS and _RELATED.fullmatch(_glosses().get(after, "").rpartition(" ")[2]):
            parts.append(f" {_OWNERS[word]} ")
        elif _HAN.fullmatch(word):
            parts += [f" {gloss} " for gloss in _glosses_of(word)]
        else:
            parts.append(word.translate(_PUNCTUATION))
    return _SPACE_BEFORE.sub("", _SPACES.sub(" ", "".join(parts))).strip()


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text and what is between them; neighbours that have one gloss are one word: 下 and 周三."""
    words = [*segmented(text.translate(simplified_characters()))]
    at = 0
    while at < len(words):
        joined = next((n for n in (3, 2) if _is_one_word("".join(words[at : at + n]))), 1)
        yield "".join(words[at : at + joined])
        at += joined


def _is_one_word(text: str) -> bool:
    """Return whether a text is a known word, or a surname with the form of address of a friend: 小李."""
    return text in _glosses() or (len(text) == 2 and text[0] in _FAMILIAR and text[1] in SURNAMES)


def _glosses_of(word: str) -> Iterator[str]:
    """Yield the gloss of a word, its pinyin if it is a name, or the glosses of its parts."""
    known = _glosses().get(word)
    if known is None and (name := _name_in_pinyin(word)):
        yield name
        return
    for part in [word] if known is not None else _parts(word):
        gloss = _glosses().get(part) or _pinyin().get(part)
        if gloss is not None and gloss != _NO_MEANING:
            yield gloss


def _parts(word: str) -> list[str]:
    """Split an unknown word into the longest known ones from the left, and single characters."""
    parts, start = [], 0
    while start < len(word):
        length = next(
            (n for n in range(_WORD_CHARS_MAX, 1, -1) if word[start : start + n] in _glosses()),
            1,
        )
        parts.append(word[start : start + length])
        start += length
    return parts


def _name_in_pinyin(word: str) -> str | None:
    """Return an unknown word in pinyin if it is built like a name: 王芳, 小李, 朵朵, 波尔图; else None."""
    syllables = [syllable for char in word if (syllable := _pinyin().get(char))]
    if len(syllables) < max(len(word), 2):
        return None
    if len(word) <= 3 and (word[0] in SURNAMES or (word[0] in _FAMILIAR and len(word) == 2)):
        return f"{syllables[0]} {''.join(syllables[1:])}".title()
    # Transcriptions have three characters or more, of which no two make a word.
    if len(set(word)) == 1 or (len(word) > 2 and len(_parts(word)) == len(word)):
        return "".join(syllables).title()
    return None


@functools.cache
def _glosses() -> dict[str, str]:
    rows = (line.split("\t") for line in table_lines("glosses.tsv"))
    return {word: gloss for gloss, words in rows for word in words.split(" ")}


@functools.cache
def _pinyin() -> dict[str, str]:
    rows = (line.split(" ") for line in table_lines("pinyin.txt"))
    return {char: syllable for syllable, chars in rows for char in chars}
