"""The embedder without a key and without torch: a small model of English and one of Chinese, computed here."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from extraction.embeddings.ctranslate2_setup import ctranslate2
from extraction.embeddings.embedder import Embedded, Piece
from extraction.embeddings.local_models import CHINESE, ENGLISH, MODELS, LocalModel
from extraction.embeddings.model_download import Progress, fetched_models
from extraction.embeddings.token_vectors import FORMAT, pack, product
from extraction.text.chinese import is_chinese
from schema.errors import InstallError

# Cuts text into the word pieces that a BERT was trained on, and knows which of them tell something.

PIECES_MAX: Final = 256
# No text needs more characters for its first 256 pieces, unless most of it is blank; the library reads all it is given.
_CHARS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text in pieces.

    Attributes:
        ids: between the two marks of the model: at least 2, at most 256; the rest of the text is lost.
        telling: the places of those that hold a letter or a digit of the vocabulary: no marks, no punctuation, nothing
            unknown, nothing of the prefix.
    """

    ids: list[int]
    telling: list[int]


class WordPieces:
    """The model's own vocabulary and rules; may be used by several threads at once."""

    def __init__(self, tokenizer_json: Path, *, by_frequency: int | None) -> None:
        """Read the rules.

        Args:
            by_frequency: the vocabulary's place from which on it is ordered by how often a piece is written.
        """
        self._tokenizer = Tokenizer.from_file(str(tokenizer_json))
        # The file may ask for padding and for fewer pieces; texts are cut where all of our models still read.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(PIECES_MAX)
        self._by_frequency = by_frequency
        words = self._tokenizer.get_vocab(with_added_tokens=True)
        self._tells = [False] * len(words)
        for word, number in words.items():
            self._tells[number] = any(character.isalnum() for character in word) and not word.startswith("[")

    def cut(self, texts: Sequence[str], *, prefix: str = "") -> list[Cut]:
        """Return each text in pieces, with the prefix before it."""
        # One by one: the library's batches run on a thread pool of their own, beside the threads we were given.
        found = [self._tokenizer.encode(prefix + text[:_CHARS_MAX]) for text in texts]
        return [Cut(ids=list(one.ids), telling=self._telling(one, len(prefix))) for one in found]

    def pieces(self, text: str, *, prefix: str = "") -> tuple[Piece, ...]:
        """Return the telling pieces of a text, each with its word and its weight."""
        whole = prefix + text[:_CHARS_MAX]
        found = self._tokenizer.encode(whole)
        spans = {place: found.token_to_word(place) for place in self._telling(found, len(prefix))}
        return tuple(
            Piece(word=_part(whole, found.word_to_chars(word)), weight=self._weight(found.ids[place]))
            for place, word in spans.items()
            if word is not None
        )

    def _telling(self, found: Encoding, prefix_chars: int) -> list[int]:
        return [
            place
            for place, (number, (start, _)) in enumerate(zip(found.ids, found.offsets, strict=True))
            if self._tells[number] and start >= prefix_chars
        ]

    def _weight(self, number: int) -> float:
        """Return how rare a piece is, by its place in the vocabulary; 1 for all of a vocabulary in another order.

        Source: Zipf; the n-th word is written 1/n as often as the first, so its inverse document frequency grows like
        ln n.
        """
        return 1.0 if self._by_frequency is None else math.log(2 + max(number - self._by_frequency, 0))


def _part(text: str, span: tuple[int, int] | None) -> str:
    return text[slice(*span)].casefold() if span else ""


# From what a model computes to what is kept: directions that come with the package, one file for each model.

Floats = npt.NDArray[np.float32]

VECTOR_DIM: Final = 384
TOKEN_DIM: Final = 96
# Belongs to the files: others get another name, and what was stored before is made anew.
SPACE: Final = "c"


def space_file(model: LocalModel) -> Path:
    """Made by tests/benchmarks/vector_spaces.py, which also says from what."""
    return Path(__file__).with_name(f"{model.name}.{SPACE}.npz")


