"""What each signal is worth, by language; the one place for it, and settings may replace each number.

Source: fitted with a listwise softmax loss, one conversation left out at a time (tests/bench/ranking_table.py).
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


_KNOWLEDGE = {"names": 1.0, "certainty": 0.3, "importance": 0.1, "recency": 0.1}
ENGLISH = Weights(
    scaled=MappingProxyType(
        {
            "words": 0.6,
            "words_before": 0.2,
            "words_near": 0.5,
            "words_session": 0.3,
            "meaning": 0.6,
            "meaning_before": 0.1,
            "meaning_near": 0.2,
            "length": 0.2,
        }
    ),
    plain=MappingProxyType(
        {"speaker": 1.5, "time": 2.0, "says": 0.5, "answers": 0.3, "tells_when": 1.0, "tells_number": 0.5, **_KNOWLEDGE}
    ),
)
CHINESE = Weights(
    scaled=MappingProxyType(
        {
            "words": 0.8,
            "words_before": 0.1,
            "words_near": 0.4,
            "words_session": 0.2,
            "meaning": 0.5,
            "meaning_before": 0.1,
            "meaning_near": 0.2,
            "length": 0.1,
        }
    ),
    plain=ENGLISH.plain,
)
# MiniLM knows no Chinese: its signals would do harm.
CHINESE_WITHOUT_MODEL = Weights(
    scaled=MappingProxyType({name: w for name, w in CHINESE.scaled.items() if not name.startswith("meaning")}),
    plain=CHINESE.plain,
)
