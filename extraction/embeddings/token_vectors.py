"""Packed vectors stored with a message: its token vectors and its whole-text vector, 8 bits per number.

A header identifies the model of the token vectors. The whole-text vector is also in the vector index, but Neo4j takes
longer to read one list of 384 numbers than all bytes of a message's token vectors.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]

# Matrix product on the calling thread

# Above this number of multiplications (measured) OpenBLAS starts a thread per core.
_MULTIPLICATIONS_MAX: Final = 2**18


def product(rows: Floats | Bytes, columns: Floats) -> Floats:
    """Return `rows @ columns`, in blocks that BLAS computes on the calling thread.

    BLAS threads that wait for each other occupy the cores that Neo4j and the model need: on two loaded cores 464 tokens
    of 384 numbers take 5.5 ms of CPU time and 22 ms of wall-clock time as one product, 0.6 and 3.4 ms in blocks.
    """
    height = max(_MULTIPLICATIONS_MAX // max(columns.size, 1), 1)
    blocks = -(-len(rows) // height)
    filled = np.zeros((blocks * height, rows.shape[1]), np.float32)
    filled[: len(rows)] = rows
    answer: Floats = np.matmul(filled.reshape(blocks, height, rows.shape[1]), columns)
    return answer.reshape(blocks * height, columns.shape[1])[: len(rows)]


# Packed vectors

FORMAT: Final = 2
# Header: format; dimension, number, model hash and quantization step of the token vectors; dimension (0 if absent) and
# quantization step of the whole-text vector.
_HEAD: Final = struct.Struct("<BHH8sfHf")
HEAD_BYTES: Final = _HEAD.size
_STEPS: Final = 127
_COUNT_MAX: Final = 2**16 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorMatrix:
    """Token vectors of many texts in one matrix.

    Attributes:
        places: ascending indexes of the given texts that have comparable vectors.
        rows: quantized vectors of all texts.
        starts: index of the first row of each text.
        scales: quantization step of each text.
    """

    places: npt.NDArray[np.intp]
    rows: Bytes
    starts: npt.NDArray[np.intp]
    scales: Floats


def mark(model: str) -> bytes:
    """Return the 8-byte hash of a model's name, as stored in headers."""
    return hashlib.blake2b(model.encode(), digest_size=8).digest()


def pack(vectors: Floats, *, model: str, whole: Floats | None = None) -> bytes:
    """Pack a text's vectors: header, whole-text vector, then token rows, one signed byte per number.

    Args:
        vectors: one unit row per token; may be empty, for punctuation.
        model: name of the model, including its projection.
        whole: unit vector of the whole text; None for questions.
    """
    count, dim = vectors.shape
    assert count <= _COUNT_MAX, "a model reads a few hundred tokens"
    whole_vector = np.zeros(0, np.float32) if whole is None else whole
    (own, scale), (rows, row_scale) = _quantize(whole_vector), _quantize(vectors)
    return _HEAD.pack(FORMAT, dim, count, mark(model), row_scale, len(whole_vector), scale) + own + rows


def _quantize(vectors: Floats) -> tuple[bytes, float]:
    """Quantize numbers to signed bytes; return these and the quantization step."""
    largest = float(np.abs(vectors).max()) if vectors.size else 0.0
    scale = np.float32(largest / _STEPS if largest > 0 else 1.0)
    return np.rint(vectors / scale).astype(np.int8).tobytes(), float(scale)


def is_packed(stored: bytes) -> bool:
    """Return whether bytes are complete packed vectors with finite quantization steps."""
    head = _head(stored)
    return head is not None and bool(np.isfinite([head.scale, head.whole_scale]).all())


def unpack(stored: bytes, *, model: str) -> Floats | None:
    """Return the token vectors, exact to half a quantization step; None if truncated, or of another model or format."""
    gathered = gather([stored], model=model)
    if gathered is not None:
        return gathered.rows.astype(np.float32) * np.float32(gathered.scales[0])
    head = _head(stored)
    return None if head is None or head.made_by != mark(model) else np.zeros((0, head.dim), np.float32)


def gather(stored: Sequence[bytes | None], *, model: str) -> VectorMatrix | None:
    """Return the token vectors of all texts by this model, for one matrix product; None without any."""
    model_hash = mark(model)
    places, parts, counts, scales, dims = [], [], [], [], set()
    for place, one in enumerate(stored):
        head = _head(one) if one else None
        # Skip texts without token vectors, such as punctuation.
        if one and head is not None and head.made_by == model_hash and head.rows:
            places.append(place)
            parts.append(memoryview(one)[HEAD_BYTES + head.whole_dim :])
            counts.append(head.rows)
            scales.append(head.scale)
            dims.add(head.dim)
    if not places:
        return None
    assert len(dims) == 1, "one model gives one dimension"
    rows = np.frombuffer(b"".join(parts), np.int8).reshape(-1, dims.pop())
    return VectorMatrix(
        places=np.array(places, np.intp),
        rows=rows,
        starts=np.concatenate(([0], np.cumsum(counts[:-1]))).astype(np.intp),
        scales=np.array(scales, np.float32),
    )


def whole_cosines(stored: Sequence[bytes | None], vector: Sequence[float]) -> Floats:
    """Return the cosine of each whole-text vector with a unit vector; NaN without a vector of its dimension.

    Models need not match: the whole-text vectors of one embedder are comparable across its languages.
    """
    cosines = np.full(len(stored), np.nan, np.float32)
    places, parts, scales = [], [], []
    for place, one in enumerate(stored):
        head = _head(one) if one else None
        if one and head is not None and 0 < head.whole_dim == len(vector):
            places.append(place)
            parts.append(memoryview(one)[HEAD_BYTES : HEAD_BYTES + head.whole_dim])
            scales.append(head.whole_scale)
    if places:
        rows = np.frombuffer(b"".join(parts), np.int8).reshape(len(places), -1)
        found = product(rows, np.array(vector, np.float32)[:, None])[:, 0] * np.array(scales, np.float32)
        cosines[places] = np.clip(found, -1.0, 1.0)
    return cosines


class _Head(NamedTuple):
    """Header of packed vectors."""

    form: int
    dim: int
    rows: int
    made_by: bytes
    scale: float
    whole_dim: int
    whole_scale: float


def _head(stored: bytes) -> _Head | None:
    """Parse the header; None if it is invalid or the vectors are incomplete."""
    if len(stored) < HEAD_BYTES:
        return None
    head = _Head._make(_HEAD.unpack_from(stored))
    whole = head.form == FORMAT and len(stored) == HEAD_BYTES + head.whole_dim + head.dim * head.rows
    return head if whole else None
