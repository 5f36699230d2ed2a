"""Late interaction: how well the pieces of a question are each met by some piece of a message. Pure.

Source: Khattab & Zaharia 2020 (ColBERT, MaxSim); weights by rarity and a small BERT's own token vectors as retrieval.md
measured them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from extraction.embeddings.token_vectors import gather, product
from extraction.text.chinese import chinese_in

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTokens:
    """A question, piece by piece.

    Attributes:
        model: who made the vectors; a message's vectors of another model are not compared.
        vectors: one unit row for each piece.
        weights: how much each piece tells, not negative; rare ones tell more.
        words: the word that each piece is part of, case folded.
    """

    model: str
    vectors: Floats
    weights: Floats
    words: tuple[str, ...]

    def without(self, words: Collection[str]) -> "QuestionTokens":
        """Return the same question in which these words (case folded) count nothing: names of speakers are no topic."""
        counts = np.array([word not in words for word in self.words], np.float32)
        return replace(self, weights=self.weights * counts)


def words_of_name(name: str) -> set[str]:
    """Return the words of a name (case folded) as pieces tell them: Chinese ones are single characters."""
    return {*name.split(), *chinese_in(name)}


def piece_matches(question: QuestionTokens, messages: Sequence[bytes | None]) -> Floats:
    """Return the best cosine of each piece of the question with any piece of each message, 0 to 1.

    Args:
        messages: packed token vectors as stored; None for a message without.

    Returns:
        One row a message, one column a piece; NaN rows for messages that cannot be compared. Of neighbours the larger
        of two rows (`numpy.fmax`) is what both together match.
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
    """Return the mean of each row by the pieces' weights, 0 to 1; NaN where a row is, or when no piece counts."""
    total = float(question.weights.sum())
    if total <= 0:
        return np.full(len(matches), np.nan, np.float32)
    # Some processors call a product with NaN invalid, others do not; here it is meant.
    with np.errstate(invalid="ignore"):
        return np.minimum(matches @ (question.weights / np.float32(total)), np.float32(1.0))
