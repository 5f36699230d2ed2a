"""The port of the embedders: texts in, unit vectors out; and the check every vector from outside must pass."""

import math
from collections.abc import Sequence
from typing import Final, Protocol

from schema.errors import MisreadError

# Further from 1 than this, a vector is not of unit length (float32 sums of a few thousand squares stay well inside).
_UNIT_TOLERANCE: Final = 1e-3


class Embedder(Protocol):
    """Turns texts into vectors of unit length.

    Attributes:
        name: the model's name; vectors of two names are never compared.
        dim: numbers in each vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector per text, order kept; no texts give no vectors. May be cancelled at any moment.

        Raises:
            UnavailableError: the model is away or busy; the same call may work later.
            MisreadError: the model answered something that is not one vector per text.
            InstallError: the settings or the installation are wrong.
        """
        ...


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; one without a direction (zero, or not finite) comes back as it is, for the check."""
    length = math.sqrt(math.fsum(value * value for value in vector))
    if length == 0 or not math.isfinite(length):
        return list(vector)
    return [value / length for value in vector]


def check_vectors(vectors: Sequence[Sequence[float]], *, count: int, dim: int) -> None:
    """Refuse vectors that must not enter an index.

    Raises:
        MisreadError: not `count` vectors, or one that is not `dim` finite numbers of unit length.
    """
    if len(vectors) != count:
        raise MisreadError(
            f"the embedder answered {len(vectors)} vectors for {count} texts; check that the endpoint really embeds"
        )
    for index, vector in enumerate(vectors):
        if len(vector) != dim:
            raise MisreadError(
                f"vector {index} has {len(vector)} numbers, expected {dim}; "
                "set the embedding dimension to what the model gives, and re-embed what is stored"
            )
        square = math.fsum(value * value for value in vector)
        if not math.isfinite(square):
            raise MisreadError(f"vector {index} holds NaN or infinity; the embedding model is broken or misconfigured")
        if abs(math.sqrt(square) - 1) > _UNIT_TOLERANCE:
            raise MisreadError(
                f"vector {index} has length {math.sqrt(square):.4g}, expected 1; "
                "the embedding model gave a vector without a direction, or it was not normalised"
            )
