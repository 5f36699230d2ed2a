"""The port of the embedders: texts in, unit vectors out; and the check every vector from outside must pass."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np

from extraction.embeddings.late_interaction import QuestionTokens
from extraction.embeddings.token_vectors import unpack
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
        """Return one unit vector per text, order kept; no texts give no vectors. May be cancelled at any moment.

        Raises:
            UnavailableError: the model is away or busy; the same call may work later.
            MisreadError: the model answered something that is not one vector per text.
            InstallError: the settings or the installation are wrong.
        """
        ...


def unit(vector: Sequence[float]) -> list[float]:
    """Return the vector at length 1; one without a direction (zero, or not finite) comes back as it is, for the
    check.
    """
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


# The optional half of an embedder: token vectors beside the vector of a text, from the same run of the model.


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A text in vectors.

    Attributes:
        vector: of unit length, for the whole text.
        tokens: packed vectors of its pieces, and of a text that is said, not asked, of the whole; None when the
            embedder makes none, or none for such a text.
        token_model: who made those; vectors of two names are never compared.
        telling: of a question, how many times as much each of its pieces tells as `Piece.weight` says; None: as much.
    """

    vector: list[float]
    tokens: bytes | None = None
    token_model: str | None = None
    telling: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a text that has a token vector.

    Attributes:
        word: the whole word it is part of, case folded.
        weight: how much it tells in a question; rare ones tell more.
    """

    word: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuestion:
    """A question in vectors; `tokens` is None when there are none to compare with messages."""

    vector: list[float]
    tokens: QuestionTokens | None = None


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that gives token vectors too.

    Attributes:
        token_model: names all that make its token vectors; when it changes, those that are stored are made anew. None
            when an embedder behind this one gives no token vectors after all.
    """

    @property
    def token_model(self) -> str | None: ...

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """As `embed`, with token vectors; one run of the model for both.

        Args:
            asked: the texts are questions; some models are told so, and put what answers nearer to them.
        """
        ...

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the pieces of a question, one for each of its token vectors, in their order."""
        ...


def token_model_of(embedder: Embedder) -> str | None:
    """Return who makes an embedder's token vectors; None when it makes none."""
    return embedder.token_model if isinstance(embedder, TokenEmbedder) else None


async def embed_with_tokens(embedder: Embedder, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
    """Return vectors of texts, or of questions, with token vectors where the embedder can; raises what its `embed`
    raises.
    """
    if isinstance(embedder, TokenEmbedder):
        return await embedder.embed_with_tokens(texts, asked=asked)
    return [Embedded(vector=vector) for vector in await embedder.embed(texts)]


async def embed_question(embedder: Embedder, text: str) -> EmbeddedQuestion:
    """Return a question's vector and, where the embedder can, its pieces with vectors and weights; one run of the
    model.
    """
    (embedded,) = await embed_with_tokens(embedder, [text], asked=True)
    model = embedded.token_model
    if embedded.tokens is None or model is None or not isinstance(embedder, TokenEmbedder):
        return EmbeddedQuestion(vector=embedded.vector)
    vectors, pieces = unpack(embedded.tokens, model=model), embedder.pieces(text)
    if vectors is None or not pieces:
        return EmbeddedQuestion(vector=embedded.vector)
    weights = np.array([piece.weight for piece in pieces], np.float32)
    tokens = QuestionTokens(
        model=model,
        vectors=vectors,
        weights=weights if embedded.telling is None else weights * np.array(embedded.telling, np.float32),
        words=tuple(piece.word for piece in pieces),
    )
    return EmbeddedQuestion(vector=embedded.vector, tokens=tokens)


def spoken(speaker: str | None, text: str) -> str:
    """Return what is embedded for a message: who says it is part of what it means.

    Source: retrieval.md, dense over "speaker: text".
    """
    return f"{speaker}: {text}" if speaker else text
