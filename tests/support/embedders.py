"""A fast, deterministic embedder for tests."""

import hashlib
import math
from collections.abc import Sequence

import jieba
import numpy as np

from extraction.embeddings.embedder import Embedded, Piece
from extraction.embeddings.token_vectors import pack
from extraction.text.chinese import is_chinese


class HashedWords:
    """Embeds texts as hashed bags of words in 64 dimensions: texts that share words are similar.

    Each token vector is one-hot. Texts that are mostly Chinese have no token vectors.
    """

    name = "hashed-words"
    dim = 64
    token_model = "hashed-words/64"

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return unit vectors in the order of the texts."""
        return [self._vector(text) for text in texts]

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Return unit vectors with the token vectors; `asked` leaves out the residual of the whole text."""
        vectors = await self.embed(texts)
        return [
            Embedded(vector=vector, tokens=self._tokens(text, None if asked else vector), token_model=self.token_model)
            for vector, text in zip(vectors, texts, strict=True)
        ]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the words, weighted by their length."""
        if is_chinese(text):
            return ()
        return tuple(Piece(word=word, weight=float(len(word))) for word in self._words(text) if word.isalnum())

    def _tokens(self, text: str, vector: list[float] | None) -> bytes | None:
        if is_chinese(text):
            return None
        places = [self._place(piece.word) for piece in self.pieces(text)]
        whole = None if vector is None else np.array(vector, np.float32)
        return pack(np.eye(self.dim, dtype=np.float32)[places], model=self.token_model, whole=whole)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dim
        vector[0] = 0.01
        for word in self._words(text):
            vector[self._place(word)] += 1.0
        length = math.sqrt(sum(part * part for part in vector))
        return [part / length for part in vector]

    def _words(self, text: str) -> list[str]:
        return [word for word in jieba.lcut(text.casefold()) if word.strip()]

    def _place(self, word: str) -> int:
        return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=2).digest()) % self.dim
