"""The embedder without a key and without torch: all-MiniLM-L6-v2, computed here."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from extraction.chinese_text import is_mostly_chinese
from extraction.minilm import VECTOR_DIM, MiniLM, sentence_vectors
from extraction.minilm_convert import converted_folder
from extraction.minilm_weights import Progress, minilm_folder
from extraction.token_embedding import Embedded, Piece
from extraction.token_projection import TOKEN_MODEL, Projection, load_projection
from extraction.wordpieces import WordPieces
from schema.errors import InstallError

BATCH_SIZE: Final = 32
# More pieces than this at once leave the processor's cache; fewer make the matrices too small to be fast.
_PIECES_AT_ONCE: Final = 512


class LocalEmbedder:
    """MiniLM on this machine's processor; knows English, and little of other languages.

    A single text (a question) has a thread of its own, so that it never queues behind batches of messages.
    """

    name: Final = "all-MiniLM-L6-v2"
    dim: Final = VECTOR_DIM
    english_only: Final = True

    token_model: Final = TOKEN_MODEL

    def __init__(self, *, model: MiniLM, pieces: WordPieces, projection: Projection, threads: int) -> None:
        self._model = model
        self._pieces = pieces
        self._projection = projection
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embed-question")
        self._batches = ThreadPoolExecutor(threads, thread_name_prefix="embed-batch")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector of 384 numbers per text, order kept; of each text the first 256 word pieces count."""
        return [embedded.vector for embedded in await self.embed_with_tokens(texts)]

    async def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        """As `embed`, with the vectors of each text's telling pieces, but for texts that are mostly Chinese."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        if len(texts) == 1:
            return await loop.run_in_executor(self._questions, self._embedded_texts, texts)
        cut = await loop.run_in_executor(self._batches, self._cut, texts)
        answers: list[Embedded | None] = [None] * len(texts)
        # Sorted by length, so that texts of one length meet and their attention is computed together.
        order = sorted(range(len(cut)), key=lambda index: len(cut[index].ids))
        parts = list(_parts(order, [len(one.ids) for one in cut]))
        jobs = [loop.run_in_executor(self._batches, self._embedded, [cut[index] for index in part]) for part in parts]
        for part, answer in zip(parts, await asyncio.gather(*jobs), strict=True):
            for index, embedded in zip(part, answer, strict=True):
                answers[index] = embedded
        return [answer for answer in answers if answer is not None]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """The pieces of a text that have vectors; none for one that is mostly Chinese."""
        return () if is_mostly_chinese(text) else self._pieces.pieces(text)

    def close(self) -> None:
        """Stop the threads; work not yet begun is dropped."""
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._batches.shutdown(wait=False, cancel_futures=True)

    def _embedded_texts(self, texts: Sequence[str]) -> list[Embedded]:
        return self._embedded(self._cut(texts))

    def _cut(self, texts: Sequence[str]) -> list["_Cut"]:
        cut = self._pieces.cut(texts)
        return [
            _Cut(ids=ids, kept=None if is_mostly_chinese(text) else self._pieces.telling(ids))
            for text, ids in zip(texts, cut, strict=True)
        ]

    def _embedded(self, cut: Sequence["_Cut"]) -> list[Embedded]:
        states = self._model.token_vectors([one.ids for one in cut])
        vectors = sentence_vectors(states).tolist()
        packed = iter(
            self._projection.packed([s[one.kept] for s, one in zip(states, cut, strict=True) if one.kept is not None])
        )
        return [
            Embedded(vector=vector, tokens=None if one.kept is None else next(packed))
            for vector, one in zip(vectors, cut, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A text in pieces; `kept` are the places of those whose vectors are kept, None when none shall be."""

    ids: list[int]
    kept: list[int] | None


async def load_local_embedder(
    *, cache_dir: Path, threads: int = 2, on_progress: Progress | None = None
) -> LocalEmbedder:
    """The local embedder, its weights fetched into `cache_dir` when they are not there.

    Raises:
        InstallError: the weights cannot be fetched or read; the service can still search by words.
    """
    folder = await minilm_folder(cache_dir=cache_dir, on_progress=on_progress)
    return await asyncio.to_thread(_load, folder, threads)


def _load(folder: Path, threads: int) -> LocalEmbedder:
    try:
        pieces = WordPieces(folder / "tokenizer.json")
        # One call more than the batches have threads, for the question.
        model = MiniLM(converted_folder(folder), calls=threads + 1)
    except InstallError:
        raise
    # Both libraries raise bare Exception or RuntimeError for a file that is missing or damaged.
    except Exception as error:
        raise InstallError(
            f"the embedding model in {folder} is incomplete ({error}); delete that folder, it will be fetched again"
        ) from error
    return LocalEmbedder(model=model, pieces=pieces, projection=load_projection(), threads=threads)


def _parts(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """The indexes of `order`, cut into parts of at most 32 texts and about 512 pieces."""
    part: list[int] = []
    pieces = 0
    for index in order:
        if part and (len(part) == BATCH_SIZE or pieces + lengths[index] > _PIECES_AT_ONCE):
            yield part
            part, pieces = [], 0
        part.append(index)
        pieces += lengths[index]
    if part:
        yield part
