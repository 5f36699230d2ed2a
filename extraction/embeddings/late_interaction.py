"""Late interaction: weighted MaxSim between the token vectors of a question and of messages. Pure.

Source: Khattab & Zaharia 2020 (ColBERT); here with token vectors of a small BERT, weighted by the rarity of pieces.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from extraction.embeddings.token_vectors import Floats, gather, product
from extraction.text.chinese import chinese_in


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTokens:
    """Token vectors of a question.

    Attributes:
        model: model of the vectors; they are compared only with those of the same model.
        vectors: one unit row per piece.
        weights: non-negative weight per piece; higher for rare pieces.
        words: the word of each piece, case folded.
    """

    model: str
    vectors: Floats
    weights: Floats
    words: tuple[str, ...]

    def without(self, words: Collection[str]) -> "QuestionTokens":
        """Return the question with zero weight for these case-folded words, such as names of speakers."""
        counts = np.array([word not in words for word in self.words], np.float32)
        return replace(self, weights=self.weights * counts)


def words_of_name(name: str) -> set[str]:
    """Return the words of a name as in `QuestionTokens.words`: case folded, Chinese ones as single characters."""
    return {*name.split(), *chinese_in(name)}


def piece_matches(question: QuestionTokens, messages: Sequence[bytes | None]) -> Floats:
    """Return the highest cosine of each question piece with any piece of each message, 0 to 1.

    Args:
        messages: packed token vectors as stored; None for a message without vectors.

    Returns:
        One row per message, one column per piece; NaN in rows of messages without comparable vectors. `numpy.fmax` of
        two rows gives the matches of both messages together.
    """
    matches = np.full((len(messages), len(question.words)), np.nan, np.float32)
    gathered = gather(messages, model=question.model)
    if gathered is None or not question.words:
        return matches
    products = product(gathered.rows, question.vectors.T)
    best = np.maximum.reduceat(products, gathered.starts, axis=0) * gathered.scales[:, None]
    matches[gathered.places] = np.clip(best, 0.0, 1.0)
    return matches


def weighted(question: QuestionTokens, matches: Floats) -> Floats:
    """Return the weighted mean of each row, 0 to 1; NaN for NaN rows or if all weights are zero."""
    total = float(question.weights.sum())
    if total <= 0:
        return np.full(len(matches), np.nan, np.float32)
    # NaN is a valid result here, but some processors signal an invalid operation.
    with np.errstate(invalid="ignore"):
        return np.minimum(matches @ (question.weights / np.float32(total)), np.float32(1.0))
