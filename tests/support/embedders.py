"""An embedder for tests: real vectors of hashed words, instant and the same everywhere."""

import hashlib
import math
from collections.abc import Sequence

import jieba
import numpy as np

from extraction.embeddings.embedder import Embedded, Piece
from extraction.embeddings.token_vectors import pack
from extraction.text.chinese import is_chinese


class HashedWords:
    """Each word adds to one of 64 places; texts that share words are close. Real and deterministic, not clever.

    A token is a word and has its place alone; texts that are mostly Chinese have no token vectors.
    """

    name = "hashed-words"
    dim = 64
    token_model = "hashed-words/64"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors, in order."""
        return [self._vector(text) for text in texts]

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Unit vectors with those of the words; questions are read as everything else."""
        vectors = await self.embed(texts)
        return [
            Embedded(vector=vector, tokens=self._tokens(text, None if asked else vector), token_model=self.token_model)
            for vector, text in zip(vectors, texts, strict=True)
        ]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """The words; long ones tell more."""
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
