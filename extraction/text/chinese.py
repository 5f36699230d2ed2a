"""Chinese characters and words of a text."""

import functools
import logging
import re
from typing import Any, Final

_WORD: Final = re.compile(r"[^\W_]+")
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")


def is_chinese(text: str) -> bool:
    """Return whether a text is mostly Chinese, counting a Chinese character as half a word."""
    cjk = sum(len(run) for run in _CJK.findall(text))
    if not cjk:
        return False
    latin = sum(1 for word in _WORD.findall(text) if not _CJK.search(word))
    return cjk / 2 > latin


def chinese_in(text: str) -> str:
    """Return the Chinese characters of a text, in order."""
    return "".join(_CJK.findall(text))


# Segmentation by jieba; the dictionary is loaded on first use.

# jieba segments each of these blocks separately.
_BLOCK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaffa-zA-Z0-9+#&._%-]+")
# Guessing unknown words takes quadratic time in a block; those of ordinary sentences are shorter.
_BLOCK_CHARS_MAX: Final = 200


@functools.cache
def _dictionary() -> Any:  # jieba has no types
    """Return jieba with its dictionary loaded; the first call takes about a second."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba


def chinese_words(text: str, *, chars_min: int = 2) -> list[str]:
    """Return the words of at least `chars_min` characters, in order; the first call takes about a second."""
    words: list[str] = []
    for block in _BLOCK.findall(text):
        for start in range(0, len(block), _BLOCK_CHARS_MAX):
            piece = block[start : start + _BLOCK_CHARS_MAX]
            words += [word for word in _dictionary().lcut(piece) if _CJK.fullmatch(word) and len(word) >= chars_min]
    return words
