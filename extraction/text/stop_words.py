"""English and Chinese stop words for full-text queries, BM25 and topic terms."""

from typing import Final

from extraction.text.lexicon_en import NOT_NAMES, PRONOUNS, VAGUE, WORDS, word_set

_LISTS: Final = WORDS["stop_words"]
ENGLISH: Final = word_set(_LISTS["english"])
ENGLISH_BM25: Final = ENGLISH | word_set(_LISTS["bm25"])
ENGLISH_TOPIC: Final = PRONOUNS | VAGUE | NOT_NAMES | word_set(_LISTS["english_topic"])
CHINESE: Final = tuple[str, ...](_LISTS["chinese"].split())
CHINESE_CHARACTERS: Final = frozenset[str](_LISTS["chinese_characters"])
CHINESE_TOPIC: Final = word_set(_LISTS["chinese_topic"])
BASELINE: Final = word_set(_LISTS["baseline"])
