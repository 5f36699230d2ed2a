"""LRU cache of vectors and answer scores, keyed by the hash of the text."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

from cachetools import LRUCache

from extraction.embeddings.embedder import (
    AnswerScorer,
    Embedded,
    Embedder,
    Piece,
    TokenEmbedder,
    embed_with_tokens,
    token_model_of,
)

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# About 3 MB; the candidates of some hundred questions.
SCORES_MAX = 16_384


class _Results(Generic[_Result]):
    """Results by key; of concurrent calls, such as a recall and a context, only one makes a missing result."""

    def __init__(self, entries_max: int) -> None:
        self.kept: LRUCache[bytes, _Result] = LRUCache(entries_max)
        self._in_flight: dict[bytes, asyncio.Event] = {}

    async def of(
        self,
        keys: Sequence[bytes],
        items: Sequence[_Item],
        make: Callable[[Sequence[_Item]], Awaitable[Sequence[_Result]]],
    ) -> list[_Result]:
        """Return the result for each item, in order, making those that are missing."""
        requested = dict(zip(keys, items, strict=True))
        answers: dict[bytes, _Result] = {}
        while missing := [key for key in requested if key not in answers]:
            answers |= {key: self.kept[key] for key in missing if key in self.kept}
            own = [key for key in missing if key not in answers and key not in self._in_flight]
            others = {self._in_flight[key] for key in missing if key in self._in_flight}
            if own:
                answers |= await self._made({key: requested[key] for key in own}, make)
            # Wait for other calls that make the same results; the next round makes those that failed there.
            for other in others:
                await other.wait()
        self.kept.update((key, answers[key]) for key in keys)
        return [answers[key] for key in keys]

    async def _made(
        self, items: Mapping[bytes, _Item], make: Callable[[Sequence[_Item]], Awaitable[Sequence[_Result]]]
    ) -> dict[bytes, _Result]:
        done = asyncio.Event()
        self._in_flight |= dict.fromkeys(items, done)
        try:
            found = dict(zip(items, await make([*items.values()]), strict=True))
            self.kept.update(found)
            return found
        finally:
            for key in items:
                del self._in_flight[key]
            done.set()


class CachedEmbedder:
    """Cache the vectors and answer scores of another embedder; the least recently used are evicted first."""

    def __init__(self, inner: Embedder, *, entries_max: int = 4096) -> None:
        self._inner = inner
        self._vectors = _Results[Embedded](entries_max)
        self._scores = _Results[float | None](SCORES_MAX)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    @property
    def token_model(self) -> str | None:
        return token_model_of(self._inner)

    def clear(self) -> None:
        """Drop all vectors and scores."""
        self._vectors.kept.clear()
        self._scores.kept.clear()

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Embed texts; shares its cache with `embed_with_tokens`."""
        return [embedded.vector for embedded in await self.embed_with_tokens(texts, asked=asked)]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the pieces of a question; empty if the inner embedder has no token vectors."""
        return self._inner.pieces(text) if isinstance(self._inner, TokenEmbedder) else ()

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Embed texts with token vectors."""
        mark = b"?" if asked else b"."
        keys = [hashlib.sha256(mark + text.encode()).digest() for text in texts]
        return await self._vectors.of(keys, texts, lambda missing: embed_with_tokens(self._inner, missing, asked=asked))

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Score answers; all are None if the inner embedder cannot score."""
        if not isinstance(self._inner, AnswerScorer):
            return [None] * len(texts)
        inner = self._inner
        mark = hashlib.sha256(question.encode()).digest()
        keys = [hashlib.sha256(mark + text.encode()).digest() for text in texts]
        return await self._scores.of(keys, texts, lambda missing: inner.answer_scores(question, missing))

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        """Score replacements; all are None if the inner embedder cannot score."""
        if not isinstance(self._inner, AnswerScorer):
            return [None] * len(changes)
        inner = self._inner
        mark = hashlib.sha256(b"replaced" + question.encode()).digest()
        keys = [
            hashlib.sha256(mark + hashlib.sha256(older.encode()).digest() + newer.encode()).digest()
            for older, newer in changes
        ]
        return await self._scores.of(keys, changes, lambda missing: inner.replacement_scores(question, missing))
