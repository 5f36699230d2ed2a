"""Remembers vectors by the text's hash, so that the same text is not embedded twice."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from extraction.embedding import Embedder


class CachedEmbedder:
    """An embedder around another; the least recently wanted vectors are forgotten first."""

    def __init__(self, inner: Embedder, *, entries_max: int = 4096) -> None:
        self._inner = inner
        self._entries_max = entries_max
        self._vectors: OrderedDict[bytes, list[float]] = OrderedDict()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    @property
    def english_only(self) -> bool:
        return self._inner.english_only

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """As the port says; the inner embedder sees each text that is not remembered once."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        answers = {key: self._vectors[key] for key in keys if key in self._vectors}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in answers}
        if missing:
            fresh = await self._inner.embed(list(missing.values()))
            answers |= zip(missing, fresh, strict=True)
        for key in keys:
            self._vectors[key] = answers[key]
            self._vectors.move_to_end(key)
        while len(self._vectors) > self._entries_max:
            self._vectors.popitem(last=False)
        return [answers[key] for key in keys]
