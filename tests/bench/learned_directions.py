"""Learns by which directions vectors are compared, from questions whose proof is known; numpy alone.

One matrix turns the vectors of questions and of messages alike. A question's score with a message is what the product
counts: of each of its pieces the best cosine with any piece of the message, weighed (a whole text is one piece). The
loss is that of a listwise softmax over the messages of the question's conversation, so what is learned is to tell the
proof from what was said beside it; how far the matrix goes from where it starts costs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]

EPOCHS, SEED = 4, 7
# Adam's: Kingma & Ba 2015.
_BETA, _BETA_SQUARES, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The vectors of a text's pieces, one row each, and how much each piece counts (in a question)."""

    rows: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation.

    Attributes:
        asked: what is put to it, with the places of the messages that prove it.
    """

    messages: Sequence[Text]
    asked: Sequence[tuple[Text, Sequence[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How it is learned.

    Attributes:
        at_once: questions of one conversation for each step.
        rate: of the first step; it falls to nothing along a cosine.
        pull: what a squared unit away from the start costs.
        sharpness: logarithm of what cosines are multiplied by, at the start; it is learned too.
    """

    at_once: int
    rate: float
    pull: float
    sharpness: float


class _Adam:
    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean, self._squares, self._steps = np.zeros(shape, np.float32), np.zeros(shape, np.float32), 0

    def step(self, slope: Floats, rate: float) -> Floats:
        """What to take off."""
        self._steps += 1
        self._mean = _BETA * self._mean + (1 - _BETA) * slope
        self._squares = _BETA_SQUARES * self._squares + (1 - _BETA_SQUARES) * slope**2
        mean = self._mean / (1 - _BETA**self._steps)
        squares = self._squares / (1 - _BETA_SQUARES**self._steps)
        taken: Floats = rate * mean / (np.sqrt(squares) + _TINY)
        return taken


def learned(talks: Sequence[Talk], start: Floats, pace: Pace) -> Floats:
    """The matrix after four times through all questions, in an order drawn from a fixed seed."""
    laid = [laid_out(talk.messages) for talk in talks]
    matrix, sharpness = start.copy(), np.full(1, pace.sharpness, np.float32)
    matrix_steps, sharpness_steps = _Adam(matrix.shape), _Adam((1,))
    drawn = np.random.default_rng(SEED)
    total = EPOCHS * sum(-(-len(talk.asked) // pace.at_once) for talk in talks)
    taken = 0
    for _ in range(EPOCHS):
        for at, places in _parts(talks, pace.at_once, drawn):
            rate = pace.rate * (1 + float(np.cos(np.pi * taken / total))) / 2
            asked = [talks[at].asked[place] for place in places]
            slope, sharper = slopes(asked, laid[at], matrix, float(sharpness[0]))
            matrix = matrix - matrix_steps.step(slope + 2 * pace.pull * (matrix - start), rate)
            sharpness = sharpness - sharpness_steps.step(np.array([sharper], np.float32), rate)
            taken += 1
    return matrix


def _parts(talks: Sequence[Talk], at_once: int, drawn: np.random.Generator) -> Iterator[tuple[int, list[int]]]:
    parts = []
    for at, talk in enumerate(talks):
        order = drawn.permutation(len(talk.asked)).tolist()
        parts += [(at, order[first : first + at_once]) for first in range(0, len(order), at_once)]
    for place in drawn.permutation(len(parts)).tolist():
        yield parts[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """All pieces of messages below each other; `grid` has a row of their places for each message, filled up with -1."""

    rows: Floats
    grid: Places


def laid_out(messages: Sequence[Text]) -> Laid:
    """The messages of a conversation, below each other."""
    lengths = [len(message.rows) for message in messages]
    grid = np.full((len(messages), max(lengths)), -1, np.intp)
    first = 0
    for row, length in zip(grid, lengths, strict=True):
        row[:length] = np.arange(first, first + length)
        first += length
    return Laid(rows=np.concatenate([message.rows for message in messages]), grid=grid)


def slopes(
    asked: Sequence[tuple[Text, Sequence[int]]], laid: Laid, matrix: Floats, sharpness: float
) -> tuple[Floats, float]:
    """How the loss of a few questions changes with the matrix and with the sharpness."""
    rows = np.concatenate([text.rows for text, _ in asked])
    # One row a question: what each of all pieces counts in it.
    counts = np.zeros((len(asked), len(rows)), np.float32)
    gold = np.zeros((len(asked), len(laid.grid)), np.float32)
    first = 0
    for at, (text, proofs) in enumerate(asked):
        counts[at, first : first + len(text.rows)] = text.weights / max(float(text.weights.sum()), _TINY)
        gold[at, proofs] = 1 / len(proofs)
        first += len(text.rows)
    asked_rows, asked_sizes = turned(rows, matrix)
    said_rows, said_sizes = turned(laid.rows, matrix)
    cosines = asked_rows @ said_rows.T
    spread = np.where(laid.grid >= 0, cosines[:, laid.grid], -1.0)
    best_at = np.take_along_axis(laid.grid[None], spread.argmax(axis=2)[..., None], axis=2)[..., 0]
    best = np.maximum(spread.max(axis=2), 0.0)
    scores = np.exp(sharpness) * (counts @ best)
    wrong = (_softmax(scores) - gold) / len(asked)
    # Of each piece and message: how the loss changes with their best cosine; only where it is above 0.
    pulls = (counts.T @ (np.exp(sharpness) * wrong)) * (best > 0)
    between = np.zeros_like(cosines)
    np.put_along_axis(between, best_at, pulls.astype(np.float32), axis=1)
    slope = rows.T @ _unturned(between @ said_rows, asked_rows, asked_sizes)
    slope = slope + laid.rows.T @ _unturned(between.T @ asked_rows, said_rows, said_sizes)
    return slope, float((wrong * scores).sum())


def turned(rows: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    """The rows turned and at length 1, and how long they were."""
    long = rows @ matrix
    sizes = np.maximum(np.linalg.norm(long, axis=1, keepdims=True), np.float32(1e-6))
    return long / sizes, sizes


def _unturned(changes: Floats, units: Floats, sizes: Floats) -> Floats:
    """From how the loss changes with rows of length 1 to how it changes with the rows before."""
    changed: Floats = (changes - units * (changes * units).sum(axis=1, keepdims=True)) / sizes
    return changed


def _softmax(scores: Floats) -> Floats:
    share: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)
