"""What each signal is worth, by language; the one place for it.

Source: fitted with a listwise softmax loss, one conversation left out at a time (tests/bench/ranking_table.py); those
of Chinese were chosen among few on four data sets (tests/bench/chinese_table.py). `role` counts like `speaker`, for
which it stands where nobody is named; `graph` as much as does no harm; `beyond` so much that what an answer is said of
comes before what ties it to the name (tests/flows/test_second_hop.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each signal counts.

    Attributes:
        scaled: for one standard deviation among the messages found.
        plain: for the whole of a signal between 0 and 1.
    """

    scaled: Mapping[str, float]
    plain: Mapping[str, float]


_KNOWLEDGE = {"names": 1.0, "graph": 0.1, "beyond": 3.0, "certainty": 0.3, "importance": 0.1, "recency": 0.1}
_PLAIN_EN = {
    "speaker": 2.1,
    "time": 3.1,
    "says": 0.7,
    "answers": 0.3,
    "tells_when": 1.7,
    "tells_number": 0.85,
    "role": 2.0,
}
_PLAIN_ZH = {
    "speaker": 2.1,
    "time": 2.5,
    "says": 0.5,
    "answers": 0.4,
    "tells_when": 1.7,
    "tells_number": 0.8,
    "role": 2.0,
}


def _weights(scaled: Mapping[str, float], plain: Mapping[str, float]) -> Weights:
    return Weights(scaled=MappingProxyType(dict(scaled)), plain=MappingProxyType({**plain, **_KNOWLEDGE}))


_WORDS_ZH = {"words": 0.8, "words_before": 0.15, "words_near": 0.2, "length": 0.2}
# With vectors of a message's pieces: these take over what the vector of the whole tells.
ENGLISH = _weights(
    {"words": 0.1, "words_before": 0.15, "words_near": 0.4, "tokens": 0.8, "tokens_near": 1.1}, _PLAIN_EN
)
ENGLISH_BY_VECTORS = _weights(
    {"words": 0.25, "words_before": 0.15, "words_near": 0.85, "meaning": 0.7, "meaning_near": 0.2, "length": 0.5},
    _PLAIN_EN,
)
ENGLISH_BY_WORDS = _weights({"words": 0.35, "words_before": 0.2, "words_near": 1.0, "length": 0.4}, _PLAIN_EN)
CHINESE = _weights(
    {**_WORDS_ZH, "words": 0.25, "length": 0.4, "meaning": 0.5, "tokens": 0.2, "tokens_near": 0.5}, _PLAIN_ZH
)
CHINESE_BY_VECTORS = _weights({**_WORDS_ZH, "meaning": 0.7, "meaning_near": 0.2}, _PLAIN_ZH)
CHINESE_BY_WORDS = _weights(_WORDS_ZH, _PLAIN_ZH)
# A conversation that is handed in as a question asks for nothing: what counts is what it is about.
CONVERSATION = _weights({"words": 1.0, "meaning": 1.6}, {"speaker": 1.0, "time": 1.0})
CONVERSATION_BY_WORDS = _weights({"words": 1.0}, {"speaker": 1.0, "time": 1.0})
# Longer than this nobody asks; remarks are.
_QUESTION_CHARS_MAX, _QUESTION_CHARS_MAX_ZH = 160, 60


def weights_for(*, chinese: bool, vectors: bool, tokens: bool, chars: int = 0) -> Weights:
    """The weights of a question.

    Args:
        chars: how long the question is.
        vectors: the embedder is there.
        tokens: it gave vectors of the question's pieces too.
    """
    if chars > (_QUESTION_CHARS_MAX_ZH if chinese else _QUESTION_CHARS_MAX):
        return CONVERSATION if vectors else CONVERSATION_BY_WORDS
    by_words, by_vectors, by_tokens = (
        (CHINESE_BY_WORDS, CHINESE_BY_VECTORS, CHINESE) if chinese else (ENGLISH_BY_WORDS, ENGLISH_BY_VECTORS, ENGLISH)
    )
    if not vectors:
        return by_words
    return by_tokens if tokens else by_vectors
