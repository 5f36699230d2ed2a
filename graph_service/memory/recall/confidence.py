"""Estimate how likely a memory contains an answer: logistic regression on features of question and candidates. Pure.

The features do not depend on the ranking. The weights were fitted for each language on the development data by
`tests/benchmarks/abstention_table.py`.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Final

from extraction.query_analysis import QueryAnalysis
from extraction.text.search_terms import Terms, terms_found_in, terms_of
from graph_service.memory.recall.candidates import Candidate
from schema.ids import name_key

# Answers with a lower confidence are marked as `nothing_relevant`.
RELEVANT_MIN: Final = 0.5
_TEXT_CHARS_MAX: Final = 2_000
# With the local models, unrelated texts have cosines below 0.3, and answers 0.4 to 0.7.
_COSINE_LOW, _COSINE_HIGH = 0.1, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceFeatures:
    """Features of a question and its candidates; all but `words` from 0 to 1.

    Attributes:
        known: share of the question's terms that the candidates together contain, weighted by rarity.
        best: highest such share of a single candidate.
        meaning: best cosine, scaled to 0 for unrelated texts and 1 for paraphrases; None without vectors.
        joint: best mean of share and scaled cosine of a single candidate.
        stranger: 1 if the question names somebody or something that no candidate mentions, else 0.
        words: logarithm of the number of terms.
    """

    known: float
    best: float
    meaning: float | None
    joint: float
    stranger: float
    words: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeights:
    """Weights of the features, and the intercept `base`."""

    base: float
    known: float = 0.0
    best: float = 0.0
    meaning: float = 0.0
    joint: float = 0.0
    stranger: float = 0.0
    words: float = 0.0


ENGLISH: Final = ConfidenceWeights(base=-8.8, known=0.7, best=0.4, meaning=1.9, joint=10.0, stranger=-0.6, words=1.8)
ENGLISH_WITHOUT_VECTORS: Final = ConfidenceWeights(base=-4.1, known=2.0, best=6.2, stranger=-2.0, words=0.2)
# No question of the Chinese data sets names a stranger, so this weight is that of English.
CHINESE: Final = ConfidenceWeights(base=-1.9, joint=4.7, stranger=-0.6)
CHINESE_WITHOUT_VECTORS: Final = ConfidenceWeights(base=-2.5, best=10.2, stranger=-2.0)


def confidence_of(features: ConfidenceFeatures, *, chinese: bool) -> float:
    """Return the probability that the memory contains an answer, 0 to 1."""
    weights = weights_for(chinese=chinese, vectors=features.meaning is not None)
    values = astuple(replace(features, meaning=features.meaning or 0.0))
    base, *factors = astuple(weights)
    total = base + math.fsum(value * factor for value, factor in zip(values, factors, strict=True))
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def weights_for(*, chinese: bool, vectors: bool) -> ConfidenceWeights:
    """Return the weights for the language of a question, with or without cosines."""
    if chinese:
        return CHINESE if vectors else CHINESE_WITHOUT_VECTORS
    return ENGLISH if vectors else ENGLISH_WITHOUT_VECTORS


def confidence_features(
    analysis: QueryAnalysis, candidates: Sequence[Candidate], *, own_names: Collection[str] = ()
) -> ConfidenceFeatures:
    """Return the features of a question and its candidates, whose order does not matter.

    Args:
        own_names: names of the user, which never count as strangers.
    """
    speakers = frozenset(name_key(name) for name in {one.speaker for one in candidates} if name)
    holders_of = _holders(analysis.word_terms, candidates, speakers)
    rarity = {word: math.log((len(candidates) + 1) / (len(holders) + 0.5)) for word, holders in holders_of.items()}
    total = math.fsum(rarity.values()) or 1.0
    shares = [0.0] * len(candidates)
    for word, holders in holders_of.items():
        for place in holders:
            shares[place] += rarity[word] / total
    for place, one in enumerate(candidates):
        # A text in the other language shares no words with the question, so only its cosine can tell.
        if one.carried:
            shares[place] = max(shares[place], _scaled(one.cosine or 0.0))
    nearest = max((one.cosine for one in candidates if one.cosine is not None), default=None)
    pairs = zip(shares, candidates, strict=True)
    known_names = {*speakers, *map(name_key, own_names)}
    return ConfidenceFeatures(
        known=math.fsum(rarity[word] for word, holders in holders_of.items() if holders) / total,
        best=max(shares, default=0.0),
        meaning=None if nearest is None else _scaled(nearest),
        joint=max((share / 2 + _scaled(one.cosine or 0.0) / 2 for share, one in pairs), default=0.0),
        stranger=float(_names_a_stranger(analysis.possible_names, candidates, known_names)),
        words=math.log1p(len(holders_of)),
    )


def _holders(terms: Terms, candidates: Sequence[Candidate], speakers: Collection[str]) -> dict[str, list[int]]:
    """Return the indexes of the candidates that contain each term, except terms in names of speakers."""
    # Field by field, because the ranking tokenises the same texts, and the tokens of each text are cached.
    names = {part for name in speakers for part in (*terms_of(name).stems, name)}
    holders: dict[str, list[int]] = {term: [] for term in (*terms.stems, *terms.strings) if term not in names}
    of_speaker = {one.speaker: terms_found_in(terms, one.speaker) for one in candidates if one.speaker}
    for place, one in enumerate(candidates):
        parts = (one.text[:_TEXT_CHARS_MAX], one.title, one.subject, one.object)
        found = [term for part in parts if part for term in terms_found_in(terms, part)]
        for term in holders.keys() & {*of_speaker.get(one.speaker or "", ()), *found}:
            holders[term].append(place)
    return holders


def _names_a_stranger(names: Collection[str], candidates: Sequence[Candidate], known: Collection[str]) -> bool:
    """Return whether no candidate mentions one of the names."""
    strangers = set(names) - {word for name in known for word in name.split()}
    if not strangers:
        return False
    texts = [_text(candidate) for candidate in candidates]
    return any(not any(name in text for text in texts) for name in strangers)


def _text(one: Candidate) -> str:
    parts = (one.text[:_TEXT_CHARS_MAX], one.title, one.subject, one.object, one.speaker)
    return " ".join(part for part in parts if part).casefold()


def _scaled(cosine: float) -> float:
    return min(max((cosine - _COSINE_LOW) / (_COSINE_HIGH - _COSINE_LOW), 0.0), 1.0)
