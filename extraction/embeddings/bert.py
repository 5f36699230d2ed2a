"""Run a converted BERT with ctranslate2."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from extraction.embeddings.ctranslate2_setup import ctranslate2
from extraction.embeddings.token_vectors import Floats

# "int8" also rounds activations, so processors with different instruction sets give different vectors of a text, with a
# cosine of .993 to .998. With "float32" it is 1.0000, at about 1.3 to 1.7 times the time per message.
Precision = Literal["int8", "float32"]


class Bert:
    """A BERT with 8-bit weights; thread-safe.

    Source: Devlin et al. 2019. Cost of quantization: docs/decisions/0002-local-embedder.md.
    """

    def __init__(self, folder: Path, *, calls: int, precision: Precision) -> None:
        """Load a converted model from its folder.

        Args:
            calls: concurrent calls, one thread each; others wait.
        """
        self._encoder = ctranslate2.Encoder(
            str(folder), device="cpu", compute_type=precision, inter_threads=calls, intra_threads=1
        )

    def token_vectors(
        self, sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None
    ) -> list[Floats]:
        """Return the last hidden states of each sequence, in order: arrays of shape (pieces, hidden size).

        Sequences are padded to the longest, so pass them sorted by length.

        Args:
            types: type of each piece, for sequences of two texts; 0 for all without it.
        """
        found = self._encoder.forward_batch(
            [list(ids) for ids in sequences], token_type_ids=None if types is None else [list(one) for one in types]
        )
        states = np.asarray(found.last_hidden_state)
        return [states[row, : len(ids)] for row, ids in enumerate(sequences)]
