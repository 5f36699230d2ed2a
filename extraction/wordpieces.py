"""Cuts text into the word pieces that MiniLM was trained on, and knows which of them tell something."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

from extraction.minilm import PIECES_MAX
from extraction.token_embedding import Piece

# The vocabulary begins with marks and single characters; from here on it is ordered by how often a piece is written.
_FIRST_BY_FREQUENCY: Final = 1996


class WordPieces:
    """The model's own vocabulary and rules; may be used by several threads at once."""

    def __init__(self, tokenizer_json: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer_json))
        # The file asks for 128 pieces and for padding to them; the model was published with 256, and we do not pad.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(PIECES_MAX)
        words = self._tokenizer.get_vocab(with_added_tokens=True)
        self._tells = [False] * len(words)
        for word, number in words.items():
            self._tells[number] = any(character.isalnum() for character in word) and not word.startswith("[")

    def cut(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text's pieces between the two marks of the model: at least 2, at most 256; the rest is lost."""
        # One by one: the library's batches run on a thread pool of their own, beside the threads we were given.
        return [list(self._tokenizer.encode(text).ids) for text in texts]

    def telling(self, ids: Sequence[int]) -> list[int]:
        """Which of the pieces hold a letter or a digit of the vocabulary: no marks, no punctuation, nothing unknown."""
        return [place for place, number in enumerate(ids) if self._tells[number]]

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """The telling pieces of a text, each with its word and its weight."""
        found = self._tokenizer.encode(text)
        spans = {place: found.token_to_word(place) for place in self.telling(found.ids)}
        return tuple(
            Piece(word=_part(text, found.word_to_chars(word)), weight=_weight(found.ids[place]))
            for place, word in spans.items()
            if word is not None
        )


def _part(text: str, span: tuple[int, int] | None) -> str:
    return text[slice(*span)].casefold() if span else ""


def _weight(number: int) -> float:
    """How rare a piece is in English, by its place in the vocabulary.

    Source: Zipf; the n-th word is written 1/n as often as the first, so its inverse document frequency grows like ln n.
    """
    return math.log(2 + max(number - _FIRST_BY_FREQUENCY, 0))
