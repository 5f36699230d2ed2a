"""What of a question is searched for in texts, and how often each text says it, in English and Chinese (pure).

English words count by their stems, British and American ones alike. Chinese texts are never cut into words, which would
take longer than the search: the question is, into words of the dictionary, pairs of characters and single ones, and
texts are asked how often they contain them. Single characters find what is said in other words: 画 in 画画 and 绘画.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Final

from extraction.text.chinese import chinese_words
from extraction.text.english_stems import AMERICAN, stem
from extraction.text.stop_words import CHINESE_CHARACTERS, ENGLISH_BM25
from schema.kept_results import kept_by_chars

_WORD: Final = re.compile(r"[a-z0-9]+")
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
# A Chinese word has about this many characters with what stands between words.
_CHARS_A_WORD: Final = 1.6
_TEXTS_KEPT: Final = 8_192
_CHARS_KEPT: Final = 4_000_000
TERMS_MAX: Final = 96
# A conversation as a question: 96 would be its first sentence or two.
_LONG_MAX: Final = 288
_BRITISH: Final = {american: british for british, american in AMERICAN.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is searched for.

    Attributes:
        stems: of English words; texts are compared by stems.
        strings: Chinese words, pairs of characters and characters; texts are searched for them.
        times: how often the question says each, the stems first; empty for once.
    """

    stems: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    times: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.stems) + len(self.strings)

    def without(self, stems: Collection[str], name: str) -> "Terms":
        """Return the same terms but those that are among these stems or part of a name."""
        kept = [one not in stems for one in self.stems] + [one not in name for one in self.strings]
        return Terms(
            stems=tuple(compress(self.stems, kept)),
            strings=tuple(compress(self.strings, kept[len(self.stems) :])),
            times=tuple(compress(self.times, kept)),
        )


def terms_of(question: str, *, characters: bool = False) -> Terms:
    """Return the terms of a question, each once, in order; words that every text has are left out.

    Args:
        characters: also single Chinese characters, and more terms of a long question.
    """
    folded = question.lower()
    runs = _CJK.findall(folded)
    strings: dict[str, None] = dict.fromkeys(chinese_words(folded)) if runs else {}
    for run in runs:
        strings |= dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1))
    if characters:
        strings |= dict.fromkeys(one for run in runs for one in run if one not in CHINESE_CHARACTERS)
    said = Counter(_stems(folded))
    most = _LONG_MAX if characters else TERMS_MAX
    stems, found = tuple(said)[:TERMS_MAX], tuple(strings)[:most]
    return Terms(
        stems=stems, strings=found, times=(*(said[one] for one in stems), *(folded.count(one) for one in found))
    )


def both_spellings(words: Sequence[str]) -> list[str]:
    """Return the words, and behind them the other spelling of those that are British or American."""
    others = (AMERICAN.get(word) or _BRITISH.get(word) for word in words)
    return list(dict.fromkeys([*words, *(other for other in others if other)]))


def counts(terms: Terms, text: str) -> list[int]:
    """Return how often a text says each term: the stems first, then the strings."""
    said = _said(text)[0] if terms.stems else {}
    folded = text.lower() if terms.strings else ""
    return [said.get(one, 0) for one in terms.stems] + [folded.count(one) for one in terms.strings]


def said_in(terms: Terms, text: str) -> list[str]:
    """Return the terms that a text says."""
    said = _said(text)[0] if terms.stems else {}
    folded = text.lower() if terms.strings else ""
    return [one for one in terms.stems if one in said] + [one for one in terms.strings if one in folded]


def stems_in(text: str) -> Collection[str]:
    """Return the stems of the English words that a text has, each once, without words that every text has."""
    return _said(text)[0].keys()


def length(text: str) -> float:
    """Return how many words a text has, those that every text has left out."""
    return _said(text)[1]


@kept_by_chars(chars_max=_CHARS_KEPT, entries_max=_TEXTS_KEPT)
def _said(text: str) -> tuple[dict[str, int], float]:
    folded = text.lower()
    said = Counter(_stems(folded))
    chinese = sum(len(run) for run in _CJK.findall(folded))
    return said, said.total() + chinese / _CHARS_A_WORD


def _stems(folded: str) -> Sequence[str]:
    plain = _POSSESSIVE.sub("", folded).replace("'", "").replace("’", "")
    return [stem(AMERICAN.get(word, word)) for word in _WORD.findall(plain) if word not in ENGLISH_BM25]
