"""Cuts text into the word pieces that MiniLM was trained on."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from extraction.minilm import PIECES_MAX


class WordPieces:
    """The model's own vocabulary and rules; may be used by several threads at once."""

    def __init__(self, tokenizer_json: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer_json))
        # The file asks for 128 pieces and for padding to them; the model was published with 256, and we do not pad.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(PIECES_MAX)

    def cut(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text's pieces between the two marks of the model: at least 2, at most 256; the rest is lost."""
        # One by one: the library's batches run on a thread pool of their own, beside the threads we were given.
        return [list(self._tokenizer.encode(text).ids) for text in texts]
