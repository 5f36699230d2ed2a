"""Learn the directions in which vectors are compared, from questions with known evidence; uses numpy only.

The score of a question and a message is that of the product: for each piece of the question the best cosine with any
piece of the message, weighted, and the same with the messages around it; plus the score of all other features
(`otherwise`). A whole text is one piece, without neighbours. The loss is a listwise softmax over the messages of the
conversation, so that the directions learn to tell evidence from the messages around it where words do not. One matrix
transforms messages; with `apart`, questions have a second matrix that is added to it, and a direction that weights
their pieces. The squared distance from the initial values is penalised.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]
# All parameters by name: `said`, `apart`, `telling`, and `own` and `near`, which are the logarithms of the factors of
# cosines with a message and with its neighbours. Gradients have the same names.
Learned = Mapping[str, Floats]

EPOCHS, AROUND = 4, 2
# Different orders of training differ by up to .003 of recall@10; the mean of three orders does not.
SEEDS: Final = (7, 8, 9)
# Adam's parameters: Kingma & Ba 2015.
_BETA, _BETA_SQUARES, _TINY = 0.9, 0.999, 1e-8
# Penalty factor of each parameter, as a multiple of `Pace.pull`; chosen among a few values.
_PULLS: Final = {"said": 1.0, "apart": 4.0, "telling": 0.6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The vectors of a text's pieces, one row each, and the weight of each piece (in a question)."""

    rows: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about a conversation.

    Attributes:
        proofs: indexes of its evidence messages.
        otherwise: the score of each message by all features except vectors.
    """

    text: Text
    proofs: Sequence[int]
    otherwise: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation: its messages in order, the session of each, and its questions."""

    messages: Sequence[Text]
    sessions: Sequence[int]
    asked: Sequence[Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Hyperparameters.

    Attributes:
        at_once: questions of one conversation per step.
        rate: learning rate of the first step; falls to 0 along a cosine.
        pull: penalty of the squared distance from the initial values.
        own, near: initial values (`Learned`); minus infinity ignores the neighbours.
        apart: questions have their own matrix and piece weights.
    """

    at_once: int
    rate: float
    pull: float
    own: float
    near: float = -np.inf
    apart: bool = False


class _Adam:
    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean, self._squares, self._steps = np.zeros(shape, np.float32), np.zeros(shape, np.float32), 0

    def step(self, slope: Floats, rate: float) -> Floats:
        """Return the step to subtract."""
        self._steps += 1
        self._mean = _BETA * self._mean + (1 - _BETA) * slope
        self._squares = _BETA_SQUARES * self._squares + (1 - _BETA_SQUARES) * slope**2
        mean = self._mean / (1 - _BETA**self._steps)
        squares = self._squares / (1 - _BETA_SQUARES**self._steps)
        taken: Floats = rate * mean / (np.sqrt(squares) + _TINY)
        return taken


def beginning(start: Floats, pace: Pace) -> Learned:
    """Return the initial parameters."""
    return {
        "said": start,
        "apart": np.zeros_like(start),
        "telling": np.zeros(len(start), np.float32),
        "own": np.array(pace.own, np.float32),
        "near": np.array(pace.near, np.float32),
    }


def learned(talks: Sequence[Talk], start: Floats, pace: Pace) -> Learned:
    """Return the mean of the parameters learned in three orders, each from a fixed seed and of four epochs."""
    laid = [laid_out(talk) for talk in talks]
    runs = [_in_one_order(talks, laid, start, pace, seed) for seed in SEEDS]
    return {name: np.mean([run[name] for run in runs], axis=0, dtype=np.float32) for name in runs[0]}


def _in_one_order(talks: Sequence[Talk], laid: Sequence["Laid"], start: Floats, pace: Pace, seed: int) -> Learned:
    first = now = beginning(start, pace)
    names = [name for name in now if pace.apart or name not in {"apart", "telling"}]
    steps = {name: _Adam(now[name].shape) for name in names}
    drawn = np.random.default_rng(seed)
    total = EPOCHS * sum(-(-len(talk.asked) // pace.at_once) for talk in talks)
    taken = 0
    for _ in range(EPOCHS):
        for at, places in _parts(talks, pace.at_once, drawn):
            rate = pace.rate * (1 + float(np.cos(np.pi * taken / total))) / 2
            found = slopes([talks[at].asked[place] for place in places], laid[at], now)
            pulls = {name: 2 * pace.pull * times * (now[name] - first[name]) for name, times in _PULLS.items()}
            changes = {name: found[name] + pulls.get(name, np.zeros((), np.float32)) for name in names}
            now = {**now, **{name: now[name] - steps[name].step(changes[name], rate) for name in names}}
            taken += 1
    return now


def _parts(talks: Sequence[Talk], at_once: int, drawn: np.random.Generator) -> Iterator[tuple[int, list[int]]]:
    parts = []
    for at, talk in enumerate(talks):
        order = drawn.permutation(len(talk.asked)).tolist()
        parts += [(at, order[first : first + at_once]) for first in range(0, len(order), at_once)]
    for place in drawn.permutation(len(parts)).tolist():
        yield parts[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """All pieces of all messages, concatenated.

    Attributes:
        grid: a row of piece indexes for each message, padded with -1.
        around: for each message the indexes of its neighbours in the session, padded with its own.
    """

    rows: Floats
    grid: Places
    around: Places


def laid_out(talk: Talk) -> Laid:
    """Return the pieces of a conversation's messages, concatenated."""
    lengths = [len(message.rows) for message in talk.messages]
    grid = np.full((len(lengths), max(lengths)), -1, np.intp)
    first = 0
    for row, length in zip(grid, lengths, strict=True):
        row[:length] = np.arange(first, first + length)
        first += length
    places, sessions = np.arange(len(lengths)), np.array(talk.sessions)
    wanted = np.clip(places[:, None] + np.arange(-AROUND, AROUND + 1), 0, len(lengths) - 1)
    around = np.where(sessions[wanted] == sessions[:, None], wanted, places[:, None])
    return Laid(rows=np.concatenate([message.rows for message in talk.messages]), grid=grid, around=around)


def slopes(asked: Sequence[Question], laid: Laid, now: Learned) -> Learned:
    """Return the gradient of the loss of a few questions in all parameters."""
    rows = np.concatenate([one.text.rows for one in asked])
    owner = np.repeat(np.arange(len(asked)), [len(one.text.rows) for one in asked])
    # The weight of each piece in its question; one row per question.
    counts = np.concatenate([one.text.weights for one in asked]) * np.exp(rows @ now["telling"])
    counts = counts / np.maximum(np.bincount(owner, counts), _TINY)[owner]
    table = (owner == np.arange(len(asked))[:, None]) * counts
    asked_rows, asked_sizes = turned(rows, now["said"] + now["apart"])
    said_rows, said_sizes = turned(laid.rows, now["said"])
    cosines = asked_rows @ said_rows.T
    spread = np.where(laid.grid >= 0, cosines[:, laid.grid], -1.0)
    best_at = np.take_along_axis(laid.grid[None], spread.argmax(axis=2)[..., None], axis=2)[..., 0]
    best = np.maximum(spread.max(axis=2), 0.0)
    beside = best[:, laid.around]
    near_at = np.take_along_axis(laid.around[None], beside.argmax(axis=2)[..., None], axis=2)[..., 0]
    near = beside.max(axis=2)
    own_worth, near_worth = np.exp(now["own"]), np.exp(now["near"])
    own_scores, near_scores = own_worth * (table @ best), near_worth * (table @ near)
    wrong = _wrong(asked, own_scores + near_scores)
    # For each piece and message the gradient in their best cosine; zero where it is not above 0.
    pulls = counts[:, None] * wrong[owner]
    by_best = own_worth * pulls
    np.add.at(by_best, (np.arange(len(rows))[:, None], near_at), near_worth * pulls)
    between = np.zeros_like(cosines)
    np.put_along_axis(between, best_at, (by_best * (best > 0)).astype(np.float32), axis=1)
    apart = rows.T @ _unturned(between @ said_rows, asked_rows, asked_sizes)
    by_count = (wrong[owner] * (own_worth * best + near_worth * near)).sum(axis=1)
    return {
        "said": apart + laid.rows.T @ _unturned(between.T @ asked_rows, said_rows, said_sizes),
        "apart": apart,
        "telling": rows.T @ (counts * (by_count - np.bincount(owner, counts * by_count)[owner])).astype(np.float32),
        "own": np.array((wrong * own_scores).sum(), np.float32),
        "near": np.array((wrong * near_scores).sum(), np.float32),
    }


def _wrong(asked: Sequence[Question], scores: Floats) -> Floats:
    """Return the gradient of the mean loss in each score: the softmax minus the target distribution."""
    gold = np.zeros(scores.shape, np.float32)
    for row, one in zip(gold, asked, strict=True):
        row[list(one.proofs)] = 1 / len(one.proofs)
    share = _softmax(scores + np.stack([one.otherwise for one in asked]))
    wrong: Floats = ((share - gold) / len(asked)).astype(np.float32)
    return wrong


def turned(rows: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    """Return the rows transformed and normalised, and their lengths before."""
    long = rows @ matrix
    sizes = np.maximum(np.linalg.norm(long, axis=1, keepdims=True), np.float32(1e-6))
    return long / sizes, sizes


def _unturned(changes: Floats, units: Floats, sizes: Floats) -> Floats:
    """Return the gradient in the rows before normalisation, given that in the unit rows."""
    changed: Floats = (changes - units * (changes * units).sum(axis=1, keepdims=True)) / sizes
    return changed


def _softmax(scores: Floats) -> Floats:
    share: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)
