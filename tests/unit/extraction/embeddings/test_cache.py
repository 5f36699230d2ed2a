"""Test the vector cache in front of an embedder."""

import asyncio
from collections.abc import Sequence

from extraction.embeddings.cache import CachedEmbedder
from extraction.embeddings.embedder import embed_question, embed_with_tokens, token_model_of
from tests.support.embedders import HashedWords


class LengthEmbedder:
    """A tiny embedder that records its inputs."""

    name = "lengths"
    dim = 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        self.asked.append(list(texts))
        return [[1.0, 0.0] if len(text) % 2 else [0.0, 1.0] for text in texts]


async def test_same_text_is_embedded_once_and_order_is_kept() -> None:
    inner = LengthEmbedder()
    cached = CachedEmbedder(inner)
    assert await cached.embed(["a", "bb", "a"]) == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert await cached.embed(["bb", "ccc"]) == [[0.0, 1.0], [1.0, 0.0]]
    assert await cached.embed([]) == []
    assert inner.asked == [["a", "bb"], ["ccc"]]


async def test_least_recently_used_text_is_evicted_first() -> None:
    inner = LengthEmbedder()
    cached = CachedEmbedder(inner, entries_max=2)
    for texts in (["a"], ["b"], ["a"], ["c"], ["a"], ["b"]):
        await cached.embed(texts)
    assert inner.asked == [["a"], ["b"], ["c"], ["b"]]


class CountedWords(HashedWords):
    """An embedder with token vectors that records its inputs."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        self.asked.append(list(texts))
        return await super().embed(texts, asked=asked)


async def test_text_cached_without_token_vectors_is_not_embedded_again_for_them() -> None:
    inner = CountedWords()
    cached = CachedEmbedder(inner)
    (vector,) = await cached.embed(["red tea"])
    (both,) = await embed_with_tokens(cached, ["red tea"])
    assert (both.vector, inner.asked) == (vector, [["red tea"]])
    assert both == (await inner.embed_with_tokens(["red tea"]))[0]
    cached.clear()
    await embed_with_tokens(cached, ["red tea"])
    assert len(inner.asked) == 3


async def test_question_and_message_of_the_same_words_are_cached_separately() -> None:
    """Some models embed the two differently, so the cache keeps each once."""
    inner = CountedWords()
    cached = CachedEmbedder(inner)
    await embed_with_tokens(cached, ["red tea"])
    for _ in range(2):
        question = await embed_question(cached, "red tea")
    assert inner.asked == [["red tea"], ["red tea"]]
    assert question.tokens is not None
    assert (question.tokens.words, question.tokens.model) == (("red", "tea"), token_model_of(inner))


async def test_embedder_without_token_vectors_returns_none() -> None:
    for embedder in (LengthEmbedder(), CachedEmbedder(LengthEmbedder())):
        assert token_model_of(embedder) is None
        assert [one.tokens for one in await embed_with_tokens(embedder, ["a", "bb"])] == [None, None]
        assert (await embed_question(embedder, "a")).tokens is None


class Scores(LengthEmbedder):
    """An embedder that scores texts by their lengths, and records what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.scored: list[tuple[str, list[str]]] = []
        self.compared: list[tuple[str, str, str]] = []

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        self.scored.append((question, list(texts)))
        return [None if text == "other language" else float(len(text)) for text in texts]

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        self.compared += [(question, older, newer) for older, newer in changes]
        return [float(10 * len(older) + len(newer)) for older, newer in changes]


async def test_answer_scores_are_kept_for_question_and_text_together() -> None:
    inner = Scores()
    cached = CachedEmbedder(inner)
    assert await cached.answer_scores("q", ["a", "bb", "a", "other language"]) == [1.0, 2.0, 1.0, None]
    assert await cached.answer_scores("q", ["bb", "other language", "ccc"]) == [2.0, None, 3.0]
    assert await cached.answer_scores("r", ["a"]) == [1.0]
    assert inner.scored == [("q", ["a", "bb", "other language"]), ("q", ["ccc"]), ("r", ["a"])]
    cached.clear()
    await cached.answer_scores("q", ["a"])
    assert inner.scored[-1] == ("q", ["a"])


async def test_replacement_scores_are_kept_for_question_and_both_texts_together() -> None:
    inner = Scores()
    cached = CachedEmbedder(inner)
    assert await cached.replacement_scores("q", [("a", "bb"), ("aa", "b"), ("a", "bb")]) == [12.0, 21.0, 12.0]
    assert await cached.replacement_scores("q", [("a", "bb"), ("ab", "b")]) == [12.0, 21.0]
    assert await cached.replacement_scores("r", [("a", "bb")]) == [12.0]
    assert inner.compared == [("q", "a", "bb"), ("q", "aa", "b"), ("q", "ab", "b"), ("r", "a", "bb")]
    assert await CachedEmbedder(LengthEmbedder()).replacement_scores("q", [("a", "b")]) == [None]


class FailingOnce(Scores):
    """An embedder whose first scoring fails, after others have come to wait for it."""

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        first = not self.scored
        found = await super().answer_scores(question, texts)
        await asyncio.sleep(0)
        if first:
            raise TimeoutError
        return found


async def test_concurrent_calls_score_a_text_once() -> None:
    inner = Scores()
    cached = CachedEmbedder(inner)
    first, second = await asyncio.gather(cached.answer_scores("q", ["a", "bb"]), cached.answer_scores("q", ["bb", "c"]))
    assert (first, second) == ([1.0, 2.0], [2.0, 1.0])
    assert inner.scored == [("q", ["a", "bb"]), ("q", ["c"])]


async def test_failed_scoring_is_repeated_by_who_waited() -> None:
    cached = CachedEmbedder(FailingOnce())
    failed, found = await asyncio.gather(
        cached.answer_scores("q", ["a"]), cached.answer_scores("q", ["a"]), return_exceptions=True
    )
    assert isinstance(failed, TimeoutError)
    assert found == [1.0]


async def test_embedder_that_cannot_score_gives_none() -> None:
    assert await CachedEmbedder(LengthEmbedder()).answer_scores("q", ["a", "b"]) == [None, None]
