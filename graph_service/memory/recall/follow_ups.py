"""Find messages that follow up on the best matches of a question. Pure.

"The ramipril gives me a cough, so it's losartan now" shares hardly a word with "Which pill do I take?", but it shares a
rare word with "Doctor put me on ramipril", which matches the question and which it overtakes.
"""

import math
from collections.abc import Collection
from typing import Final

import numpy as np

from extraction.query_analysis import QueryAnalysis
from extraction.text.chinese import character_pairs
from extraction.text.search_terms import word_counts
from extraction.text.stop_words import CHINESE_CHARACTERS
from graph_service.memory.recall.candidates import Candidate, CandidateSet
from graph_service.memory.recall.lexical_scores import Floats
from graph_service.memory.recall.query import HitKind
from schema.labels import Role
from schema.result_cache import cached_by_chars

# Number of best-matching messages whose follow-ups are searched for.
#
# Source of the constants: chosen from a few values on six sets of everyday memories; the others differ by a question
# or two.
_ANCHORS: Final = 3
# A word in more than 6 messages, or in more than an eighth of fewer than 48, is no sign that one follows up on another.
_MESSAGES_MAX: Final = 6
_SHARE_MAX: Final = 1 / 8
# Sum of the inverse document frequencies of shared words that counts fully; about one rare word.
_SHARED_FULL: Final = 4.0
_READ_CHARS_MAX: Final = 2_000


def follow_ups(found: CandidateSet, relevance: Floats, analysis: QueryAnalysis) -> Floats:
    """Return how much each candidate follows up on one of the user's messages that match the question best, 0 to 1.

    It is the relevance of both messages (the geometric mean) times their rare shared words, without those of the
    question, of names that it may refer to, and of speakers. Two messages that both prove a valid fact are not
    compared: if one overtook the other, its fact would have closed the other's. Facts inherit the value of the messages
    that prove them.

    Args:
        relevance: how well each candidate matches the question by words and meaning, 0 to 1.
    """
    candidates = found.candidates
    of_user = [at for at, one in enumerate(candidates) if one.kind is HitKind.MESSAGE and one.role == Role.USER]
    anchors = sorted(of_user, key=lambda at: (-relevance[at], candidates[at].id))[:_ANCHORS]
    words = {one.id: _rare_words(one.text[:_READ_CHARS_MAX]) for one in found.messages}
    known = _known_words(found.messages, analysis)
    proved = {proof for one in candidates if one.kind is HitKind.FACT and not one.closed for proof in one.proofs}
    values: dict[str, float] = {}
    for anchor in anchors:
        first = candidates[anchor]
        rarity = _rarity(words.get(first.id, frozenset()) - known, words.values())
        for at in of_user:
            later = candidates[at]
            if (later.said_at, later.position) <= (first.said_at, first.position) or {first.id, later.id} <= proved:
                continue
            shared = sum(rarity[word] for word in rarity.keys() & words.get(later.id, frozenset()))
            value = min(shared / _SHARED_FULL, 1.0) * math.sqrt(relevance[anchor] * relevance[at])
            values[later.id] = max(values.get(later.id, 0.0), value)
    inherited = (max(values.get(name, 0.0) for name in (one.id, *one.proofs)) for one in candidates)
    return np.fromiter(inherited, np.float64)


@cached_by_chars(chars_max=2_000_000, entries_max=4_096)
def _rare_words(text: str) -> frozenset[str]:
    """Return the words of a text that can be rare: stems, and pairs of characters, without stop words."""
    pairs = (pair for pair in character_pairs(text) if CHINESE_CHARACTERS.isdisjoint(pair))
    return frozenset((*word_counts(text, "en").stems, *pairs))


def _known_words(messages: Collection[Candidate], analysis: QueryAnalysis) -> frozenset[str]:
    """Return the words of the question, of the names that it may refer to, and of the names of speakers."""
    names = {*analysis.entity_keys, *(one.speaker for one in messages if one.speaker)}
    return frozenset((*analysis.terms.stems, *analysis.terms.strings)).union(*map(_rare_words, names))


def _rarity(words: Collection[str], texts: Collection[frozenset[str]]) -> dict[str, float]:
    """Return the inverse document frequencies of the words that occur in few of the texts."""
    frequencies = {word: sum(word in text for text in texts) for word in words}
    n_max = max(min(_MESSAGES_MAX, len(texts) * _SHARE_MAX), 2)
    return {word: math.log1p(len(texts) / n) for word, n in frequencies.items() if 1 < n <= n_max}
