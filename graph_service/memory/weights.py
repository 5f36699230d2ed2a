"""What each signal is worth, by language; the one place for it.

Source: fitted with a listwise softmax loss, one conversation left out at a time (tests/bench/ranking_table.py); those
by Chinese words were chosen among few on four data sets (tests/bench/chinese_table.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each signal counts.

    Attributes:
        scaled: for one standard deviation among the messages found.
        plain: for the whole of a signal between 0 and 1.
    """

    scaled: Mapping[str, float]
    plain: Mapping[str, float]


_KNOWLEDGE = {"names": 1.0, "certainty": 0.3, "importance": 0.1, "recency": 0.1}
_PLAIN_EN = {"speaker": 2.2, "time": 3.1, "says": 0.6, "answers": 0.35, "tells_when": 1.6, "tells_number": 0.9}
_PLAIN_ZH = {"speaker": 2.1, "time": 2.5, "says": 0.5, "answers": 0.4, "tells_when": 1.7, "tells_number": 0.8}


def _weights(scaled: Mapping[str, float], plain: Mapping[str, float]) -> Weights:
    return Weights(scaled=MappingProxyType(dict(scaled)), plain=MappingProxyType({**plain, **_KNOWLEDGE}))


_WORDS_ZH = {"words": 0.8, "words_before": 0.15, "words_near": 0.2, "length": 0.2}
# With vectors of a message's pieces: these take over what the vector of the whole tells.
ENGLISH = _weights(
    {"words": 0.05, "words_before": 0.15, "words_near": 0.4, "tokens": 0.65, "tokens_near": 1.0, "length": 0.1},
    _PLAIN_EN,
)
ENGLISH_BY_VECTORS = _weights(
    {"words": 0.25, "words_before": 0.15, "words_near": 0.85, "meaning": 0.7, "meaning_near": 0.2, "length": 0.5},
    _PLAIN_EN,
)
ENGLISH_BY_WORDS = _weights({"words": 0.35, "words_before": 0.2, "words_near": 1.0, "length": 0.4}, _PLAIN_EN)
CHINESE = _weights({**_WORDS_ZH, "meaning": 0.7, "meaning_near": 0.2}, _PLAIN_ZH)
# MiniLM knows no Chinese: its signals would do harm.
CHINESE_BY_WORDS = _weights(_WORDS_ZH, _PLAIN_ZH)
# A conversation that is handed in as a question asks for nothing: what counts is what it is about.
CHINESE_CONVERSATION = _weights({"words": 1.0}, {"speaker": 1.0, "time": 1.0})
_CONVERSATION_CHARS: Final = 60


def weights_for(*, chinese: bool, vectors: bool, tokens: bool, chars: int = 0) -> Weights:
    """The weights of a question.

    Args:
        chars: how long the question is.
        vectors: the embedder is there and knows the language.
        tokens: it gave vectors of the question's pieces too.
    """
    if chinese and vectors:
        return CHINESE
    if chinese:
        return CHINESE_CONVERSATION if chars > _CONVERSATION_CHARS else CHINESE_BY_WORDS
    if not vectors:
        return ENGLISH_BY_WORDS
    return ENGLISH if tokens else ENGLISH_BY_VECTORS
