"""The local embedder: small English and Chinese BERT models, run by ctranslate2 without torch.

The same models, adapted, score how well texts answer a question (`answer_scores`).
"""

import asyncio
import logging
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np

from extraction.embeddings.answer_scores import BATCH_SIZE as PAIRS_AT_ONCE
from extraction.embeddings.answer_scores import AnswerModel, EncodedPair
from extraction.embeddings.bert import Bert, Precision, equal_length_batches
from extraction.embeddings.embedder import Embedded, Piece
from extraction.embeddings.local_models import (
    CHINESE_ANSWERS,
    ENGLISH_ANSWERS,
    MODELS,
    MULTILINGUAL_ANSWERS,
    MULTILINGUAL_REPLACEMENTS,
    REPLACEMENTS,
    SCORING_MODELS,
    LazyModel,
    LocalModel,
    complete_folder,
    wanted_models,
)
from extraction.embeddings.model_download import Progress, fetched_models, is_verified, model_folder
from extraction.embeddings.splitters import splitter_of
from extraction.embeddings.token_vectors import FORMAT, Floats, pack, product
from extraction.text.chinese import HAN, is_chinese
from extraction.text.glosses import english_gloss
from extraction.text.languages import is_english, is_english_or_chinese
from schema.errors import InstallError

_log = logging.getLogger("mnemoscene.models")

# Tokenizer

