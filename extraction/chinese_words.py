"""Words of a Chinese text, by a dictionary that is loaded on first use."""

import functools
import logging
import re
from typing import Any, Final

_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]{2,}")


@functools.cache
def _dictionary() -> Any:  # jieba has no types
    """jieba, which reads its dictionary for about a second."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba


def chinese_words(text: str) -> list[str]:
    """The words of two characters and more, in order; the first call takes about a second."""
    return [word for word in _dictionary().lcut(text) if _CJK.fullmatch(word)]
