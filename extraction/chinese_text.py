"""Whether a text is Chinese, and what of it is."""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")


def is_mostly_chinese(text: str) -> bool:
    """Whether Chinese outweighs the rest, counting a Chinese character like half a word."""
    cjk = sum(len(run) for run in _CJK.findall(text))
    if not cjk:
        return False
    latin = sum(1 for word in _WORD.findall(text) if not _CJK.search(word))
    return cjk / 2 > latin


def chinese_in(text: str) -> str:
    """The Chinese characters of a text, in order."""
    return "".join(_CJK.findall(text))
