"""Token vectors of one text as they are stored with a message: eight bits a number, with a head that says whose."""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]

FORMAT: Final = 1
# Format, dimension, count, the model's mark, and what one step of a byte is worth.
_HEAD: Final = struct.Struct("<BHH8sf")
HEAD_BYTES: Final = _HEAD.size
_STEPS: Final = 127
_COUNT_MAX: Final = 2**16 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Token vectors of many texts below each other.

    Attributes:
        places: which of the texts that were given these are, ascending; the others have no vectors to compare.
        rows: all vectors, in steps.
        starts: the first row of each text.
        scales: what one step is worth, for each text.
    """

    places: npt.NDArray[np.intp]
    rows: Bytes
    starts: npt.NDArray[np.intp]
    scales: Floats


def mark(model: str) -> bytes:
    """Eight bytes that stand for a model's name in every head."""
    return hashlib.blake2b(model.encode(), digest_size=8).digest()


def pack(vectors: Floats, *, model: str) -> bytes:
    """The bytes of a text's token vectors: a head, then one signed byte for each number, row by row.

    Args:
        vectors: one row a token, of unit length; no rows are fine, a text may consist of punctuation.
        model: name of what made them, with whatever they were compressed by.
    """
    count, dim = vectors.shape
    assert count <= _COUNT_MAX, "a model reads a few hundred tokens"
    largest = float(np.abs(vectors).max()) if vectors.size else 0.0
    scale = np.float32(largest / _STEPS if largest > 0 else 1.0)
    steps: bytes = np.rint(vectors / scale).astype(np.int8).tobytes()
    return _HEAD.pack(FORMAT, dim, count, mark(model), float(scale)) + steps


def unpack(stored: bytes, *, model: str) -> Floats | None:
    """The vectors, within half a step; None when another model or another format made them, or bytes are missing."""
    gathered = gather([stored], model=model)
    if gathered is not None:
        return gathered.rows.astype(np.float32) * np.float32(gathered.scales[0])
    head = _head(stored, mark(model))
    return None if head is None else np.zeros((0, head[0]), np.float32)


def gather(stored: Sequence[bytes | None], *, model: str) -> Gathered | None:
    """The vectors of all texts that this model made, ready for one product of matrices; None when there are none."""
    wanted = mark(model)
    places, parts, counts, scales, dims = [], [], [], [], set()
    for place, one in enumerate(stored):
        head = _head(one, wanted) if one else None
        # A text without rows has nothing to compare, and no first row to start from.
        if one and head is not None and head[1]:
            dim, count, scale = head
            places.append(place)
            parts.append(memoryview(one)[HEAD_BYTES:])
            counts.append(count)
            scales.append(scale)
            dims.add(dim)
    if not places:
        return None
    assert len(dims) == 1, "one model gives one dimension"
    rows = np.frombuffer(b"".join(parts), np.int8).reshape(-1, dims.pop())
    return Gathered(
        places=np.array(places, np.intp),
        rows=rows,
        starts=np.concatenate(([0], np.cumsum(counts[:-1]))).astype(np.intp),
        scales=np.array(scales, np.float32),
    )


def _head(stored: bytes, wanted: bytes) -> tuple[int, int, float] | None:
    """Dimension, count and scale; None for what cannot be read as vectors of the model wanted."""
    if len(stored) < HEAD_BYTES:
        return None
    number, dim, count, made_by, scale = _HEAD.unpack_from(stored)
    if number != FORMAT or made_by != wanted or len(stored) != HEAD_BYTES + dim * count:
        return None
    return dim, count, scale
