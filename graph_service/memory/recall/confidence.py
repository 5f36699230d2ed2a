"""How sure recall may be that a memory holds an answer: a few signs of question and candidates, weighed. Pure.

The signs do not depend on how candidates are ranked. Their weights were fitted on the development data by
`tests/benchmarks/abstention_table.py`: a logistic of few parameters for each language.
"""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.text.chinese import is_chinese
from extraction.text.search_terms import Terms, said_in, terms_of
from graph_service.memory.recall.candidates import Candidate
from schema.ids import name_key

# Below this an answer says that nothing relevant is known.
RELEVANT_MIN: Final = 0.5
_TEXT_CHARS_MAX: Final = 2_000
# The local models put what has nothing to do with a question below a cosine of 0.3, and what answers it at 0.4 to 0.7.
_COSINE_LOW, _COSINE_HIGH = 0.1, 0.7
_NAME: Final = re.compile(r"(?<![A-Za-z'’])[A-Z][A-Za-z]+")
# Capitals that name nobody and nothing a memory could be without.
_NO_NAME_TEXT: Final = """
january february march april may june july august september october november december christmas easter english
monday tuesday wednesday thursday friday saturday sunday
"""
_NO_NAMES: Final = frozenset(_NO_NAME_TEXT.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceFeatures:
    """What is seen of a question and of what was found for it, before anything is ranked; each 0…1 but `words`.

    Attributes:
        known: how much of what the question is about was found anywhere, rare words counting more.
        best: how much of it the best single thing found holds.
        meaning: how near the nearest thing found is, 0 for unrelated, 1 for paraphrases; None without vectors.
        joint: words and meaning together, of the best single thing.
        stranger: 1 if the question names somebody or something that nothing found knows.
        words: logarithm of the number of words asked for.
    """

    known: float
    best: float
    meaning: float | None
    joint: float
    stranger: float
    words: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignWeights:
    """What each sign counts."""

    base: float
    known: float = 0.0
    best: float = 0.0
    meaning: float = 0.0
    joint: float = 0.0
    stranger: float = 0.0
    words: float = 0.0


ENGLISH: Final = SignWeights(base=-8.8, known=0.7, best=0.4, meaning=1.9, joint=10.0, stranger=-0.6, words=1.8)
ENGLISH_WITHOUT_VECTORS: Final = SignWeights(base=-4.1, known=2.0, best=6.2, stranger=-2.0, words=0.2)
# No question of the Chinese data sets names a stranger, so what that counts is taken from English.
CHINESE: Final = SignWeights(base=-1.9, joint=4.7, stranger=-0.6)
CHINESE_WITHOUT_VECTORS: Final = SignWeights(base=-2.5, best=10.2, stranger=-2.0)


def confidence_of(signs: ConfidenceFeatures, weights: SignWeights) -> float:
    """Return how likely it is that the memory holds an answer, 0…1."""
    known = (signs.known, signs.best, signs.meaning or 0.0, signs.joint, signs.stranger, signs.words)
    counted = (weights.known, weights.best, weights.meaning, weights.joint, weights.stranger, weights.words)
    sum_of = weights.base + math.fsum(sign * weight for sign, weight in zip(known, counted, strict=True))
    return round(1.0 / (1.0 + math.exp(-sum_of)), 4)


def sign_weights(question: str, signs: ConfidenceFeatures) -> SignWeights:
    """Return the weights for the language of a question and for what could be compared."""
    with_vectors, without = (
        (CHINESE, CHINESE_WITHOUT_VECTORS) if is_chinese(question) else (ENGLISH, ENGLISH_WITHOUT_VECTORS)
    )
    return without if signs.meaning is None else with_vectors


def signs_of(
    question: str, candidates: Sequence[Candidate], *, asked: Terms, own_names: Collection[str] = ()
) -> ConfidenceFeatures:
    """Return what is seen of a question and of everything found for it, in any order.

    Args:
        asked: the terms of the question, without the time it names and without words that all questions have.
        own_names: what the user goes by: no strangers, whatever was found.
    """
    people = frozenset(name_key(name) for name in {one.speaker for one in candidates} if name)
    held = _held(asked, candidates, people)
    worth = {word: math.log((len(candidates) + 1) / (len(holders) + 0.5)) for word, holders in held.items()}
    total = math.fsum(worth.values()) or 1.0
    shares = [0.0] * len(candidates)
    for word, holders in held.items():
        for place in holders:
            shares[place] += worth[word] / total
    nearest = max((one.cosine for one in candidates if one.cosine is not None), default=None)
    pairs = zip(shares, candidates, strict=True)
    return ConfidenceFeatures(
        known=math.fsum(worth[word] for word, holders in held.items() if holders) / total,
        best=max(shares, default=0.0),
        meaning=None if nearest is None else _scaled(nearest),
        joint=max((share / 2 + _scaled(one.cosine or 0.0) / 2 for share, one in pairs), default=0.0),
        stranger=float(_names_a_stranger(question, candidates, {*people, *map(name_key, own_names)})),
        words=math.log1p(len(held)),
    )


def _held(asked: Terms, candidates: Sequence[Candidate], people: Collection[str]) -> dict[str, list[int]]:
    """Return which candidates hold each term of the question; the speakers' names are no topic."""
    # Part by part, because texts are cut into words only once, and the ranking looks at the same.
    names = {part for name in people for part in (*terms_of(name).stems, name)}
    held: dict[str, list[int]] = {term: [] for term in (*asked.stems, *asked.strings) if term not in names}
    by_name = {one.speaker: said_in(asked, one.speaker) for one in candidates if one.speaker}
    for place, one in enumerate(candidates):
        parts = (one.text[:_TEXT_CHARS_MAX], one.title, one.subject, one.object)
        told = [*by_name.get(one.speaker or "", ()), *(term for part in parts if part for term in said_in(asked, part))]
        for term in held.keys() & told:
            held[term].append(place)
    return held


def _names_a_stranger(question: str, candidates: Sequence[Candidate], known: Collection[str]) -> bool:
    """Return whether a name in the question is in nothing that was found; a first word may have its capital from its
    place.
    """
    words = {word for name in known for word in name.split()}
    first = 0 if is_chinese(question) else 1
    names = [found.group() for found in _NAME.finditer(question) if found.start() >= first]
    keys = {name.casefold() for name in names} - _NO_NAMES - words
    if not keys:
        return False
    texts = [_text(candidate) for candidate in candidates]
    return any(not any(key in text for text in texts) for key in keys)


def _text(one: Candidate) -> str:
    parts = (one.text[:_TEXT_CHARS_MAX], one.title, one.subject, one.object, one.speaker)
    return " ".join(part for part in parts if part).casefold()


def _scaled(cosine: float) -> float:
    return min(max((cosine - _COSINE_LOW) / (_COSINE_HIGH - _COSINE_LOW), 0.0), 1.0)
