"""Compute MaxSim scores of messages with the product's two steps, `piece_matches` and `weighted`."""

from collections.abc import Sequence

import numpy as np

from extraction.embeddings.late_interaction import QuestionTokens, piece_matches, weighted


def max_sims(question: QuestionTokens, messages: Sequence[bytes | None]) -> list[float | None]:
    """Return each message's score, 0 to 1; None for messages without comparable token vectors."""
    scores = weighted(question, piece_matches(question, messages))
    return [None if np.isnan(score) else float(score) for score in scores]


def max_sim(question: QuestionTokens, message: bytes | None) -> float | None:
    """Return the score of one message."""
    return max_sims(question, [message])[0]