class VectorSpace:
    """Where a model's vectors are compared; may be used by several threads at once.

    What all vectors of a model have in common is taken off, so that unrelated texts stand at about a right angle
    whatever the model; then they are turned by directions in which what proves an answer stands near the question.
    Pieces of questions have directions of their own, and one more that says which of them tell much.
    Source: Mu & Viswanath 2018 (all but the top); the directions are learned, as the file's maker says.
    """

    def __init__(self, model: LocalModel) -> None:
        """Read the model's file."""
        with np.load(space_file(model)) as held:
            parts = {name: np.ascontiguousarray(held[name], np.float32) for name in held.files}
        self.token_model = f"{model.name}/{TOKEN_DIM}{SPACE}{FORMAT}"
        self._mean, self._directions = parts["mean"], parts["directions"]
        self._token_mean, self._token_directions = parts["token_mean"], parts["token_directions"]
        self._asked_token_directions, self._telling = parts["asked_token_directions"], parts["telling"][:, None]
        self._first_piece = model.first_piece

    def text_vectors(self, states: Sequence[Floats]) -> Floats:
        """Return one unit vector of 384 numbers for the token vectors of each text, order kept."""
        wholes = np.concatenate([whole_of(tokens, first_piece=self._first_piece) for tokens in states])
        return unit(product(unit(wholes) - self._mean, self._directions))

    def packed(self, texts: Sequence[Floats], wholes: Floats) -> list[bytes]:
        """Return the vectors of each text as they are stored: that of the whole, and rows of 96 numbers of its
        tokens.
        """
        parts = self._turned(texts, self._centred(texts), self._token_directions)
        return [pack(part, model=self.token_model, whole=whole) for part, whole in zip(parts, wholes, strict=True)]

    def packed_questions(self, texts: Sequence[Floats]) -> list[tuple[bytes, tuple[float, ...]]]:
        """Return the same of questions, turned by themselves, with how many times its rarity each of their pieces
        tells.
        """
        rows = self._centred(texts)
        told = np.exp(product(rows, self._telling))[:, 0]
        parts = self._turned(texts, rows, self._asked_token_directions)
        return [
            (pack(part, model=self.token_model), tuple(telling.tolist()))
            for part, telling in zip(parts, _split(told, texts), strict=True)
        ]

    def _centred(self, texts: Sequence[Floats]) -> Floats:
        rows = np.concatenate(texts) if texts else np.zeros((0, len(self._token_mean)), np.float32)
        return unit(rows) - self._token_mean

    def _turned(self, texts: Sequence[Floats], rows: Floats, directions: Floats) -> list[Floats]:
        # One product for all: a text has too few rows for a matrix to be fast.
        return _split(unit(product(rows, directions)), texts)


def _split(rows: Floats, texts: Sequence[Floats]) -> list[Floats]:
    """Return what belongs to each text."""
    return np.split(rows, np.cumsum([len(states) for states in texts])[:-1]) if texts else []


def whole_of(states: Floats, *, first_piece: bool) -> Floats:
    """Return one row for a text: the state of its first piece, or the mean of all."""
    return states[:1] if first_piece else states.mean(axis=0, keepdims=True)


def unit(rows: Floats) -> Floats:
    """Return each row at length 1."""
    units: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return units


# A small BERT on this machine by ctranslate2: word-piece ids in, vectors of tokens out.

FloatArray = npt.NDArray[np.float32]


class Bert:
    """The model with its weights in eight bits; calls share nothing, so threads may call it at the same time.

    Source: Devlin et al. 2019. What eight bits cost: docs/decisions/0002-local-embedder.md.
    """

    def __init__(self, folder: Path, *, calls: int) -> None:
        """Load what `converted_folder` made.

        Args:
            calls: how many calls may run beside each other, one thread each; further ones wait.
        """
        self._encoder = ctranslate2.Encoder(
            str(folder), device="cpu", compute_type="int8", inter_threads=calls, intra_threads=1
        )

    def token_vectors(self, sequences: Sequence[Sequence[int]]) -> list[FloatArray]:
        """Return the last hidden states of each sequence: one array (pieces, hidden size) each, order kept.

        Shorter ones are filled up to the longest; give them sorted by length.
        """
        states = np.asarray(self._encoder.forward_batch([list(ids) for ids in sequences]).last_hidden_state)
        return [states[row, : len(ids)] for row, ids in enumerate(sequences)]


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
        """Return one unit vector of 384 numbers per text, order kept; of each text the first 256 word pieces count."""
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
        """Return the pieces of a question, one for each of its token vectors."""
        return self._language(text).pieces(text)

    def close(self) -> None:
        """Stop the threads; work not yet begun is dropped."""
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._batches.shutdown(wait=False, cancel_futures=True)

    def _language(self, text: str) -> "OneLanguage":
        return self._chinese if is_chinese(text) else self._english

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
        """Return texts in pieces, as questions or as what was said."""
        return self._pieces.cut(texts, prefix=self._model.asked if asked else self._model.said)

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """Return the telling pieces of a question."""
        return self._pieces.pieces(text, prefix=self._model.asked)

    def embedded(self, cut: Sequence[Cut], asked: bool) -> list[Embedded]:
        """Return the vectors of a few texts, in order; fast when they are of one length."""
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
    """Return the local embedder, its models fetched into `cache_dir` when they are not there.

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
