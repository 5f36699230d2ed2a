"""Score how well a text answers a question, and whether a newer text replaces it, by small cross-encoders.

A cross-encoder is a BERT model that reads the question and the texts together.

A vector of a text must serve all questions; a cross-encoder sees this one. "What do I drive?" and "picked up the Skoda
on Friday" share no word and have a low cosine, but the second answers the first. It costs a run of the model for each
text, so only the best candidates of a question are scored.

The models are those of the local embedder with a low-rank adapter of their weights, trained on questions about invented
everyday memories (`tests/benchmarks/answer_model.py`, docs/decisions/0007-answer-scores.md). Further ones judge
replacements (`tests/benchmarks/replacement_model.py`, docs/decisions/0008-replaced-texts.md): "first night in the new
flat in Lisbon" replaces "we live in Porto" for "Where do I live?", and "my sister moves to Lisbon" does not.

Source: Nogueira & Cho 2019 (passage re-ranking with BERT); Hu et al. 2022 (LoRA).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from extraction.embeddings.adapters import read_adapter
from extraction.embeddings.bert import Bert, Precision, gelu
from extraction.embeddings.local_models import LocalModel
from extraction.embeddings.splitters import splitter_of
from extraction.embeddings.token_vectors import product

# As in training.
QUESTION_PIECES_MAX: Final = 40
TEXT_PIECES_MAX: Final = 100
# Of each of two texts that are compared.
COMPARED_PIECES_MAX: Final = 80
# A longer text is scored in windows, of which the best counts.
WINDOWS_MAX: Final = 3
_CHARS_MAX: Final = 4_000
# Pairs of one run; more are slower because shorter ones are padded to the longest: eight pairs of LoCoMo take 66 ms of
# CPU time in runs of two, 79 of four, 82 of eight.
BATCH_SIZE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedPair:
    """A question and a text, or an older and a newer one, as word pieces.

    Attributes:
        at: index of the text, or of the two texts.
        ids: start token, question, separator, text, separator; or both texts, each with a separator after it.
        types: 1 for the text, or the newer one; 0 for all before it.
    """

    at: int
    ids: list[int]
    types: list[int]


class AnswerModel:
    """The cross-encoder of one language; thread-safe."""

    def __init__(self, model: LocalModel, folder: Path, *, calls: int, precision: Precision) -> None:
        """Load a converted model.

        Args:
            calls: concurrent calls, one thread each; others wait.
        """
        assert model.adapter_file is not None, "only adapted models score answers"
        head = read_adapter(model.adapter_file)
        self._hidden, self._hidden_bias = np.ascontiguousarray(head["head.hidden"]), head["head.hidden_bias"]
        self._out, self._bias = head["head.out"], float(head["head.bias"])
        self._splitter = splitter_of(model, folder)
        self._bert = Bert(folder, calls=calls, precision=precision)

    def encoded(self, question: str, items: Sequence[Sequence[str]]) -> list[EncodedPair]:
        """Tokenize a question with each text, in several pairs if it is long, or with an older and a newer one.

        Shortest first.
        """
        first = self._closed([self._splitter.start, *self._pieces(question)[:QUESTION_PIECES_MAX]])
        pairs = []
        for at, (text, *newer) in enumerate(items):
            pieces = self._pieces(text)
            if newer:
                before = self._closed(pieces[:COMPARED_PIECES_MAX])
                after = self._pieces(newer[0])[:COMPARED_PIECES_MAX]
                pairs.append(_pair(at, [*first, *before], self._closed(after)))
                continue
            for begin in range(0, min(max(len(pieces), 1), TEXT_PIECES_MAX * WINDOWS_MAX), TEXT_PIECES_MAX):
                pairs.append(_pair(at, first, self._closed(pieces[begin : begin + TEXT_PIECES_MAX])))
        return sorted(pairs, key=lambda pair: len(pair.ids))

    def _closed(self, pieces: list[int]) -> list[int]:
        return [*pieces, self._splitter.separator]

    def scores(self, pairs: Sequence[EncodedPair]) -> list[float]:
        """Return the log odds that each text answers its question, or replaces the older text, in order."""
        states = self._bert.token_vectors([one.ids for one in pairs], [one.types for one in pairs])
        # The first state and the mean of all, one after the other.
        pooled = np.stack([np.concatenate([one[0], one.mean(axis=0)]) for one in states])
        hidden = gelu(product(pooled, self._hidden) + self._hidden_bias)
        return [float(score) for score in hidden @ self._out + self._bias]

    def _pieces(self, text: str) -> list[int]:
        return self._splitter.cut(text[:_CHARS_MAX]).ids


def _pair(at: int, first: list[int], second: list[int]) -> EncodedPair:
    return EncodedPair(at=at, ids=[*first, *second], types=[0] * len(first) + [1] * len(second))
