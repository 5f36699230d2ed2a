"""From what a model computes to what is kept: directions that come with the package, one file for each model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.local_models import LocalModel
from extraction.one_thread import product
from extraction.token_vectors import FORMAT, pack

Floats = npt.NDArray[np.float32]

VECTOR_DIM: Final = 384
TOKEN_DIM: Final = 96
# Belongs to the files: others get another name, and what was stored before is made anew.
SPACE: Final = "c"


def space_file(model: LocalModel) -> Path:
    """Made by tests/bench/vector_spaces.py, which also says from what."""
    return Path(__file__).with_name(f"{model.name}.{SPACE}.npz")


class VectorSpace:
    """Where a model's vectors are compared; may be used by several threads at once.

    What all vectors of a model have in common is taken off, so that unrelated texts stand at about a right angle
    whatever the model; then they are turned by directions in which what proves an answer stands near the question.
    Pieces of questions have directions of their own, and one more that says which of them tell much.
    Source: Mu & Viswanath 2018 (all but the top); the directions are learned, as the file's maker says.
    """

    def __init__(self, model: LocalModel) -> None:
        """Read the model's file."""
        with np.load(space_file(model)) as held:
            parts = {name: np.ascontiguousarray(held[name], np.float32) for name in held.files}
        self.token_model = f"{model.name}/{TOKEN_DIM}{SPACE}{FORMAT}"
        self._mean, self._directions = parts["mean"], parts["directions"]
        self._token_mean, self._token_directions = parts["token_mean"], parts["token_directions"]
        self._asked_token_directions, self._telling = parts["asked_token_directions"], parts["telling"][:, None]
        self._first_piece = model.first_piece

    def text_vectors(self, states: Sequence[Floats]) -> Floats:
        """One unit vector of 384 numbers for the token vectors of each text, order kept."""
        wholes = np.concatenate([whole_of(tokens, first_piece=self._first_piece) for tokens in states])
        return unit(product(unit(wholes) - self._mean, self._directions))

    def packed(self, texts: Sequence[Floats], wholes: Floats) -> list[bytes]:
        """The vectors of each text as they are stored: that of the whole, and rows of 96 numbers of its tokens."""
        parts = self._turned(texts, self._centred(texts), self._token_directions)
        return [pack(part, model=self.token_model, whole=whole) for part, whole in zip(parts, wholes, strict=True)]

    def packed_questions(self, texts: Sequence[Floats]) -> list[tuple[bytes, tuple[float, ...]]]:
        """The same of questions, turned by themselves, with how many times its rarity each of their pieces tells."""
        rows = self._centred(texts)
        told = np.exp(product(rows, self._telling))[:, 0]
        parts = self._turned(texts, rows, self._asked_token_directions)
        return [
            (pack(part, model=self.token_model), tuple(telling.tolist()))
            for part, telling in zip(parts, _split(told, texts), strict=True)
        ]

    def _centred(self, texts: Sequence[Floats]) -> Floats:
        rows = np.concatenate(texts) if texts else np.zeros((0, len(self._token_mean)), np.float32)
        return unit(rows) - self._token_mean

    def _turned(self, texts: Sequence[Floats], rows: Floats, directions: Floats) -> list[Floats]:
        # One product for all: a text has too few rows for a matrix to be fast.
        return _split(unit(product(rows, directions)), texts)


def _split(rows: Floats, texts: Sequence[Floats]) -> list[Floats]:
    """What belongs to each text."""
    return np.split(rows, np.cumsum([len(states) for states in texts])[:-1]) if texts else []


def whole_of(states: Floats, *, first_piece: bool) -> Floats:
    """One row for a text: the state of its first piece, or the mean of all."""
    return states[:1] if first_piece else states.mean(axis=0, keepdims=True)


def unit(rows: Floats) -> Floats:
    """Each row at length 1."""
    units: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return units
