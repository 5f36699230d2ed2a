"""A small BERT on this machine by ctranslate2: word-piece ids in, vectors of tokens out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from extraction.wide_registers import ctranslate2

Floats = npt.NDArray[np.float32]


class Bert:
    """The model with its weights in eight bits; calls share nothing, so threads may call it at the same time.

    Source: Devlin et al. 2019. What eight bits cost: docs/decisions/0002-local-embedder.md.
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
        """The last hidden states of each sequence: one array (pieces, hidden size) each, order kept.

        Shorter ones are filled up to the longest; give them sorted by length.
        """
        states = np.asarray(self._encoder.forward_batch([list(ids) for ids in sequences]).last_hidden_state)
        return [states[row, : len(ids)] for row, ids in enumerate(sequences)]