PIECES_MAX: Final = 256
# Longer texts are cut, because the library tokenizes all of its input; enough for 256 pieces of any ordinary text.
_CHARS_MAX: Final = 10_000
_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile(f"[{HAN}\u3040-\u30ff\u0e00-\u0eff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedText:
    """A text as word pieces.

    Attributes:
        ids: 2 to 256, with the model's start and end tokens; longer texts are truncated.
        content_positions: positions of pieces with letters or digits, without special tokens, unknown pieces and
            the prefix.
    """

    ids: list[int]
    content_positions: list[int]


class TextPieces:
    """The tokenizer of one model, which it shares with the adapted models; thread-safe."""

    def __init__(self, model: LocalModel, folder: Path) -> None:
        self._splitter = splitter_of(model, folder)
        self._by_frequency = model.by_frequency

    def cut(self, texts: Sequence[str], *, prefix: str = "") -> list[EncodedText]:
        """Tokenize texts, each with the prefix in front."""
        # One by one, because the library would run a batch on its own thread pool.
        return [self._encoded(prefix + text[:_CHARS_MAX], len(prefix))[0] for text in texts]

    def pieces(self, text: str, *, prefix: str = "") -> tuple[Piece, ...]:
        """Return the pieces at `EncodedText.content_positions`, with their words and weights."""
        whole = prefix + text[:_CHARS_MAX]
        encoded, spans = self._encoded(whole, len(prefix))
        words = [match.span() for match in _WORD.finditer(whole)]
        starts = [start for start, _ in words]
        found = []
        for position in encoded.content_positions:
            start, end = spans[position]
            word = words[max(bisect_right(starts, end - 1) - 1, 0)]
            # Scripts without spaces have words of one piece.
            span = (start, end) if _UNSPACED.search(whole, start, end) else word
            weight = zipf_weight(encoded.ids[position], self._by_frequency)
            found.append(Piece(word=whole[slice(*span)].casefold(), weight=weight))
        return tuple(found)

    def _encoded(self, whole: str, prefix_chars: int) -> tuple[EncodedText, list[tuple[int, int]]]:
        """Return a text as pieces, and the span of each; that of special tokens is empty."""
        cut = self._splitter.cut(whole)
        ids = [self._splitter.start, *cut.ids[: PIECES_MAX - 2], self._splitter.separator]
        spans = [(0, 0), *cut.spans[: PIECES_MAX - 2], (0, 0)]
        content = [
            position
            for position, (start, end) in enumerate(spans)
            if start >= prefix_chars
            and ids[position] not in self._splitter.without_text
            and any(map(str.isalnum, whole[start:end]))
        ]
        return EncodedText(ids=ids, content_positions=content), spans


def zipf_weight(number: int, by_frequency: int | None) -> float:
    """Return the weight of a piece by its rank in the vocabulary; 1 if that is not ordered by frequency.

    Source: Zipf's law: the n-th word is 1/n as frequent as the first, so its IDF grows as ln n.
    """
    return 1.0 if by_frequency is None else math.log(2 + max(number - by_frequency, 0))


# Projection of the model output; the package contains one file per model

VECTOR_DIM: Final = 384
TOKEN_DIM: Final = 96


def space_file(model: LocalModel) -> Path:
    """Return the file of a model's vector space, which tests/benchmarks/vector_spaces.py makes."""
    return Path(__file__).with_name(f"{model.name}.{model.space}.npz")


class VectorSpace:
    """Project a model's vectors into the space in which they are compared; thread-safe.

    The common component of all vectors is removed, so that unrelated texts are about orthogonal for any model; then a
    learned projection moves evidence closer to its question. Pieces of questions have their own projection, and a
    direction that predicts their weight.
    Source: Mu & Viswanath 2018 (all but the top); tests/benchmarks/vector_spaces.py learns the projections.
    """

    def __init__(self, model: LocalModel) -> None:
        """Read the model's file."""
        with np.load(space_file(model)) as archive:
            parts = {name: np.ascontiguousarray(archive[name], np.float32) for name in archive.files}
        self.token_model = f"{model.name}/{TOKEN_DIM}{model.space}{FORMAT}"
        self._mean, self._directions = parts["mean"], parts["directions"]
        self._token_mean, self._token_directions = parts["token_mean"], parts["token_directions"]
        self._asked_token_directions, self._weight_direction = (
            parts["asked_token_directions"],
            parts["telling"][:, None],
        )
        self._in_english = parts.get("in_english", np.eye(VECTOR_DIM, dtype=np.float32))
        self._first_piece = model.first_piece

    def text_vectors(self, states: Sequence[Floats]) -> Floats:
        """Return one unit vector of 384 numbers per text from its token vectors, in order."""
        wholes = np.concatenate([whole_of(tokens, first_piece=self._first_piece) for tokens in states])
        return unit(product(unit(wholes) - self._mean, self._directions))

    def in_english(self, vector: Floats) -> list[float]:
        """Return a unit vector of this space, mapped into that of the English model."""
        mapped: list[float] = unit((vector @ self._in_english)[None])[0].tolist()
        return mapped

    def packed(self, texts: Sequence[Floats], wholes: Floats) -> list[bytes]:
        """Return the packed vectors of each text: its whole-text vector, and 96 numbers for each token."""
        parts = self._projected(texts, self._centred(texts), self._token_directions)
        return [pack(part, model=self.token_model, whole=whole) for part, whole in zip(parts, wholes, strict=True)]

    def packed_questions(self, texts: Sequence[Floats]) -> list[tuple[bytes, tuple[float, ...]]]:
        """Return the packed token vectors of questions, with the weight factor of each piece."""
        rows = self._centred(texts)
        weight_factors = np.exp(product(rows, self._weight_direction))[:, 0]
        parts = self._projected(texts, rows, self._asked_token_directions)
        return [
            (pack(part, model=self.token_model), tuple(factors.tolist()))
            for part, factors in zip(parts, _split(weight_factors, texts), strict=True)
        ]

    def _centred(self, texts: Sequence[Floats]) -> Floats:
        rows = np.concatenate(texts) if texts else np.zeros((0, len(self._token_mean)), np.float32)
        return unit(rows) - self._token_mean

    def _projected(self, texts: Sequence[Floats], rows: Floats, directions: Floats) -> list[Floats]:
        # One product for all texts, because a single text has too few rows for a fast one.
        return _split(unit(product(rows, directions)), texts)


def _split(rows: Floats, texts: Sequence[Floats]) -> list[Floats]:
    """Split an array of token vectors into one array per text, each with as many rows as the text has tokens."""
    return np.split(rows, np.cumsum([len(states) for states in texts])[:-1]) if texts else []


def whole_of(states: Floats, *, first_piece: bool) -> Floats:
    """Pool the token vectors of a text: return that of its first piece, or the mean of all."""
    return states[:1] if first_piece else states.mean(axis=0, keepdims=True)


def unit(rows: Floats) -> Floats:
    """Normalize each row."""
    units: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return units


class LocalEmbedder:
    """Embed with two models on the CPU: one for English texts, one for those of all other languages.

    Their vectors have the same dimension and are about orthogonal to each other, so a single question has a second
    vector for texts in the other language (`Embedded.cross_language_vector`). Single texts (questions) have a thread
    of their own, so that they never wait for batches of messages.
    """

    dim: Final = VECTOR_DIM

    def __init__(
        self,
        *,
        english: "LanguageEmbedder",
        multilingual: "LanguageEmbedder",
        threads: int,
        precision: Precision = "int8",
        scorers: Mapping[LocalModel, LazyModel[AnswerModel]],
    ) -> None:
        """Embed and score with these models.

        Args:
            scorers: those of `SCORING_MODELS`, or none.
        """
        self._english = english
        self._multilingual = multilingual
        self._scorers = scorers
        # Vectors of different names are never compared, so those of the other precision are embedded again.
        suffix = "" if precision == "int8" else f" {precision}"
        self.name: Final = " + ".join(f"{model.name}.{model.space}" for model in MODELS) + f" / {VECTOR_DIM}{suffix}"
        self.token_model: Final = f"{english.token_model} + {multilingual.token_model}"
        self._threads = threads
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embed-question")
        self._batches = ThreadPoolExecutor(threads, thread_name_prefix="embed-batch")
        self._answers = ThreadPoolExecutor(threads, thread_name_prefix="score-answers")

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return one unit vector of 384 numbers per text, in order, from its first 256 word pieces."""
        return [embedded.vector for embedded in await self.embed_with_tokens(texts, asked=asked)]

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Embed texts with token vectors."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        if len(texts) == 1:
            return await loop.run_in_executor(self._questions, self._embed_one, texts[0], asked)
        answers: list[Embedded | None] = [None] * len(texts)
        languages = [self._language(text) for text in texts]
        for language in (self._english, self._multilingual):
            mine = [index for index, own in enumerate(languages) if own is language]
            cut = await loop.run_in_executor(self._batches, language.cut, [texts[index] for index in mine], asked)
            # Sort by length, so that batches have texts of equal length.
            order = sorted(range(len(cut)), key=lambda place: len(cut[place].ids))
            parts = list(equal_length_batches(order, [len(one.ids) for one in cut]))
            jobs = [
                loop.run_in_executor(self._batches, language.embedded, [cut[place] for place in part], asked)
                for part in parts
            ]
            for part, answer in zip(parts, await asyncio.gather(*jobs), strict=True):
                for place, embedded in zip(part, answer, strict=True):
                    answers[mine[place]] = embedded
        return [answer for answer in answers if answer is not None]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the pieces of a question, one per token vector."""
        return self._language(text).pieces(text)

    def close(self) -> None:
        """Stop the threads; drop pending work."""
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._batches.shutdown(wait=False, cancel_futures=True)
        self._answers.shutdown(wait=False, cancel_futures=True)

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Return the log odds that each text answers the question, in order.

        All are None without models. The English model reads English and Chinese, with English glosses of Chinese
        words. Where question and text are Chinese, the Chinese model reads them too, and the mean counts: on 1,827
        pairs of three sets, the area under the curve is .82 to .83 by the Chinese model, .81 to .89 by the English one,
        and .85 to .90 by the mean. The multilingual model reads a pair in which another language occurs. Of a text of
        more than 100 word pieces, the best of the first three windows counts.

        Raises:
            InstallError: a model cannot be loaded.
        """
        return await self._log_odds(
            question, [(text,) for text in texts], ENGLISH_ANSWERS, MULTILINGUAL_ANSWERS, chinese=CHINESE_ANSWERS
        )

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the log odds that the newer of two texts replaces the older as an answer to the question, in order.

        An English model reads English and Chinese, with English glosses of Chinese words, the multilingual one what has
        another language in it. All are None without models.

        Args:
            changes: the older and the newer text; the first 80 word pieces of each count.

        Raises:
            InstallError: a model cannot be loaded.
        """
        return await self._log_odds(question, changes, REPLACEMENTS, MULTILINGUAL_REPLACEMENTS)

    async def _log_odds(
        self,
        question: str,
        items: Sequence[Sequence[str]],
        english: LocalModel,
        multilingual: LocalModel,
        *,
        chinese: LocalModel | None = None,
    ) -> list[float | None]:
        """Return the log odds of texts, or of an older and a newer one each, by the models of their languages."""
        if not self._scorers:
            return [None] * len(items)
        readable = is_english_or_chinese(question)
        by_gloss = [at for at, texts in enumerate(items) if readable and all(map(is_english_or_chinese, texts))]
        others = [at for at in range(len(items)) if at not in by_gloss]
        in_chinese = [at for at in by_gloss if is_chinese(items[at][0])] if chinese and is_chinese(question) else []

        def glossed(model: AnswerModel) -> list[EncodedPair]:
            return model.encoded(english_gloss(question), [[*map(english_gloss, items[at])] for at in by_gloss])

        def plain(indexes: Sequence[int]) -> Callable[[AnswerModel], list[EncodedPair]]:
            return lambda model: model.encoded(question, [items[at] for at in indexes])

        found = await asyncio.gather(
            self._scores(english, len(by_gloss), glossed),
            self._scores(chinese or english, len(in_chinese), plain(in_chinese)),
            self._scores(multilingual, len(others), plain(others)),
        )
        odds: list[list[float]] = [[] for _ in items]
        for at, score in zip((*by_gloss, *in_chinese, *others), chain.from_iterable(found), strict=True):
            odds[at].append(score)
        return [fmean(own) for own in odds]

    async def _scores(
        self, name: LocalModel, count: int, encoded: Callable[[AnswerModel], list[EncodedPair]]
    ) -> list[float]:
        """Return the log odds by one model of each text, or pair of texts, in order.

        Args:
            count: number of them.
            encoded: returns the tokenized pairs.
        """
        if not count:
            return []
        loop = asyncio.get_running_loop()
        model = await loop.run_in_executor(self._answers, self._scorers[name].get)
        pairs = await loop.run_in_executor(self._answers, encoded, model)
        # A few pairs are shared between the threads, too.
        size = min(math.ceil(len(pairs) / self._threads), PAIRS_AT_ONCE)
        batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        found = await asyncio.gather(*(loop.run_in_executor(self._answers, model.scores, batch) for batch in batches))
        scores = [-math.inf] * count
        for pair, odds in zip(pairs, chain.from_iterable(found), strict=True):
            scores[pair.at] = max(scores[pair.at], odds)
        return scores

    def _language(self, text: str) -> "LanguageEmbedder":
        return self._english if is_english(text) else self._multilingual

    def _embed_one(self, text: str, asked: bool) -> list[Embedded]:
        language = self._language(text)
        found = language.embedded(language.cut([text], asked), asked)
        if not asked:
            return found
        if language is self._multilingual and not is_chinese(text):
            return [replace(one, cross_language_vector=language.in_english(one.vector)) for one in found]
        other, read = (self._multilingual, text) if language is self._english else (self._english, english_gloss(text))
        (across,) = other.embedded(other.cut([read], asked), asked)
        across = replace(across, pieces=other.pieces(read))
        return [replace(one, cross_language_vector=across.vector, across=across) for one in found]


class LanguageEmbedder:
    """The model of one language, with its tokenizer and vector space."""

    def __init__(self, model: LocalModel, folder: Path, *, calls: int, precision: Precision) -> None:
        """Load a downloaded model.

        Args:
            calls: number of concurrent calls.
        """
        self._model = model
        self._bert = Bert(folder, calls=calls, precision=precision)
        self._pieces = TextPieces(model, folder)
        self._space = VectorSpace(model)
        self.token_model: Final = self._space.token_model

    def cut(self, texts: Sequence[str], asked: bool) -> list[EncodedText]:
        """Tokenize texts as questions or as messages."""
        return self._pieces.cut(texts, prefix=self._model.asked if asked else self._model.said)

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the weighted pieces of a question."""
        return self._pieces.pieces(text, prefix=self._model.asked)

    def in_english(self, vector: Sequence[float]) -> list[float]:
        """Return the vector that the English model would about give a question, of one of another language."""
        return self._space.in_english(np.array(vector, np.float32))

    def embedded(self, cut: Sequence[EncodedText], asked: bool) -> list[Embedded]:
        """Return the vectors of a batch, in order; fast if all texts have the same length."""
        states = self._bert.token_vectors([one.ids for one in cut])
        wholes = self._space.text_vectors(states)
        pieces = [own[one.content_positions] for own, one in zip(states, cut, strict=True)]
        packed = (
            self._space.packed_questions(pieces)
            if asked
            else [(one, None) for one in self._space.packed(pieces, wholes)]
        )
        return [
            Embedded(vector=vector, tokens=tokens, token_model=self.token_model, weight_factors=factors)
            for vector, (tokens, factors) in zip(wholes.tolist(), packed, strict=True)
        ]


async def load_local_embedder(
    *,
    cache_dir: Path,
    threads: int = 2,
    precision: Precision = "int8",
    with_answers: bool = True,
    with_tags: bool = False,
    on_progress: Progress | None = None,
) -> LocalEmbedder:
    """Return the local embedder, downloading its models into `cache_dir` if needed.

    Args:
        precision: number format of its arithmetic.
        with_answers: load the models that score answers, too.
        with_tags: also download the models of `extraction.tagging`, which come from the same published files.

    Raises:
        InstallError: the models of vectors cannot be downloaded or read; recall by words still works. Without those of
            scores and tags the embedder works.
    """

    async def load(models: Sequence[LocalModel]) -> LocalEmbedder:
        folders = await fetched_models(models, cache_dir=cache_dir, on_progress=on_progress)
        return await asyncio.to_thread(_load, dict(zip(models, folders, strict=True)), threads, precision)

    for models in (
        wanted_models(answer_scores=with_answers, fact_tags=with_tags),
        wanted_models(answer_scores=with_answers, fact_tags=False),
    ):
        try:
            return await load(models)
        except InstallError as error:
            if not await asyncio.to_thread(
                lambda: all(is_verified(model_folder(model, cache_dir)) for model in MODELS)
            ):
                raise
            _log.warning("the embedder is loaded without other models: %s", error.message)
    return await load(MODELS)


def _load(folder_of: Mapping[LocalModel, Path], threads: int, precision: Precision) -> LocalEmbedder:
    def scorer(model: LocalModel) -> LazyModel[AnswerModel]:
        return LazyModel(folder_of[model], partial(AnswerModel, model, calls=threads, precision=precision))

    languages = []
    for model in MODELS:
        folder = folder_of[model]
        with complete_folder(folder):
            # One call for each thread of batches, and one for a question.
            languages.append(LanguageEmbedder(model, folder, calls=threads + 1, precision=precision))
    english, multilingual = languages
    return LocalEmbedder(
        english=english,
        multilingual=multilingual,
        scorers={model: scorer(model) for model in SCORING_MODELS if model in folder_of},
        threads=threads,
        precision=precision,
    )
