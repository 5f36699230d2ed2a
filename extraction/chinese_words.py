"""Words of a Chinese text, by a dictionary that is loaded on first use."""

import functools
import logging
import re
from typing import Any, Final

# What jieba reads as one block; between blocks it cuts in any case.
_BLOCK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaffa-zA-Z0-9+#&._%-]+")
# Its guess at unknown words costs the square of a block. No sentence goes on for so long without a mark.
_BLOCK_CHARS_MAX: Final = 200
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]{2,}")


@functools.cache
def _dictionary() -> Any:  # jieba has no types
    """jieba, which reads its dictionary for about a second."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba


def chinese_words(text: str) -> list[str]:
    """Return the words of two characters and more, in order; the first call takes about a second."""
    words: list[str] = []
    for block in _BLOCK.findall(text):
        for start in range(0, len(block), _BLOCK_CHARS_MAX):
            piece = block[start : start + _BLOCK_CHARS_MAX]
            words += [word for word in _dictionary().lcut(piece) if _CJK.fullmatch(word)]
    return words
