"""Split text into the pieces of a unigram vocabulary, for the multilingual model.

Of all ways to write a word as pieces, the most likely counts. The library `tokenizers` gives the same pieces, but takes
280 MB for this vocabulary, and 48 MB suffice here.
Source: Kudo 2018 (subword regularization); SentencePiece's `▁` for a space.
"""

import json
import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

SPACE: Final = "▁"
START, PADDING, END, UNKNOWN, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
_SPECIAL: Final = (START, PADDING, END, UNKNOWN, MASK)
# How much less likely an unknown character is than the rarest piece.
_UNKNOWN_PENALTY: Final = 10.0
_WORDS_KEPT: Final = 16_384


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as pieces.

    Attributes:
        ids: numbers of the pieces.
        spans: the characters of the text that each stands for, without spaces.
    """

    ids: list[int]
    spans: list[tuple[int, int]]


class Unigram:
    """A unigram tokenizer; thread-safe."""

    def __init__(self, file: Path) -> None:
        """Read the file that `write_unigram` wrote."""
        read = json.loads(file.read_text("utf-8"))
        self._ids: dict[str, int] = {piece: number for number, piece in enumerate(read["pieces"])}
        self._scores = array("d", read["scores"])
        self._characters: dict[str, str] = read["characters"]
        self.start, self.separator, self.unknown = self._ids[START], self._ids[END], self._ids[UNKNOWN]
        # Pieces that stand for no known characters.
        self.without_text = frozenset((self.unknown,))
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        # The longest piece that begins with each character.
        self._longest: dict[str, int] = {}
        for piece in self._ids:
            self._longest[piece[0]] = max(self._longest.get(piece[0], 1), len(piece))
        for name in _SPECIAL:
            del self._ids[name]
        self._pieces_of = lru_cache(_WORDS_KEPT)(self._split)

    def cut(self, text: str) -> Pieces:
        """Return the pieces of a text in order, without those of its start and end."""
        ids, spans = list[int](), list[tuple[int, int]]()
        for word, places in self._words(text):
            at = 0
            for number, length in self._pieces_of(word):
                first, last = max(at, 1), at + length
                ids.append(number)
                spans.append((places[first], places[last - 1] + 1) if first < last else (places[first],) * 2)
                at = last
        return Pieces(ids, spans)

    def _words(self, text: str) -> Iterator[tuple[str, list[int]]]:
        """Yield the words of a text, each with a space before it, and the position of each character in the text.

        The position of the space is that of the character after it.
        """
        word, positions = SPACE, list[int]()
        for position, character in enumerate(text):
            for normal in self._characters.get(character, character):
                if normal != " ":
                    word += normal
                    positions.append(position)
                elif positions:
                    yield word, [positions[0], *positions]
                    word, positions = SPACE, []
        if positions:
            yield word, [positions[0], *positions]

    def _split(self, word: str) -> tuple[tuple[int, int], ...]:
        """Return the number and the length of each piece of the most likely division of a word."""
        size = len(word)
        best = [0.0] + [-math.inf] * size
        # The piece that ends at each position in the best division up to there.
        ending = [(self.unknown, 1)] * (size + 1)
        for begin, character in enumerate(word):
            here = best[begin]
            for end in range(begin + 1, min(begin + self._longest.get(character, 0), size) + 1):
                number = self._ids.get(word[begin:end])
                if number is not None and here + self._scores[number] > best[end]:
                    best[end], ending[end] = here + self._scores[number], (number, end - begin)
            if here + self._unknown_score > best[begin + 1]:
                best[begin + 1], ending[begin + 1] = here + self._unknown_score, (self.unknown, 1)
        pieces, at = list[tuple[int, int]](), size
        while at > 0:
            number, length = ending[at]
            at -= length
            # Unknown characters in a row are one piece.
            if pieces and number == pieces[-1][0] == self.unknown:
                length += pieces.pop()[1]
            pieces.append((number, length))
        return tuple(reversed(pieces))


def write_unigram(file: Path, pieces: Sequence[str], scores: Sequence[float], characters: Mapping[str, str]) -> None:
    """Write the file of a tokenizer.

    Args:
        pieces: the vocabulary, with the special pieces, in the order of the rows of the word embeddings.
        scores: log probability of each piece.
        characters: normal form of each character that has another than itself.
    """
    read = {"pieces": pieces, "scores": scores, "characters": characters}
    file.write_text(json.dumps(read, ensure_ascii=False, separators=(",", ":")), "utf-8")
