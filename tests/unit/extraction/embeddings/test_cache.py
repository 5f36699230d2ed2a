"""The cache of vectors in front of an embedder. Requirements D2, F3."""

from collections.abc import Sequence

from extraction.embeddings.cache import CachedEmbedder
from extraction.embeddings.embedder import embed_question, embed_with_tokens, token_model_of
from tests.support.embedders import HashedWords


class LengthEmbedder:
    """A real, tiny embedder that keeps account of what it was asked."""

    name = "lengths"
    dim = 2

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


class CountedWords(HashedWords):
    """Keeps account of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        return await super().embed(texts)


async def test_a_text_embedded_without_its_tokens_is_not_embedded_again_for_them() -> None:
    inner = CountedWords()
    cached = CachedEmbedder(inner)
    (vector,) = await cached.embed(["red tea"])
    (both,) = await embed_with_tokens(cached, ["red tea"])
    assert (both.vector, inner.asked) == (vector, [["red tea"]])
    assert both == (await inner.embed_with_tokens(["red tea"]))[0]
    cached.clear()
    await embed_with_tokens(cached, ["red tea"])
    assert len(inner.asked) == 3


async def test_a_question_is_no_message_of_the_same_words() -> None:
    """Some models read the two differently, so the cache keeps both, each once."""
    inner = CountedWords()
    cached = CachedEmbedder(inner)
    await embed_with_tokens(cached, ["red tea"])
    for _ in range(2):
        question = await embed_question(cached, "red tea")
    assert inner.asked == [["red tea"], ["red tea"]]
    assert question.tokens is not None
    assert (question.tokens.words, question.tokens.model) == (("red", "tea"), token_model_of(inner))


async def test_an_embedder_without_token_vectors_simply_has_none() -> None:
    for embedder in (LengthEmbedder(), CachedEmbedder(LengthEmbedder())):
        assert token_model_of(embedder) is None
        assert [one.tokens for one in await embed_with_tokens(embedder, ["a", "bb"])] == [None, None]
        assert (await embed_question(embedder, "a")).tokens is None
