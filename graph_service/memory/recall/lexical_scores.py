"""How well messages say the words of a question: alone, after the one before, among their neighbours. Pure."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.text.search_terms import Terms, counts, length, stems_in

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

# Source: Robertson and Zaragoza 2009; the constants are those of Lucene.
_K1: Final = 1.2
_B: Final = 0.75
# Words that all texts have, by which rare ones are thinned; with 3 and 8 the same within chance.
_COMMON: Final = 5
_PAUSE: Final = timedelta(hours=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical:
    """BM25 of each message, and of what it stands in.

    Attributes:
        rarity: of each term; rare ones, and those that the question repeats, tell more.
        words_mean: the mean length of the messages.
        own, before, near: of the message; of the one before it; of the best window that holds it.
    """

    rarity: Floats
    words_mean: float
    own: Floats
    before: Floats
    near: Floats


def lexical(terms: Terms, texts: Sequence[str], sessions: Sequence[str], *, window: int) -> Lexical:
    """Return the scores of messages that stand in the order of their conversations; of none, everything is empty.

    Args:
        sessions: of each message; messages of one session stand together.
        window: how many messages a window holds.
    """
    n = len(texts)
    table, lengths = _table(terms, texts), _lengths(texts)
    said_by = np.count_nonzero(table, axis=0)
    rarity = np.log1p((n - said_by + 0.5) / (said_by + 0.5))
    # What a long question says again and again is what it is about; its root, because nobody repeats a word on purpose.
    rarity *= np.sqrt(np.array(terms.times or 1, np.float64))
    first, end = bounds(sessions)
    own = _bm25(table, lengths, rarity)
    total = np.vstack([np.zeros((1, len(terms))), np.cumsum(table, axis=0)])
    total_length = np.concatenate([[0.0], np.cumsum(lengths)])
    starts = np.arange(n)
    ends = np.minimum(starts + window, end)
    windows = _bm25(total[ends] - total[starts], total_length[ends] - total_length[starts], rarity)
    # Only whole windows compete, and what there is of a session that is shorter than one.
    windows = np.where((ends - starts == window) | (starts == first), windows, 0.0)
    return Lexical(
        rarity=rarity,
        words_mean=float(lengths.mean()) if n else 1.0,
        own=own,
        before=shifted(own, first),
        near=best_of_windows(windows, first, window),
    )


def bounds(sessions: Sequence[str]) -> tuple[Places, Places]:
    """For each message the place where its session begins, and the place after its end."""
    n = len(sessions)
    if not n:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    opens = [place for place in range(n) if place == 0 or sessions[place] != sessions[place - 1]]
    sizes = np.diff([*opens, n])
    return np.repeat(opens, sizes).astype(np.intp), np.repeat([*opens[1:], n], sizes).astype(np.intp)


def stretches(sessions: Sequence[str], said_at: Sequence[datetime]) -> list[str]:
    """Return a name for what each message belongs together with: its session, until nobody spoke for eight hours.

    Args:
        said_at: of each message; messages stand in the order of their conversations.
    """
    names: list[str] = []
    for place, session in enumerate(sessions):
        same = place > 0 and session == sessions[place - 1] and said_at[place] - said_at[place - 1] < _PAUSE
        names.append(names[-1] if same else f"{session} {place}")
    return names


def best_around(values: Floats, first: Places, end: Places, radius: int) -> Floats:
    """Return the greatest value of each message and of those at most `radius` away from it, of one row each; NaN is
    none.
    """
    best = values.copy()
    places = np.arange(len(values))
    for step in range(1, min(radius, len(values) - 1) + 1):
        before = (places - step >= first)[:, None]
        best = np.where(before, np.fmax(best, np.roll(values, step, axis=0)), best)
        after = (places + step < end)[:, None]
        best = np.where(after, np.fmax(best, np.roll(values, -step, axis=0)), best)
    return best


def shifted(values: Floats, first: Places) -> Floats:
    """Of each message the value of the one before it, 0 for the first of a session."""
    return np.where(np.arange(len(values)) == first, 0.0, np.roll(values, 1))


def best_of_windows(windows: Floats, first: Places, window: int) -> Floats:
    """Return the best value of the windows that hold each message.

    Args:
        windows: of each message, the value of the window that begins with it.
    """
    best = windows.copy()
    places = np.arange(len(windows))
    for back in range(1, min(window, len(windows))):
        earlier = np.roll(windows, back)
        best = np.where(places - back >= first, np.maximum(best, earlier), best)
    return best


def specificity(texts: Sequence[str]) -> Floats:
    """Return how rare the words of each text are among the others': "Thanks, that's great!" is low, a place or a title
    high.

    As if each text had five more words that all have: a single rare word is no proof of anything. Chinese texts are not
    cut into words and have none; rare characters did not tell there (docs/evaluation.md).
    """
    said = [stems_in(text) for text in texts]
    said_by = Counter(word for words in said for word in words)
    rarity = {word: math.log(len(texts) / n) for word, n in said_by.items()}
    return np.array([sum(map(rarity.__getitem__, words)) / (len(words) + _COMMON) for words in said], np.float64)


def bm25_of(texts: Sequence[str], terms: Terms, corpus: Lexical) -> Floats:
    """Return the scores of texts that are no messages, facts' statements for example, by the rarity of words in
    messages.
    """
    return _bm25(_table(terms, texts), _lengths(texts), corpus.rarity, corpus.words_mean)


def _table(terms: Terms, texts: Sequence[str]) -> Floats:
    return np.array([counts(terms, text) for text in texts], np.float64).reshape(len(texts), len(terms))


def _lengths(texts: Sequence[str]) -> Floats:
    return np.array([length(text) for text in texts], np.float64)


def _bm25(table: Floats, lengths: Floats, rarity: Floats, mean: float | None = None) -> Floats:
    mean = mean or (float(lengths.mean()) if len(lengths) else 1.0) or 1.0
    damped = table + _K1 * (1 - _B + _B * lengths[:, None] / mean)
    scores: Floats = (table * (_K1 + 1) / damped) @ rarity
    return scores
