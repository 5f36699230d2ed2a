"""What of a question is searched for in texts, and how often each text says it, in English and Chinese (pure).

English words count by their stems. Chinese texts are never cut into words, which would take longer than the search: the
question is, into words of the dictionary and into pairs of characters, and texts are asked how often they contain them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from extraction.chinese_words import chinese_words
from extraction.english_stems import stem

_WORD: Final = re.compile(r"[a-z0-9]+")
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
# A Chinese word has about this many characters with what stands between words.
_CHARS_A_WORD: Final = 1.6
_TEXTS_KEPT: Final = 8_192
TERMS_MAX: Final = 96
_STOP_TEXT: Final = """
a about am an and any are as at be been being but by can could d did do does ever for from had has have he her his how i
if in into is it its just ll m me my no not of on or our out re s she should so t than that the their them then there
these they this those to up us ve was we were what when where which who whom whose why will with would you your
"""
_STOP: Final = frozenset(_STOP_TEXT.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is searched for.

    Attributes:
        stems: of English words; texts are compared by stems.
        strings: Chinese words and pairs of characters; texts are searched for them.
    """

    stems: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.stems) + len(self.strings)


def terms_of(question: str) -> Terms:
    """The terms of a question, each once, in order; words that every text has are left out."""
    folded = question.lower()
    strings: dict[str, None] = dict.fromkeys(chinese_words(folded)) if _CJK.search(folded) else {}
    for run in _CJK.findall(folded):
        strings |= dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1))
    stems = dict.fromkeys(_stems(folded))
    return Terms(stems=tuple(stems)[:TERMS_MAX], strings=tuple(strings)[:TERMS_MAX])


def counts(terms: Terms, text: str) -> list[int]:
    """How often a text says each term: the stems first, then the strings."""
    said = _said(text)[0] if terms.stems else {}
    folded = text.lower() if terms.strings else ""
    return [said.get(one, 0) for one in terms.stems] + [folded.count(one) for one in terms.strings]


def length(text: str) -> float:
    """How many words a text has, those that every text has left out."""
    return _said(text)[1]


@lru_cache(maxsize=_TEXTS_KEPT)
def _said(text: str) -> tuple[dict[str, int], float]:
    folded = text.lower()
    said = Counter(_stems(folded))
    chinese = sum(len(run) for run in _CJK.findall(folded))
    return said, said.total() + chinese / _CHARS_A_WORD


def _stems(folded: str) -> Sequence[str]:
    plain = _POSSESSIVE.sub("", folded).replace("'", "").replace("’", "")
    return [stem(word) for word in _WORD.findall(plain) if word not in _STOP]
