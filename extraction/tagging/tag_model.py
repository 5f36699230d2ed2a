"""Find the facts in single messages with a small model that tags spans.

The model is that of the local embedder with a low-rank adapter of its weights and a few small layers on its token
states, trained on messages with their facts by authors who did not see the product (`extraction/training`,
docs/decisions/0009-fact-tags.md). It gives

- for each span and kind of fact, the log odds that the span is the object of such a fact;
- for each object found, the span of its subject, which is the first token for the speaker;
- whether the fact has ended;
- the multilingual model also the span of the word for the relation, and whether the fact holds for a while only.

Source: Su et al. 2022 (Global Pointer: spans of any kind as pairs of a start and an end); Hu et al. 2022 (LoRA).
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
from extraction.embeddings.token_vectors import Floats, product
from extraction.reader import READ_CHARS_MAX
from extraction.rules.tags import KINDS, Tag
from extraction.text.fillers import without_fillers
from extraction.text.languages import in_simplified_characters
from extraction.text.sentences import split_sentences

# Longer messages are tagged in parts of whole sentences, since all of the training messages are shorter.
PIECES_MAX: Final = 128
# A part has fewer pieces, unless it is one sentence: what a long context says hides what is stated in passing.
_PART_PIECES: Final = 64
SPAN_PIECES_MAX: Final = 32
_POINTED_PIECES_MAX: Final = 12
TAGS_MAX: Final = 40
# Weights of how sure subject and state are. From messages of which the model had seen none, with 1 and 0 for them, the
# facts of precision .9 were .21 of all in English and .12 in Chinese; with 2 and 2 they are .25 and .18.
_SUBJECT_WEIGHT: Final = 2.0
_STATE_WEIGHT: Final = 2.0
# Spans below are not considered.
_ODDS_MIN: Final = -2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedMessage:
    """A message, or a part of a long one, as word pieces.

    Attributes:
        at: index of the message.
        spans: character span of each piece in the message; empty for the start and end tokens.
    """

    at: int
    ids: list[int]
    spans: list[tuple[int, int]]


class TagModel:
    """The tagger of one language; thread-safe."""

    def __init__(self, model: LocalModel, folder: Path, *, calls: int, precision: Precision) -> None:
        """Load a converted model.

        Args:
            calls: concurrent calls, one thread each; others wait.
        """
        assert model.adapter_file is not None, "only adapted models tag facts"
        self._head = {
            name.removeprefix("head."): np.ascontiguousarray(values)
            for name, values in read_adapter(model.adapter_file).items()
            if name.startswith("head.")
        }
        self._splitter = splitter_of(model, folder)
        self._bert = Bert(folder, calls=calls, precision=precision)

    def encoded(self, texts: Sequence[str]) -> list[EncodedMessage]:
        """Tokenize messages, shortest first, without those that are empty; long ones are in parts."""
        found: list[EncodedMessage] = []
        for at, text in enumerate(texts):
            if text.strip():
                found += self._parts(at, without_fillers(in_simplified_characters(text[:READ_CHARS_MAX])))
        return sorted(found, key=lambda one: len(one.ids))

    def _parts(self, at: int, text: str) -> list[EncodedMessage]:
        """Return a message in parts of whole sentences that the model can read, without those that are too long."""
        whole = self._part(at, text, 0, len(text))
        if len(whole.ids) <= PIECES_MAX:
            return [whole]
        parts: list[EncodedMessage] = []
        start = end = 0
        for sentence in split_sentences(text):
            part = self._part(at, text, start, sentence.end)
            if start < end and len(part.ids) > _PART_PIECES:
                start, part = end, self._part(at, text, end, sentence.end)
            if len(part.ids) > PIECES_MAX:
                start = sentence.end
            elif start == end:
                parts.append(part)
            else:
                parts[-1] = part
            end = sentence.end
        return parts

    def _part(self, at: int, text: str, start: int, end: int) -> EncodedMessage:
        splitter, pieces = self._splitter, self._splitter.cut(text[start:end])
        ids = [splitter.start, *pieces.ids, splitter.separator]
        spans = [(0, 0), *pieces.spans, (0, 0)]
        return EncodedMessage(at=at, ids=ids, spans=[(a + start, b + start) for a, b in spans])

    def tags(self, messages: Sequence[EncodedMessage]) -> list[list[Tag]]:
        """Return the tags of each message, most likely first; fast and exact if all have the same length."""
        states = self._bert.token_vectors([one.ids for one in messages])
        return [self._tags(message, own) for message, own in zip(messages, states, strict=True)]

    def _tags(self, message: EncodedMessage, states: Floats) -> list[Tag]:
        scores = self._span_scores(states)
        found = np.argwhere(scores > _ODDS_MIN)
        odds = scores[tuple(found.T)]
        best: list[Tag] = []
        if not len(found):
            return best
        # Of all tokens as the start and the end of what an object points to; the same for each object.
        keys = {name: self._keys(name, states) for name in ("subject", "word") if name in self._head}
        for place in np.argsort(-odds, kind="stable"):
            kind, start, end = (int(number) for number in found[place])
            obj = message.spans[start][0], message.spans[end][1]
            if any(one.kind == KINDS[kind] and obj[0] < one.obj[1] and one.obj[0] < obj[1] for one in best):
                continue
            pair = np.concatenate([states[start], states[end]])[None]
            subject, unsure_subject = self._pointed("subject", pair, keys["subject"], kind)
            word = self._pointed("word", pair, keys["word"], kind)[0] if "word" in keys else None
            stated = gelu(self._linear("ended", pair) + self._head["ended_kind"][kind])[0]
            over = self._odds("over", stated)
            unsure_state = float(np.logaddexp(0.0, -abs(over)))
            best.append(
                Tag(
                    kind=KINDS[kind],
                    subject=_characters(message, subject),
                    obj=obj,
                    ended=over > 0,
                    odds=float(odds[place]) - _SUBJECT_WEIGHT * unsure_subject - _STATE_WEIGHT * unsure_state,
                    word=_characters(message, word),
                    brief="brief" in self._head and self._odds("brief", stated) > 0,
                )
            )
            if len(best) == TAGS_MAX:
                break
        return best

    def _span_scores(self, states: Floats) -> Floats:
        """Return the log odds of each kind, start and end; spans of special tokens and long ones have none."""
        head, count = self._head, len(states)
        hidden = gelu(self._linear("hidden", states))
        starts, ends = self._linear("start", hidden), self._linear("end", hidden)
        queries, keys = self._linear("query", states), self._linear("key", states)
        place = np.arange(count)
        length = place[None, :] - place[:, None]
        allowed = (length >= 0) & (length < SPAN_PIECES_MAX)
        allowed[[0, -1], :] = allowed[:, [0, -1]] = False
        pairs = product(queries, keys.T) / np.float32(queries.shape[1] ** 0.5)
        pairs += head["length"][np.clip(length, 0, SPAN_PIECES_MAX - 1)]
        # The multilingual model has more outputs, which are not in use.
        kinds = slice(len(KINDS))
        scores: Floats = pairs[None] + starts.T[kinds, :, None] + ends.T[kinds, None, :]
        scores[:, ~allowed] = -np.inf
        return scores

    def _linear(self, name: str, rows: Floats) -> Floats:
        """Return the output of a small layer."""
        values: Floats = product(rows, self._head[name]) + self._head[f"{name}_bias"]
        return values

    def _odds(self, name: str, stated: Floats) -> float:
        return float(stated @ self._head[name]) + self._head[f"{name}_bias"].item()

    def _keys(self, name: str, states: Floats) -> tuple[Floats, Floats]:
        return self._linear(f"{name}_start", states), self._linear(f"{name}_end", states)

    def _pointed(
        self, name: str, pair: Floats, keys: tuple[Floats, Floats], kind: int
    ) -> tuple[tuple[int, int] | None, float]:
        """Return the first and last piece of an object's subject or word, None for the first token, and the doubt."""
        asked = gelu(self._linear(name, pair) + self._head[f"{name}_kind"][kind])[0]
        scale = np.float32(len(asked) ** 0.5)
        # The end token is no subject.
        starts, ends = (_log_shares((one @ asked / scale)[:-1]) for one in keys)
        first = int(starts.argmax())
        last = first + int(ends[first : first + _POINTED_PIECES_MAX].argmax()) if first else 0
        return (first, last) if first else None, -float(starts[first] + ends[last])


def _characters(message: EncodedMessage, pieces: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if pieces is None else (message.spans[pieces[0]][0], message.spans[pieces[1]][1])


def _log_shares(values: Floats) -> Floats:
    """Return the logarithms of a softmax."""
    shifted = values - values.max()
    shares: Floats = shifted - np.log(np.exp(shifted).sum())
    return shares
