"""all-MiniLM-L6-v2 on this machine by ctranslate2: word-piece ids in, vectors of tokens and sentences out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.wide_registers import ctranslate2

Floats = npt.NDArray[np.float32]

VECTOR_DIM: Final = 384
PIECES_MAX: Final = 256


class MiniLM:
    """The model with its weights in eight bits; calls share nothing, so threads may call it at the same time.

    Source: Wang et al. 2020 (MiniLM); Reimers & Gurevych 2019 (mean pooling). Eight bits: cosine above 0.99 to the
    vectors in float32, and the same recall (docs/decisions/0002-local-embedder.md).
    """

    def __init__(self, folder: Path, *, calls: int) -> None:
        """Load what `converted_folder` made.

        Args:
            calls: how many calls may run beside each other, one thread each; further ones wait.
        """
        self._encoder = ctranslate2.Encoder(
            str(folder), device="cpu", compute_type="int8", inter_threads=calls, intra_threads=1
        )

    def token_vectors(self, sequences: Sequence[Sequence[int]]) -> list[Floats]:
        """The last hidden states of each sequence: one array (pieces, 384) each, order kept.

        Shorter ones are filled up to the longest; give them sorted by length.
        """
        states = np.asarray(self._encoder.forward_batch([list(ids) for ids in sequences]).last_hidden_state)
        return [states[row, : len(ids)] for row, ids in enumerate(sequences)]


def sentence_vectors(states: Sequence[Floats]) -> Floats:
    """One unit vector for the token vectors of each sequence, order kept: their mean, normalised."""
    means = np.stack([tokens.mean(axis=0) for tokens in states])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return means
