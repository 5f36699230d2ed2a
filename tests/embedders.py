"""An embedder for tests: real vectors of hashed words, instant and the same everywhere."""

import hashlib
import math
from collections.abc import Sequence

import jieba


class HashedWords:
    """Each word adds to one of 64 places; texts that share words are close. Real and deterministic, not clever."""

    name = "hashed-words"
    dim = 64
    english_only = False

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors, in order."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dim
        vector[0] = 0.01
        for word in jieba.lcut(text.casefold()):
            if word.strip():
                vector[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=2).digest()) % self.dim] += 1.0
        length = math.sqrt(sum(part * part for part in vector))
        return [part / length for part in vector]
