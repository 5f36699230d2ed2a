"""Score messages, windows of messages and other texts by the words of a question, with BM25. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.text.search_terms import Terms, WordCounts, counts, word_counts

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

# Source: Robertson and Zaragoza 2009; constants as in Lucene.
_K1: Final = 1.2
_B: Final = 0.75
# Number of common words added to each text for its mean specificity; 3 and 8 give the same results within chance.
_COMMON_WORDS: Final = 5
# A pause of this length begins a new conversation.
_PAUSE: Final = timedelta(hours=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalScores:
    """BM25 scores of messages.

    Attributes:
        rarity: weight of each term: its inverse document frequency, increased if the question repeats it.
        words_mean: mean length of the messages in words.
        own, before, near: BM25 of each message, of the message before it, and of the best window that contains it.
        specificity: mean rarity of each message's words among all messages, whatever the question: low for "Thanks,
            that's great!", high for a place.
    """

    rarity: Floats
    words_mean: float
    own: Floats
    before: Floats
    near: Floats
    specificity: Floats


def lexical_scores(terms: Terms, texts: Sequence[str], sessions: Sequence[str], *, window: int) -> LexicalScores:
    """Return the scores of messages, which must be ordered by session and time.

    Args:
        sessions: session of each message.
        window: number of messages in a window.
    """
    n = len(texts)
    words = [word_counts(text, terms.language) for text in texts]
    table, lengths = _term_counts(terms, texts, words), _lengths(words)
    rarity = term_rarity(table)
    # Long questions repeat their topic; the square root, because repetition is seldom intended.
    rarity *= np.sqrt(np.array(terms.times or 1, np.float64))
    first, end = session_bounds(sessions)
    own = bm25(table, lengths, rarity)
    total = np.vstack([np.zeros((1, len(terms))), np.cumsum(table, axis=0)])
    total_length = np.concatenate([[0.0], np.cumsum(lengths)])
    starts = np.arange(n)
    ends = np.minimum(starts + window, end)
    windows = bm25(total[ends] - total[starts], total_length[ends] - total_length[starts], rarity)
    # Only full windows count, or all of a shorter session.
    windows = np.where((ends - starts == window) | (starts == first), windows, 0.0)
    return LexicalScores(
        rarity=rarity,
        words_mean=float(lengths.mean()) if n else 1.0,
        own=own,
        before=shifted(own, first),
        near=best_nearby(windows, first, end, range(1 - window, 0)),
        specificity=_specificity(words),
    )


def session_bounds(sessions: Sequence[str]) -> tuple[Places, Places]:
    """Return for each message the index of the first message of its session, and the index after the last."""
    sizes = np.array([len([*group]) for _, group in groupby(sessions)], np.intp)
    ends = np.cumsum(sizes)
    return np.repeat(ends - sizes, sizes), np.repeat(ends, sizes)


def conversations(sessions: Sequence[str], said_at: Sequence[datetime]) -> list[str]:
    """Return the conversation of each message: its session, divided at pauses of eight hours.

    Args:
        said_at: time of each message; messages must be ordered by session and time.
    """
    names: list[str] = []
    for place, session in enumerate(sessions):
        same = place > 0 and session == sessions[place - 1] and said_at[place] - said_at[place - 1] < _PAUSE
        names.append(names[-1] if same else f"{session} {place}")
    return names


def best_nearby(values: Floats, first: Places, end: Places, steps: Iterable[int]) -> Floats:
    """Return for each message (row) the best of its values and those so many messages away in its session, without NaN.

    Args:
        first, end: see `session_bounds`.
        steps: distances; negative before the message.
    """
    best, places = values.copy(), np.arange(len(values))
    for step in steps:
        near = places + step
        inside = (near >= first) & (near < end)
        best[inside] = np.fmax(best[inside], values[near[inside]])
    return best


def shifted(values: Floats, first: Places) -> Floats:
    """Return for each message the value of the message before it; 0 for the first of a session."""
    return np.where(np.arange(len(values)) == first, 0.0, np.roll(values, 1))


def _specificity(texts: Sequence[WordCounts]) -> Floats:
    """Return the mean rarity of the words of each text among all texts.

    Averaged as if each text had five more common words, because a single rare word proves little. Chinese texts are not
    segmented and have 0; rare characters did not improve the ranking (extraction/training/notes/0006-ranking.md).
    """
    frequency = Counter(chain.from_iterable(words.stems for words in texts))
    rarity = {stem: math.log(len(texts) / n) for stem, n in frequency.items()}
    means = [sum(map(rarity.__getitem__, words.stems)) / (len(words.stems) + _COMMON_WORDS) for words in texts]
    return np.array(means, np.float64)


def bm25_of(texts: Sequence[str], terms: Terms, messages: LexicalScores) -> Floats:
    """Return BM25 of texts other than messages, such as statements, with the term rarity of the messages."""
    words = [word_counts(text, terms.language) for text in texts]
    return bm25(_term_counts(terms, texts, words), _lengths(words), messages.rarity, messages.words_mean)


def term_rarity(counts_of_texts: Floats) -> Floats:
    """Return the inverse document frequency of each term.

    Args:
        counts_of_texts: a row for each text, a column for each term.
    """
    texts_n, with_term = len(counts_of_texts), np.count_nonzero(counts_of_texts, axis=0)
    rarity: Floats = np.log1p((texts_n - with_term + 0.5) / (with_term + 0.5))
    return rarity


def bm25(counts_of_texts: Floats, lengths: Floats, rarity: Floats, mean: float | None = None) -> Floats:
    """Return BM25 of each text.

    Args:
        counts_of_texts: a row for each text, a column for each term.
        mean: mean length of texts in the corpus; that of these texts by default.
    """
    mean = mean or (float(lengths.mean()) if len(lengths) else 1.0) or 1.0
    damped = counts_of_texts + _K1 * (1 - _B + _B * lengths[:, None] / mean)
    scores: Floats = (counts_of_texts * (_K1 + 1) / damped) @ rarity
    return scores


def _term_counts(terms: Terms, texts: Sequence[str], words: Sequence[WordCounts]) -> Floats:
    rows = [counts(terms, text, counted) for text, counted in zip(texts, words, strict=True)]
    return np.array(rows, np.float64).reshape(len(texts), len(terms))


def _lengths(words: Sequence[WordCounts]) -> Floats:
    return np.array([one.length for one in words], np.float64)
