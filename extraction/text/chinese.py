"""Chinese characters and words of a text."""

import functools
import logging
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

# Chinese characters; and those of all languages that are written without spaces or searched by pairs: with kana and
# Hangul. For patterns, in brackets.
HAN: Final = r"\u3400-\u9fff\uf900-\ufaff"
HAN_OR_KANA: Final = HAN + r"\u3040-\u30ff"
CJK: Final = HAN_OR_KANA + r"\uac00-\ud7af"
_WORD: Final = re.compile(r"[^\W_]+")
_HAN: Final = re.compile(rf"[{HAN}]+")
_CJK: Final = re.compile(rf"[{CJK}]+")


def is_chinese(text: str) -> bool:
    """Return whether a text is mostly Chinese, counting a Chinese character as half a word."""
    han = sum(len(run) for run in _HAN.findall(text))
    if not han:
        return False
    latin = sum(1 for word in _WORD.findall(text) if not _HAN.search(word))
    return han / 2 > latin


def chinese_in(text: str) -> str:
    """Return the Chinese characters of a text, in order."""
    return "".join(_HAN.findall(text))


def character_pairs(text: str) -> Iterator[str]:
    """Yield the pairs of neighbouring Chinese, Japanese or Korean characters: terms that need no dictionary."""
    for run in _CJK.findall(text):
        yield from map("".join, pairwise(run))


def table_lines(name: str) -> list[str]:
    """Return the lines of a table of Chinese characters or words in this folder, without its comments."""
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


# Segmentation by jieba; the dictionary is loaded on first use.

# jieba segments each of these blocks separately.
_BLOCK: Final = re.compile(rf"[{HAN}a-zA-Z0-9+#&._%-]+")
# Guessing unknown words takes quadratic time in a block; those of ordinary sentences are shorter.
_BLOCK_CHARS_MAX: Final = 200


@functools.cache
def load_dictionary() -> Any:  # jieba has no types
    """Return jieba with its dictionary loaded; the first call takes about a second."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba


def segmented(text: str) -> Iterator[str]:
    """Yield the words of a text and what is between them; the first call takes about a second."""
    for start in range(0, len(text), _BLOCK_CHARS_MAX):
        yield from load_dictionary().lcut(text[start : start + _BLOCK_CHARS_MAX])


def chinese_words(text: str, *, chars_min: int = 2) -> list[str]:
    """Return the words of at least `chars_min` characters, in order; the first Chinese text takes about a second."""
    words: list[str] = []
    for block in filter(_HAN.search, _BLOCK.findall(text)):
        words += [word for word in segmented(block) if _HAN.fullmatch(word) and len(word) >= chars_min]
    return words
