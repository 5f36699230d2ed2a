"""Chinese word lists."""

from typing import Final

from extraction.text.lexicon_en import WORDS

_CHINESE: Final = WORDS["chinese"]
# Adverbs for former states: those that mean "formerly" wherever they stand, and all that mean it at the beginning of a
# clause or before its verb, where 过去 is not "go over" nor 之前 "before".
FORMERLY: Final = "(?:以前|从前|曾经?|先前|早先|原先|原本|当初|起初|最初|一开始)"
FORMERLY_WITH_VERB: Final = f"(?:{FORMERLY}|过去|之前|原来)"
SOLE_KIN: Final[list[str]] = _CHINESE["sole_kin"].split()
KIN: Final[list[str]] = [*_CHINESE["more_kin"].split(), *SOLE_KIN]
# A pattern; longer words come first.
KIN_PATTERN: Final = "|".join(sorted(KIN, key=len, reverse=True))
PETS: Final[list[str]] = _CHINESE["pets"].split()
JOBS: Final[list[str]] = _CHINESE["jobs"].split()
SURNAMES: Final = frozenset[str](_CHINESE["surnames"])
NOT_NAMES: Final = frozenset[str](_CHINESE["not_names"].split())
