"""The embedder port, and validation of vectors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np

from extraction.embeddings.late_interaction import QuestionTokens
from extraction.embeddings.token_vectors import unpack
from schema.errors import MisreadError

# Cosines of cross-language vectors are lower than those of one model: answers have .15 to .35 instead of .35 to .45.
CROSS_LANGUAGE_SCALE: Final = 1.5
# Tolerance of unit length; well above the rounding error of a float32 sum of a few thousand squares.
_UNIT_TOLERANCE: Final = 1e-3


class Embedder(Protocol):
    """A model that embeds texts as unit vectors.

    Attributes:
        name: name of the model; vectors of different models are never compared.
        dim: dimension of the vectors.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return one unit vector per text, in order; may be cancelled at any time.

        Args:
            asked: the texts are questions; some models embed questions and answers differently.

        Raises:
            UnavailableError: the model is unavailable or busy; retry later.
            MisreadError: the answer is not one vector per text.
            InstallError: the settings or the installation are invalid.
        """
        ...


def unit(vector: Sequence[float]) -> list[float]:
    """Normalize a vector; return a zero or non-finite one unchanged, for `check_vectors` to refuse."""
    length = math.sqrt(math.fsum(value * value for value in vector))
    if length == 0 or not math.isfinite(length):
        return list(vector)
    return [value / length for value in vector]


def check_vectors(vectors: Sequence[Sequence[float]], *, count: int, dim: int) -> None:
    """Check that there is one vector per text, and that each is a unit vector of `dim` finite numbers.

    Raises:
        MisreadError: they are not; the message names the first invalid vector.
    """
    if len(vectors) != count:
        raise MisreadError(
            f"the embedder returned {len(vectors)} vectors for {count} texts; "
            "check that the endpoint serves an embedding model"
        )
    for index, vector in enumerate(vectors):
        if len(vector) != dim:
            raise MisreadError(
                f"vector {index} has {len(vector)} numbers, expected {dim}; "
                "set the embedding dimension to what the model gives, and re-embed what is stored"
            )
        square = math.fsum(value * value for value in vector)
        if not math.isfinite(square):
            raise MisreadError(
                f"vector {index} contains NaN or infinity; the embedding model is broken or misconfigured"
            )
        if abs(math.sqrt(square) - 1) > _UNIT_TOLERANCE:
            raise MisreadError(
                f"vector {index} has length {math.sqrt(square):.4g}, expected 1; "
                "the embedding model gave a vector without a direction, or it was not normalised"
            )


# Optional for an embedder: token vectors, from the same run of the model.


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Vectors of one text.

    Attributes:
        vector: unit vector of the whole text.
        tokens: packed token vectors, with the whole-text vector of a message; None if the embedder has none.
        token_model: model of the token vectors; vectors of different models are never compared.
        weight_factors: factors of `Piece.weight` for the pieces of a question; None means 1.
        cross_language_vector: unit vector of a question for texts in the other language; None if they share one.
        pieces: of a question as another model reads it, one per token vector; None for those of `TokenEmbedder.pieces`.
        across: vectors of a question as the other model reads it, for texts in the other language; None if there are
            only those of `cross_language_vector`.
    """

    vector: list[float]
    tokens: bytes | None = None
    token_model: str | None = None
    weight_factors: tuple[float, ...] | None = None
    cross_language_vector: list[float] | None = None
    pieces: "tuple[Piece, ...] | None" = None
    across: "Embedded | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A word piece with a token vector.

    Attributes:
        word: the whole word that the piece is part of, case folded.
        weight: weight in a question; higher for rare pieces.
    """

    word: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuestion:
    """Vectors of a question.

    Attributes:
        tokens: its token vectors; None if it has none.
        cross_language_vector: as in `Embedded`.
        cross_language_tokens: token vectors for texts in the other language; None if there are none.
    """

    vector: list[float]
    tokens: QuestionTokens | None = None
    cross_language_vector: list[float] | None = None
    cross_language_tokens: QuestionTokens | None = None


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder with token vectors.

    Attributes:
        token_model: name of model, projection and format; stored token vectors are recomputed if it changes. None if a
            wrapped embedder has no token vectors.
    """

    @property
    def token_model(self) -> str | None: ...

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Embed texts as `embed` does, with token vectors in the same run of the model."""
        ...

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the pieces of a question, one per token vector, in order."""
        ...


def token_model_of(embedder: Embedder) -> str | None:
    """Return the model of an embedder's token vectors, or None."""
    return embedder.token_model if isinstance(embedder, TokenEmbedder) else None


async def embed_with_tokens(embedder: Embedder, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
    """Return vectors of texts or questions, with token vectors if the embedder has them; raise as `Embedder.embed`."""
    if isinstance(embedder, TokenEmbedder):
        return await embedder.embed_with_tokens(texts, asked=asked)
    return [Embedded(vector=vector) for vector in await embedder.embed(texts, asked=asked)]


async def embed_question(embedder: Embedder, text: str) -> EmbeddedQuestion:
    """Return the vectors of a question, with weighted token vectors if the embedder has them."""
    (embedded,) = await embed_with_tokens(embedder, [text], asked=True)
    across = embedded.across
    return EmbeddedQuestion(
        vector=embedded.vector,
        tokens=_question_tokens(embedder, text, embedded),
        cross_language_vector=embedded.cross_language_vector,
        cross_language_tokens=None if across is None else _question_tokens(embedder, text, across),
    )


def _question_tokens(embedder: Embedder, text: str, embedded: Embedded) -> QuestionTokens | None:
    """Return the token vectors of a question with the words and weights of their pieces; None without them."""
    packed, model, factors = embedded.tokens, embedded.token_model, embedded.weight_factors
    if packed is None or model is None or not isinstance(embedder, TokenEmbedder):
        return None
    vectors = unpack(packed, model=model)
    pieces = embedder.pieces(text) if embedded.pieces is None else embedded.pieces
    if vectors is None or not pieces:
        return None
    weights = np.array([piece.weight for piece in pieces], np.float32)
    return QuestionTokens(
        model=model,
        vectors=vectors,
        weights=weights if factors is None else weights * np.array(factors, np.float32),
        words=tuple(piece.word for piece in pieces),
    )


def spoken(speaker: str | None, text: str) -> str:
    """Return the text to embed for a message: "speaker: text"."""
    return f"{speaker}: {text}" if speaker else text


@runtime_checkable
class AnswerScorer(Protocol):
    """An embedder that also scores a question and texts, read together."""

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Return the log odds that each text answers the question, in order; None where the model cannot tell."""
        ...

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the log odds that the newer of two texts replaces the older as an answer, in order.

        Args:
            changes: the older and the newer text.
        """
        ...
