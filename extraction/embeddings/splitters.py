"""Split text into the pieces of a model's vocabulary, for the adapted models."""

from pathlib import Path

from tokenizers import Tokenizer

from extraction.embeddings.local_models import TOKENIZER, LocalModel
from extraction.embeddings.unigram import Pieces, Unigram


class WordSplitter:
    """The splitter of a BERT vocabulary, with the attributes and methods of `Unigram`; thread-safe."""

    def __init__(self, file: Path) -> None:
        """Read the tokenizer's file."""
        self._tokenizer = Tokenizer.from_file(str(file))
        # The file may configure padding and a limit.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        words = self._tokenizer.get_vocab(with_added_tokens=True)
        self.start, self.separator, self.unknown = (words[name] for name in ("[CLS]", "[SEP]", "[UNK]"))

    def cut(self, text: str) -> Pieces:
        """Return the pieces of a text in order, without those of its start and end."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return Pieces(list(found.ids), list(found.offsets))


def splitter_of(model: LocalModel, folder: Path) -> WordSplitter | Unigram:
    """Load the splitter of a converted model."""
    kind = WordSplitter if model.packed is None else Unigram
    return kind(folder / TOKENIZER)
