"""Run a converted BERT with ctranslate2."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import numpy as np

from extraction.embeddings.ctranslate2_setup import ctranslate2
from extraction.embeddings.token_vectors import Floats

# "int8" also rounds activations, so processors with different instruction sets give different vectors of a text, with a
# cosine of .993 to .998. With "float32" it is 1.0000, at about 1.3 to 1.7 times the time per message.
Precision = Literal["int8", "float32"]

BATCH_SIZE: Final = 32
# More pieces exceed the CPU cache; with fewer the matrices are too small to be fast.
_PIECES_AT_ONCE: Final = 512


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


def equal_length_batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of `order` in batches of equal length, at most 32 texts and about 512 pieces each.

    Padding changes the vectors of an 8-bit model: the cosine between a text alone and in a padded batch falls to .995.
    In batches of equal length the vectors are the same.
    """
    part: list[int] = []
    for index in order:
        pieces = lengths[index]
        full = len(part) == BATCH_SIZE or (len(part) + 1) * pieces > _PIECES_AT_ONCE
        if part and (full or lengths[part[0]] != pieces):
            yield part
            part = []
        part.append(index)
    if part:
        yield part


def gelu(values: Floats) -> Floats:
    """Return the Gaussian error linear unit of each value, by the usual approximation with tanh."""
    result: Floats = values * (1 + np.tanh(np.float32(0.7978846) * (values + np.float32(0.044715) * values**3))) / 2
    return result
