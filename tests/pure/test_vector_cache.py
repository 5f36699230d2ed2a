"""The cache of vectors in front of an embedder."""

from collections.abc import Sequence

from extraction.vector_cache import CachedEmbedder


class LengthEmbedder:
    """A real, tiny embedder that keeps account of what it was asked."""

    name = "lengths"
    dim = 2
    english_only = False

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        return [[1.0, 0.0] if len(text) % 2 else [0.0, 1.0] for text in texts]


async def test_the_same_text_is_embedded_only_once_and_order_is_kept() -> None:
    inner = LengthEmbedder()
    cached = CachedEmbedder(inner)
    assert await cached.embed(["a", "bb", "a"]) == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert await cached.embed(["bb", "ccc"]) == [[0.0, 1.0], [1.0, 0.0]]
    assert await cached.embed([]) == []
    assert inner.asked == [["a", "bb"], ["ccc"]]


async def test_the_text_wanted_longest_ago_is_forgotten_first() -> None:
    inner = LengthEmbedder()
    cached = CachedEmbedder(inner, entries_max=2)
    for texts in (["a"], ["b"], ["a"], ["c"], ["a"], ["b"]):
        await cached.embed(texts)
    assert inner.asked == [["a"], ["b"], ["c"], ["b"]]
