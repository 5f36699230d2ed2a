"""Split text into the pieces of a model's vocabulary, for all local models."""

from hashlib import sha256
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from tokenizers import Tokenizer

from extraction.embeddings.local_models import TOKENIZER, LocalModel
from extraction.embeddings.unigram import Pieces, Unigram


class WordSplitter:
    """The splitter of a BERT vocabulary, with the public attributes of `Unigram`; thread-safe."""

    def __init__(self, file: Path) -> None:
        """Read the tokenizer's file."""
        self._tokenizer = Tokenizer.from_file(str(file))
        # The file may configure padding and a limit.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        words = self._tokenizer.get_vocab(with_added_tokens=True)
        self.start, self.separator = words["[CLS]"], words["[SEP]"]
        self.without_text = frozenset(number for word, number in words.items() if word.startswith("["))

    def cut(self, text: str) -> Pieces:
        """Return the pieces of a text in order, without those of its start and end."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return Pieces(list(found.ids), list(found.offsets))


# Vocabularies in use, by the hash of their file.
_SHARED: Final[WeakValueDictionary[bytes, WordSplitter | Unigram]] = WeakValueDictionary()


def splitter_of(model: LocalModel, folder: Path) -> WordSplitter | Unigram:
    """Load the splitter of a converted model; adapted copies of a model share theirs, of 16 or 48 MB."""
    file = folder / TOKENIZER
    digest = sha256(file.read_bytes()).digest()
    shared = _SHARED.get(digest) or (WordSplitter if model.packed is None else Unigram)(file)
    return _SHARED.setdefault(digest, shared)
