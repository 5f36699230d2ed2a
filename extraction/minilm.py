"""The forward pass of all-MiniLM-L6-v2 in numpy: word-piece ids in, token vectors or sentence vectors out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

VECTOR_DIM: Final = 384
PIECES_MAX: Final = 256
_LAYERS: Final = 6
_HEADS: Final = 12
_HEAD_DIM: Final = VECTOR_DIM // _HEADS
_NORM_EPSILON: Final = np.float32(1e-12)
_GELU_SLOPE: Final = np.float32(np.sqrt(2 / np.pi))
_GELU_CUBE: Final = np.float32(np.sqrt(2 / np.pi) * 0.044715)
# A question has a dozen rows; BLAS repacks a whole weight matrix for so few, which costs more than multiplying. Below
# 10^6 multiplications it does not, so short inputs go through narrow column blocks of the same weights (see
# docs/decisions/0002-local-embedder.md); from this many rows on the plain matrix is faster.
_ROWS_FOR_WHOLE_MATRIX: Final = 48
_BLOCK_COLUMNS: Final = 64


class _Linear:
    """`x @ weight + bias`, held both whole (for many rows) and in column blocks (for few)."""

    __slots__ = ("_bias", "_blocks", "_whole")

    def __init__(self, weight: Floats, bias: Floats) -> None:
        rows, columns = weight.shape
        self._whole = np.ascontiguousarray(weight)
        blocks = weight.reshape(rows, columns // _BLOCK_COLUMNS, _BLOCK_COLUMNS)
        self._blocks = np.ascontiguousarray(blocks.transpose(1, 0, 2))
        self._bias = bias.copy()

    def __call__(self, x: Floats) -> Floats:
        rows = x.shape[0]
        out: Floats = np.empty((rows, self._whole.shape[1]), np.float32)
        if rows >= _ROWS_FOR_WHOLE_MATRIX:
            np.matmul(x, self._whole, out=out)
        else:
            in_blocks = out.reshape(rows, len(self._blocks), _BLOCK_COLUMNS).transpose(1, 0, 2)
            np.matmul(x, self._blocks, out=in_blocks)
        out += self._bias
        return out


@dataclass(frozen=True, slots=True)
class _Norm:
    """Layer normalisation, in place."""

    gain: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        x -= x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
        x *= (1 / np.sqrt(variance + _NORM_EPSILON))[:, None]
        x *= self.gain
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring sequences of one length: rows [start, start + count * length)."""

    start: int
    count: int
    length: int


class _Layer:
    """One transformer layer: attention within each sequence, then the feed-forward part, each added to its input."""

    def __init__(self, weights: Mapping[str, Floats], prefix: str) -> None:
        # The scale of the attention scores goes into the query weights, the half of GELU into the weights after it.
        scale = np.float32(1 / np.sqrt(_HEAD_DIM))
        half = np.float32(0.5)

        def part(name: str) -> tuple[Floats, Floats]:
            return weights[f"{prefix}{name}.weight"].T, weights[f"{prefix}{name}.bias"]

        query, key, value = (part(f"attention.self.{name}") for name in ("query", "key", "value"))
        self._attend = _Linear(
            np.concatenate([query[0] * scale, key[0], value[0]], axis=1),
            np.concatenate([query[1] * scale, key[1], value[1]]),
        )
        self._attended = _Linear(*part("attention.output.dense"))
        self._after_attention = _Norm(*_norm_weights(weights, f"{prefix}attention.output.LayerNorm"))
        self._widen = _Linear(*part("intermediate.dense"))
        narrow, narrow_bias = part("output.dense")
        self._narrow = _Linear(narrow * half, narrow_bias)
        self._after_feed = _Norm(*_norm_weights(weights, f"{prefix}output.LayerNorm"))

    def __call__(self, x: Floats, runs: Sequence[_Run]) -> Floats:
        attended = self._attended(_attention(self._attend(x), runs))
        attended += x
        middle = self._after_attention(attended)
        out = self._narrow(_twice_gelu(self._widen(middle)))
        out += middle
        return self._after_feed(out)


class MiniLM:
    """all-MiniLM-L6-v2 with its weights; calls share nothing, so threads may call it at the same time.

    Source: Wang et al. 2020 (MiniLM); Reimers & Gurevych 2019 (mean pooling).
    """

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        """Take the model's tensors by the names of its safetensors file; the layers' are copied, the words' are not."""
        self._words = weights["embeddings.word_embeddings.weight"]
        # Only one kind of segment is ever used, so its vector is part of every place's vector.
        segment = weights["embeddings.token_type_embeddings.weight"][0]
        self._places = weights["embeddings.position_embeddings.weight"][:PIECES_MAX] + segment
        self._norm = _Norm(*_norm_weights(weights, "embeddings.LayerNorm"))
        self._layers = [_Layer(weights, f"encoder.layer.{index}.") for index in range(_LAYERS)]

    def token_vectors(self, sequences: Sequence[Sequence[int]]) -> list[Floats]:
        """The last hidden states of each sequence: one array (pieces, 384) each, order kept.

        Sequences of one length are cheapest side by side; give them sorted by length.
        """
        lengths = [len(sequence) for sequence in sequences]
        ids = np.concatenate([np.asarray(sequence, np.int64) for sequence in sequences])
        places = np.concatenate([np.arange(length) for length in lengths])
        x = self._norm(self._words[ids] + self._places[places])
        runs = _runs(lengths)
        for layer in self._layers:
            x = layer(x, runs)
        return np.split(x, np.cumsum(lengths)[:-1])

    def sentence_vectors(self, sequences: Sequence[Sequence[int]]) -> Floats:
        """One unit vector per sequence, order kept: the mean of its token vectors, normalised."""
        means = np.stack([tokens.mean(axis=0) for tokens in self.token_vectors(sequences)])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means


def _norm_weights(weights: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    return weights[f"{name}.weight"].copy(), weights[f"{name}.bias"].copy()


def _runs(lengths: Sequence[int]) -> list[_Run]:
    runs: list[_Run] = []
    start = 0
    for length, group in groupby(lengths):
        count = sum(1 for _ in group)
        runs.append(_Run(start, count, length))
        start += count * length
    return runs


def _attention(projected: Floats, runs: Sequence[_Run]) -> Floats:
    """Each run's queries, keys and values (three thirds of the columns) attended to within each sequence."""
    out = np.empty((projected.shape[0], VECTOR_DIM), np.float32)
    for run in runs:
        rows = slice(run.start, run.start + run.count * run.length)
        parts = projected[rows].reshape(run.count, run.length, 3, _HEADS, _HEAD_DIM).transpose(2, 0, 3, 1, 4)
        scores = np.matmul(parts[0], parts[1].swapaxes(-1, -2))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        out[rows] = np.matmul(scores, parts[2]).transpose(0, 2, 1, 3).reshape(-1, VECTOR_DIM)
    return out


def _twice_gelu(x: Floats) -> Floats:
    """2 * GELU(x) by tanh (the vectors move by less than 1e-5 in cosine against the exact form)."""
    inner = x * x
    inner *= _GELU_CUBE
    inner += _GELU_SLOPE
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    return inner
