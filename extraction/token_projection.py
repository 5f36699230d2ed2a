"""From MiniLM's 384 numbers a token to the few that tell tokens apart: a matrix that comes with the package."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.one_thread import product
from extraction.token_vectors import pack

Floats = npt.NDArray[np.float32]

# Made by tests/bench/token_projection.py, which also says from what and how well it does.
PROJECTION_FILE: Final = Path(__file__).with_name("token_projection.npy")
PROJECTION_SHA256: Final = "e12c7405c56f783ae853b93e1f1dc6e4889439a3dd9325675033ad4a63b0439c"
PROJECTED_DIM: Final = 96
# Belongs to the file: another projection gets another name, and what was stored before is made anew.
TOKEN_MODEL: Final = "all-MiniLM-L6-v2/96a"


class Projection:
    """The matrix (384, 96); may be used by several threads at once."""

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix

    def unit_rows(self, states: Floats) -> Floats:
        """The token vectors (rows of 384), projected, at length 1."""
        rows = product(states, self._matrix)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
        return rows

    def packed(self, texts: Sequence[Floats]) -> list[bytes]:
        """The token vectors of each text as they are stored."""
        if not texts:
            return []
        # One product for all: a text has too few rows for a matrix to be fast.
        rows = self.unit_rows(np.concatenate(texts))
        parts = np.split(rows, np.cumsum([len(states) for states in texts])[:-1])
        return [pack(part, model=TOKEN_MODEL) for part in parts]


def load_projection() -> Projection:
    """The projection in the package, from 16 bits a number."""
    return Projection(np.ascontiguousarray(np.load(PROJECTION_FILE), np.float32))
