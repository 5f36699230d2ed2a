"""The embedder without a key and without torch: a small model of English and one of Chinese, computed here."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from extraction.bert import Bert
from extraction.chinese_text import is_mostly_chinese
from extraction.local_models import CHINESE, ENGLISH, MODELS, LocalModel
from extraction.model_fetch import Progress, fetched_models
from extraction.token_embedding import Embedded, Piece
from extraction.vector_space import SPACE, VECTOR_DIM, VectorSpace
from extraction.wordpieces import Cut, WordPieces
from schema.errors import InstallError

BATCH_SIZE: Final = 32
# More pieces than this at once leave the processor's cache; fewer make the matrices too small to be fast.
_PIECES_AT_ONCE: Final = 512


class LocalEmbedder:
    """Two models on this machine's processor: one for texts that are mostly Chinese, one for all others.

    Vectors of the two are of one length and meet at about a right angle: a question finds what was said in its own
    language. A single text (a question) has a thread of its own, so that it never queues behind batches of messages.
    """

    name: Final = f"{ENGLISH.name} + {CHINESE.name} / {VECTOR_DIM}{SPACE}"
    dim: Final = VECTOR_DIM

    def __init__(self, *, english: "OneLanguage", chinese: "OneLanguage", threads: int) -> None:
        self._english = english
        self._chinese = chinese
        self.token_model: Final = f"{english.token_model} + {chinese.token_model}"
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embed-question")
        self._batches = ThreadPoolExecutor(threads, thread_name_prefix="embed-batch")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector of 384 numbers per text, order kept; of each text the first 256 word pieces count."""
        return [embedded.vector for embedded in await self.embed_with_tokens(texts)]

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """As `embed`, with the vectors of each text's telling pieces."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        if len(texts) == 1:
            return await loop.run_in_executor(self._questions, self._alone, texts[0], asked)
        answers: list[Embedded | None] = [None] * len(texts)
        languages = [self._language(text) for text in texts]
        for language in (self._english, self._chinese):
            mine = [index for index, own in enumerate(languages) if own is language]
            cut = await loop.run_in_executor(self._batches, language.cut, [texts[index] for index in mine], asked)
            # Sorted by length, so that texts of one length meet and their attention is computed together.
            order = sorted(range(len(cut)), key=lambda place: len(cut[place].ids))
            parts = list(_parts(order, [len(one.ids) for one in cut]))
            jobs = [
                loop.run_in_executor(self._batches, language.embedded, [cut[place] for place in part], asked)
                for part in parts
            ]
            for part, answer in zip(parts, await asyncio.gather(*jobs), strict=True):
                for place, embedded in zip(part, answer, strict=True):
                    answers[mine[place]] = embedded
        return [answer for answer in answers if answer is not None]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """The pieces of a question, one for each of its token vectors."""
        return self._language(text).pieces(text)

    def close(self) -> None:
        """Stop the threads; work not yet begun is dropped."""
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._batches.shutdown(wait=False, cancel_futures=True)

    def _language(self, text: str) -> "OneLanguage":
        return self._chinese if is_mostly_chinese(text) else self._english

    def _alone(self, text: str, asked: bool) -> list[Embedded]:
        language = self._language(text)
        return language.embedded(language.cut([text], asked), asked)


class OneLanguage:
    """A model with its vocabulary and its space."""

    def __init__(self, model: LocalModel, folder: Path, *, calls: int) -> None:
        """Read what was fetched.

        Args:
            calls: how many may compute at once.
        """
        self._model = model
        self._bert = Bert(folder, calls=calls)
        self._pieces = WordPieces(folder / "tokenizer.json", by_frequency=model.by_frequency)
        self._space = VectorSpace(model)
        self.token_model: Final = self._space.token_model

    def cut(self, texts: Sequence[str], asked: bool) -> list[Cut]:
        """Texts in pieces, as questions or as what was said."""
        return self._pieces.cut(texts, prefix=self._model.asked if asked else self._model.said)

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """The telling pieces of a question."""
        return self._pieces.pieces(text, prefix=self._model.asked)

    def embedded(self, cut: Sequence[Cut], asked: bool) -> list[Embedded]:
        """The vectors of a few texts, in order; fast when they are of one length."""
        states = self._bert.token_vectors([one.ids for one in cut])
        wholes = self._space.text_vectors(states)
        pieces = [own[one.telling] for own, one in zip(states, cut, strict=True)]
        packed = (
            self._space.packed_questions(pieces)
            if asked
            else [(one, None) for one in self._space.packed(pieces, wholes)]
        )
        return [
            Embedded(vector=vector, tokens=tokens, token_model=self.token_model, telling=telling)
            for vector, (tokens, telling) in zip(wholes.tolist(), packed, strict=True)
        ]


async def load_local_embedder(
    *, cache_dir: Path, threads: int = 2, on_progress: Progress | None = None
) -> LocalEmbedder:
    """The local embedder, its models fetched into `cache_dir` when they are not there.

    Raises:
        InstallError: the models cannot be fetched or read; the service can still search by words.
    """
    folders = await fetched_models(MODELS, cache_dir=cache_dir, on_progress=on_progress)
    return await asyncio.to_thread(_load, folders, threads)


def _load(folders: Sequence[Path], threads: int) -> LocalEmbedder:
    languages = []
    for model, folder in zip(MODELS, folders, strict=True):
        try:
            # One call more than the batches have threads, for the question.
            languages.append(OneLanguage(model, folder, calls=threads + 1))
        # Both libraries raise bare Exception or RuntimeError for a file that is missing or damaged.
        except Exception as error:
            raise InstallError(
                f"the embedding model in {folder} is incomplete ({error}); delete that folder, it will be fetched again"
            ) from error
    english, chinese = languages
    return LocalEmbedder(english=english, chinese=chinese, threads=threads)


def _parts(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of `order` in parts of one length, at most 32 texts and about 512 pieces each.

    A text that is filled up to a longer one gets another vector from the eight-bit model (cosine down to .995 between a
    text alone and in a batch). With one length for each part the vectors are the same.
    """
    part: list[int] = []
    for index in order:
        pieces = lengths[index]
        full = len(part) == BATCH_SIZE or (len(part) + 1) * pieces > _PIECES_AT_ONCE
        if part and (full or lengths[part[0]] != pieces):
            yield part
            part = []
        part.append(index)
    if part:
        yield part
