"""Read and write files of low-rank adapters, whose matrices are stored in eight bits.

Each matrix is whole numbers from -127 to 127 with a scale for each of its rows or columns, whichever are fewer; small
arrays are stored as they are. What this changes in a weight is far less than the rounding of the converted model.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.embeddings.token_vectors import Floats

_LARGEST: Final = 127
# Smaller arrays, such as biases, gain little.
_NUMBERS_MIN: Final = 2_048
_SCALE: Final = ".scale"


def read_adapter(file: Path) -> dict[str, Floats]:
    """Return the arrays of an adapter by name, in 32 bits.

    Raises:
        OSError, ValueError, KeyError: the file is missing or damaged.
    """
    with np.load(file) as archive:
        stored = {name: archive[name].astype(np.float32) for name in archive.files}
    scales = {name: stored.pop(f"{name}{_SCALE}") for name in list(stored) if f"{name}{_SCALE}" in stored}
    return stored | {name: stored[name] * scale for name, scale in scales.items()}


def write_adapter(file: Path, arrays: Mapping[str, npt.ArrayLike]) -> None:
    """Write an adapter; the same arrays give the same bytes.

    Args:
        arrays: matrices by name, those of several layers in one array; matrices of few numbers keep sixteen bits.
    """
    stored: dict[str, np.ndarray] = {}
    for name, values in arrays.items():
        exact = np.asarray(values, np.float32)
        if exact.ndim < 2 or exact.size < _NUMBERS_MIN:
            stored[name] = exact.astype(np.float16)
            continue
        axis = -2 if exact.shape[-2] >= exact.shape[-1] else -1
        scale = np.maximum(np.abs(exact).max(axis=axis, keepdims=True), np.finfo(np.float16).tiny) / _LARGEST
        stored |= {name: np.round(exact / scale).astype(np.int8), f"{name}{_SCALE}": scale.astype(np.float32)}
    with file.open("wb") as target:
        np.savez_compressed(target, **stored)  # type: ignore[arg-type]
