"""Cuts text into the word pieces that a BERT was trained on, and knows which of them tell something."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tokenizers import Encoding, Tokenizer

from extraction.token_embedding import Piece

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
        """Each text in pieces, with the prefix before it."""
        # One by one: the library's batches run on a thread pool of their own, beside the threads we were given.
        found = [self._tokenizer.encode(prefix + text[:_CHARS_MAX]) for text in texts]
        return [Cut(ids=list(one.ids), telling=self._telling(one, len(prefix))) for one in found]

    def pieces(self, text: str, *, prefix: str = "") -> tuple[Piece, ...]:
        """The telling pieces of a text, each with its word and its weight."""
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
        """How rare a piece is, by its place in the vocabulary; 1 for all of a vocabulary in another order.

        Source: Zipf; the n-th word is written 1/n as often as the first, so its inverse document frequency grows like
        ln n.
        """
        return 1.0 if self._by_frequency is None else math.log(2 + max(number - self._by_frequency, 0))


def _part(text: str, span: tuple[int, int] | None) -> str:
    return text[slice(*span)].casefold() if span else ""
