"""Rank sentences by TextRank and extract keywords."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.languages import FREQUENT_WORDS, tagged_language
from extraction.text.name_spotting import content_words
from extraction.text.sentences import has_cjk
from extraction.text.stop_words import CHINESE_TOPIC, ENGLISH_TOPIC

# Fewer sentences are ordered by their number of content words, which is as good and much faster.
RANKED_MIN = 4
_DAMPING = 0.85
_ROUNDS = 50
_WORD = re.compile(rf"[^\W\d_{HAN_OR_KANA}](?:[^\W\d_{HAN_OR_KANA}]|['’-]){{2,}}")
# Of English, French and Italian words.
_CLITIC = re.compile(r"^(?:[cdjlmnst]|qu|dell)['’]|['’]s$")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")


def words_of(text: str) -> list[str]:
    """Return the lower-case content words of a sentence; in Japanese, those of Chinese characters and of katakana."""
    if has_cjk(text):
        words = [*content_words(text), *_KATAKANA.findall(text)]
        return [word for word in words if word not in CHINESE_TOPIC and word not in ENGLISH_TOPIC]
    frequent = FREQUENT_WORDS.get(tagged_language(text) or "", ENGLISH_TOPIC)
    return [word for word in (_CLITIC.sub("", found.lower()) for found in _WORD.findall(text)) if word not in frequent]


def ranked(sentences: Sequence[str]) -> list[int]:
    """Return indexes of the sentences by rank, most central first; ties in text order.

    Similarity: number of shared words over the sum of the logarithms of both lengths.
    Source: Mihalcea and Tarau 2004, TextRank.
    """
    words = [Counter(words_of(sentence)) for sentence in sentences]
    if len(sentences) < RANKED_MIN:
        return sorted(range(len(sentences)), key=lambda number: (-len(words[number]), number))
    weight = np.zeros((len(sentences), len(sentences)))
    for one in range(len(sentences)):
        for other in range(one + 1, len(sentences)):
            shared = len(words[one].keys() & words[other].keys())
            if shared:
                size = math.log(1 + len(words[one])) + math.log(1 + len(words[other]))
                weight[one, other] = weight[other, one] = shared / size
    rank = _page_rank(weight)
    # Sentences that share no words have equal ranks; order them by their number of content words.
    return sorted(range(len(sentences)), key=lambda number: (-round(rank[number], 6), -len(words[number]), number))


def _page_rank(weight: np.ndarray) -> list[float]:
    """Return the PageRank of each row by power iteration; networkx would need scipy."""
    total = weight.sum(axis=1, keepdims=True)
    step = np.divide(weight, total, out=np.full_like(weight, 1 / len(weight)), where=total > 0)
    rank = np.full(len(weight), 1 / len(weight))
    for _ in range(_ROUNDS):
        rank = (1 - _DAMPING) / len(weight) + _DAMPING * (rank @ step)
    return [float(value) for value in rank]


def keywords(sentences: Sequence[str], count: int) -> list[str]:
    """Return keywords scored by frequency and length, best first."""
    counted: Counter[str] = Counter()
    first: dict[str, int] = {}
    for sentence in sentences:
        for word in words_of(sentence):
            counted[word] += 1
            first.setdefault(word, len(first))
    weight = {word: number * (1 + min(len(word), 8) / 8) for word, number in counted.items()}
    return sorted(weight, key=lambda word: (-weight[word], first[word]))[:count]
