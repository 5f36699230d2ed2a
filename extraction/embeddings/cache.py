"""LRU cache of vectors and answer scores, keyed by the hash of the text."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from extraction.embeddings.embedder import (
    AnswerScorer,
    Embedded,
    Embedder,
    Piece,
    ReplacementScorer,
    TokenEmbedder,
    embed_with_tokens,
    token_model_of,
)

_Item = TypeVar("_Item")

# About 3 MB; the candidates of some hundred questions.
SCORES_MAX = 16_384


class CachedEmbedder:
    """Cache the vectors and answer scores of another embedder; the least recently used are evicted first."""

    def __init__(self, inner: Embedder, *, entries_max: int = 4096) -> None:
        self._inner = inner
        self._entries_max = entries_max
        self._vectors: OrderedDict[bytes, Embedded] = OrderedDict()
        self._in_flight: dict[bytes, asyncio.Event] = {}
        self._scores: OrderedDict[bytes, float | None] = OrderedDict()
        self._scoring: dict[bytes, asyncio.Event] = {}

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
        self._vectors.clear()
        self._scores.clear()

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Embed texts; shares its cache with `embed_with_tokens`."""
        return [embedded.vector for embedded in await self.embed_with_tokens(texts, asked=asked)]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the pieces of a question; empty if the inner embedder has no token vectors."""
        return self._inner.pieces(text) if isinstance(self._inner, TokenEmbedder) else ()

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Embed texts with token vectors; concurrent calls embed an uncached text once."""
        mark = b"?" if asked else b"."
        keys = [hashlib.sha256(mark + text.encode()).digest() for text in texts]
        requested = dict(zip(keys, texts, strict=True))
        answers: dict[bytes, Embedded] = {}
        while missing := [key for key in requested if key not in answers]:
            answers |= {key: self._vectors[key] for key in missing if key in self._vectors}
            own = [key for key in missing if key not in answers and key not in self._in_flight]
            others = {self._in_flight[key] for key in missing if key in self._in_flight}
            if own:
                answers |= await self._embed_missing({key: requested[key] for key in own}, asked)
            # Wait for other calls that embed the same texts; the next round embeds those that failed there.
            for other in others:
                await other.wait()
        for key in keys:
            self._remember(key, answers[key])
        return [answers[key] for key in keys]

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Score answers; concurrent calls with the same question, as by a recall and a context, score a text once.

        All are None if the inner embedder cannot score.
        """
        if not isinstance(self._inner, AnswerScorer):
            return [None] * len(texts)
        inner = self._inner
        mark = hashlib.sha256(question.encode()).digest()
        keys = [hashlib.sha256(mark + text.encode()).digest() for text in texts]
        return await self._scored(mark, keys, texts, lambda missing: inner.answer_scores(question, missing))

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        """Score replacements; concurrent calls with the same question score two texts once.

        All are None if the inner embedder cannot score.
        """
        if not isinstance(self._inner, ReplacementScorer):
            return [None] * len(changes)
        inner = self._inner
        mark = hashlib.sha256(b"replaced" + question.encode()).digest()
        keys = [
            hashlib.sha256(mark + hashlib.sha256(older.encode()).digest() + newer.encode()).digest()
            for older, newer in changes
        ]
        return await self._scored(mark, keys, changes, lambda missing: inner.replacement_scores(question, missing))

    async def _scored(
        self,
        mark: bytes,
        keys: Sequence[bytes],
        items: Sequence[_Item],
        score: Callable[[Sequence[_Item]], Awaitable[list[float | None]]],
    ) -> list[float | None]:
        """Return the scores of items from the cache, scoring those that are missing.

        Args:
            mark: of a question; one call at a time scores for it.
            keys: of the items.
        """
        requested = dict(zip(keys, items, strict=True))
        while (other := self._scoring.get(mark)) is not None:
            await other.wait()
        known = {key: self._scores[key] for key in requested if key in self._scores}
        if missing := {key: item for key, item in requested.items() if key not in known}:
            done = self._scoring[mark] = asyncio.Event()
            try:
                known |= dict(zip(missing, await score([*missing.values()]), strict=True))
            finally:
                del self._scoring[mark]
                done.set()
        for key in keys:
            self._scores[key] = known[key]
            self._scores.move_to_end(key)
        while len(self._scores) > SCORES_MAX:
            self._scores.popitem(last=False)
        return [known[key] for key in keys]

    async def _embed_missing(self, texts: Mapping[bytes, str], asked: bool) -> dict[bytes, Embedded]:
        done = asyncio.Event()
        self._in_flight |= dict.fromkeys(texts, done)
        try:
            made = await embed_with_tokens(self._inner, list(texts.values()), asked=asked)
            found = dict(zip(texts, made, strict=True))
            for key, embedded in found.items():
                self._remember(key, embedded)
            return found
        finally:
            for key in texts:
                del self._in_flight[key]
            done.set()

    def _remember(self, key: bytes, embedded: Embedded) -> None:
        self._vectors[key] = embedded
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._entries_max:
            self._vectors.popitem(last=False)
