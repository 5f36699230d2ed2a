"""Train the models that tag facts in messages (`extraction/tagging`).

    python -m tests.benchmarks.tag_model en PUBLISHED.onnx TOKENIZER.json OUT.npz [START.npz]

It needs `torch` besides the requirements of the tests; on a processor core an epoch takes six to eleven minutes.

The published model stays as it is, rounded to eight bits as in use; learned are low-rank changes of its linear layers
(Hu et al. 2022) and small layers on its token states. The loss of the spans is that of Su et al. 2022 (Global Pointer):
for each kind of fact, spans that are objects of such a fact should score above zero, all others below. The spans of
subjects are learned by a softmax over the tokens, of which the first means the speaker, and the state of a fact by a
binary cross-entropy. The mean of the weights over the last steps is kept (Izmailov et al. 2018). Every tenth message is
kept aside for the figures printed at the end.

So that the model learns how facts are told rather than the messages, each epoch sees other ones: a third of the objects
are exchanged for objects of the same kind in other messages, a twelfth of the word pieces is masked, and parts of the
states are dropped. Without, all training messages were known by heart after eight epochs.

With START.npz, training goes on from an adapter. The adapters in use come from several such runs, while messages were
still being written (docs/decisions/0009-fact-tags.md).

`tag_messages/README.md` describes the messages.
"""

import math
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from extraction.embeddings.model_conversion import ADAPTED, read_onnx
from extraction.rules.tags import KINDS
from extraction.tagging.tag_model import PIECES_MAX, SPAN_PIECES_MAX
from extraction.text.chinese import HAN
from extraction.text.name_forms import simplified_characters

MESSAGES: Final = Path(__file__).with_name("tag_messages")
HEADS: Final = {"en": 12, "zh": 8}
EPOCHS: Final = {"en": 8, "zh": 12}
RATE: Final = {"en": 1.5e-3, "zh": 2e-3}
RANK, BATCH, WARM_UP = 32, 32, 0.08
# Shares of the changes of a layer, of the last states and of the word pieces that are dropped in training.
DROPPED, DROPPED_STATES, MASKED = 0.2, 0.15, 0.08
# Share of the weights that is kept in their running mean at each step.
MEAN: Final = 0.995
# Share of the objects that are exchanged, and the kinds whose objects fit into each other's sentences.
EXCHANGED: Final = 0.35
EXCHANGEABLE: Final = frozenset(KINDS) - {"born_on", "diet", "plans", "promised", "decided", "because", "attribute"}
HIDDEN, PAIR, SUBJECT = 256, 64, 128
# Weights of the losses of subjects and of states.
SUBJECTS, STATES = 0.5, 0.7
NOTHING: Final = -1e4

Tensor = Any  # of torch, which is not installed with the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A labelled fact as token spans; (0, 0) as the subject means the speaker."""

    kind: int
    obj: tuple[int, int]
    subject: tuple[int, int]
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as word pieces with its facts."""

    ids: list[int]
    facts: tuple[Fact, ...]


# Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A message with its labels: subject, kind, object and state of each fact."""

    text: str
    labels: tuple[tuple[str, str, str, str], ...]


def labelled_messages(language: str) -> tuple[list[Labelled], list[Labelled]]:
    """Return the messages for training, and every tenth, which is kept aside."""
    own: list[Labelled] = []
    aside: list[Labelled] = []
    for file in sorted(MESSAGES.glob(f"{language}-*.txt"), key=lambda one: int(one.stem.split("-")[1])):
        for number, block in enumerate(file.read_text("utf-8").strip().split("\n\n")):
            said, *lines = block.splitlines()
            parts = ([part.strip() for part in line.removeprefix("F ").split("|")] for line in lines)
            labels = tuple((subject, kind, obj, state) for subject, kind, obj, state in parts)
            (aside if number % 10 == 9 else own).append(Labelled(text=said.removeprefix("M "), labels=labels))
    return own, aside


def encoded(message: Labelled, tokenizer: Tokenizer) -> Message:
    """Return a message as word pieces; facts whose spans are not in it are dropped."""
    found = tokenizer.encode(message.text.translate(simplified_characters()))
    facts = []
    for subject, kind, obj, state in message.labels:
        spans = _spans(message.text, subject, obj)
        if spans is None:
            continue
        of_object = _pieces(found.offsets, spans[1])
        of_subject = (0, 0) if spans[0] is None else _pieces(found.offsets, spans[0])
        if of_object and of_subject and of_object[1] - of_object[0] < SPAN_PIECES_MAX:
            facts.append(Fact(kind=KINDS.index(kind), obj=of_object, subject=of_subject, ended=state == "past"))
    return Message(ids=list(found.ids), facts=tuple(facts))


class Exchange:
    """Exchanges objects of facts for objects of the same kind and shape in other messages."""

    def __init__(self, found: Sequence[Labelled], draw: random.Random) -> None:
        self._draw = draw
        self._objects: dict[tuple[str, tuple[object, ...]], list[str]] = {}
        for one in found:
            for _, kind, obj, _ in one.labels:
                if kind in EXCHANGEABLE:
                    self._objects.setdefault((kind, _shape(obj)), []).append(obj)

    def changed(self, message: Labelled) -> Labelled:
        """Return the message with other objects in a part of its facts."""
        text, labels = message.text, list(message.labels)
        for at, (subject, kind, obj, state) in enumerate(labels):
            if kind not in EXCHANGEABLE or self._draw.random() >= EXCHANGED or text.count(obj) != 1:
                continue
            others = [part for one in (*labels[:at], *labels[at + 1 :]) for part in (one[0], one[2]) if part != "user"]
            others += [subject] if subject != "user" else []
            other = self._draw.choice(self._objects[kind, _shape(obj)])
            if other in text or any(one in part or part in one for one in (obj, other) for part in others):
                continue
            place = text.find(obj)
            if _is_inside_word(text, place, place + len(obj)):
                continue
            text = text[:place] + other + text[place + len(obj) :]
            labels[at] = (subject, kind, other, state)
        return Labelled(text=text, labels=tuple(labels))


def _shape(obj: str) -> tuple[object, ...]:
    """Return what two objects must share to stand in each other's place."""
    chinese = re.search(f"[{HAN}]", obj) is not None
    return chinese, obj[:1].isupper(), obj[:1].isdigit(), obj.endswith("ing"), min(len(obj.split()), 3)


def _spans(text: str, subject: str, obj: str) -> tuple[tuple[int, int] | None, tuple[int, int]] | None:
    """Return the character spans of a subject and an object, those nearest to each other; None without them."""
    objects = _standing(text, obj)
    subjects = [None] if subject == "user" else _standing(text, subject)
    pairs = [(one, other) for one in subjects for other in objects]
    return min(pairs, key=lambda pair: _distance(*pair), default=None)


def _distance(subject: tuple[int, int] | None, obj: tuple[int, int]) -> int:
    if subject is None:
        return 0
    overlap = subject[0] < obj[1] and obj[0] < subject[1]
    return abs(obj[0] - subject[0]) + (1000 if overlap and subject != obj else 0)


def _standing(text: str, part: str) -> list[tuple[int, int]]:
    """Return the spans of a part of a text, those that are whole words if there are any."""
    found, place = [], text.find(part)
    while place >= 0:
        end = place + len(part)
        found.append((_is_inside_word(text, place, end), (place, end)))
        place = text.find(part, place + 1)
    return [span for inside, span in found if not inside] or [span for _, span in found]


def _is_inside_word(text: str, start: int, end: int) -> bool:
    joined = r"[A-Za-z0-9]{2}"
    before, after = text[max(0, start - 1) : start + 1], text[end - 1 : end + 1]
    return re.fullmatch(joined, before) is not None or re.fullmatch(joined, after) is not None


def _pieces(offsets: Sequence[tuple[int, int]], span: tuple[int, int]) -> tuple[int, int] | None:
    inside = [at for at, (start, end) in enumerate(offsets) if end > start and start < span[1] and end > span[0]]
    return (inside[0], inside[-1]) if inside else None


# The model


def published(file: Path, torch: Any) -> dict[str, Tensor]:
    """Return the weights as tensors, the matrices rounded to eight bits; those of linear layers are of 16 bits."""
    linear = tuple(f"{layer}.weight" for layer in ADAPTED.values())

    def tensor(name: str, weight: np.ndarray) -> Tensor:
        if not name.endswith((*linear, "word_embeddings.weight")):
            return torch.tensor(weight)
        scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-9) / 127
        whole = torch.tensor(np.round(weight / scale) * scale)
        return whole.bfloat16() if name.endswith(linear) else whole

    return {name: tensor(name, np.array(weight, np.float32)) for name, weight in read_onnx(file).items()}


def initial(base: Mapping[str, Tensor], torch: Any) -> dict[str, Tensor]:
    """Return an adapter that changes nothing, with random small layers."""
    depth = sum(name.endswith("intermediate.dense.weight") for name in base)
    size = base["embeddings.word_embeddings.weight"].shape[1]

    def normal(*shape: int, scale: float) -> Tensor:
        return torch.randn(*shape) * scale

    adapter = {"token_types": base["embeddings.token_type_embeddings.weight"].clone()}
    for name, layer in ADAPTED.items():
        after, before = base[f"encoder.layer.0.{layer}.weight"].shape
        adapter[f"{name}.down"] = normal(depth, before, RANK, scale=before**-0.5)
        adapter[f"{name}.up"] = torch.zeros(depth, RANK, after)
        adapter[f"{name}.bias"] = torch.zeros(depth, after)
    kinds = len(KINDS)
    for name, before, after in (
        ("hidden", size, HIDDEN),
        ("start", HIDDEN, kinds),
        ("end", HIDDEN, kinds),
        ("query", size, PAIR),
        ("key", size, PAIR),
        ("subject", 2 * size, SUBJECT),
        ("subject_start", size, SUBJECT),
        ("subject_end", size, SUBJECT),
        ("ended", 2 * size, SUBJECT),
    ):
        adapter[f"head.{name}"] = normal(before, after, scale=before**-0.5)
        # Few spans are objects.
        adapter[f"head.{name}_bias"] = torch.full((after,), -2.0 if name in ("start", "end") else 0.0)
    adapter["head.length"] = torch.zeros(SPAN_PIECES_MAX)
    adapter["head.subject_kind"] = normal(kinds, SUBJECT, scale=0.1)
    adapter["head.ended_kind"] = normal(kinds, SUBJECT, scale=0.1)
    adapter["head.over"] = normal(SUBJECT, scale=SUBJECT**-0.5)
    adapter["head.over_bias"] = torch.zeros(())
    return {name: value.requires_grad_() for name, value in adapter.items()}


def started(file: Path, torch: Any) -> dict[str, Tensor]:
    """Return a written adapter, to go on from."""
    with np.load(file) as archive:
        return {name: torch.tensor(archive[name].astype(np.float32)).requires_grad_() for name in archive.files}


class Model:
    """The published model with an adapter."""

    def __init__(self, base: Mapping[str, Tensor], adapter: Mapping[str, Tensor], heads: int, torch: Any) -> None:
        self._base, self._adapter, self._heads, self._torch = base, adapter, heads, torch
        self._depth = len(adapter["query.down"])

    def states(self, ids: Tensor, mask: Tensor, *, training: bool) -> Tensor:
        """Return the last hidden states; in training, parts of each layer's changes and of the states are dropped."""
        torch, base = self._torch, self._base
        functional = torch.nn.functional
        count, length = ids.shape

        def norm(values: Tensor, name: str) -> Tensor:
            size = (values.shape[-1],)
            return functional.layer_norm(values, size, base[f"{name}.weight"], base[f"{name}.bias"], 1e-12)

        def dropped(values: Tensor, share: float = DROPPED) -> Tensor:
            if not training:
                return values
            return values * ((torch.rand(count, 1, values.shape[-1]) >= share) / (1 - share))

        def through(name: str, at: int, rows: Tensor) -> Tensor:
            layer, rows = f"encoder.layer.{at}.{ADAPTED[name]}", rows.bfloat16()
            down, up, bias = (self._adapter[f"{name}.{part}"][at].bfloat16() for part in ("down", "up", "bias"))
            own = functional.linear(rows, base[f"{layer}.weight"], base[f"{layer}.bias"].bfloat16() + bias)
            return own + (rows @ down) @ up

        places = base["embeddings.position_embeddings.weight"][:length]
        whole = base["embeddings.word_embeddings.weight"][ids] + places + self._adapter["token_types"][0]
        states = norm(whole, "embeddings.LayerNorm")
        hidden_from = torch.where(mask[:, None, None, :], 0.0, -1e9)
        for at in range(self._depth):
            query, key, value = (
                through(name, at, states).view(count, length, self._heads, -1).transpose(1, 2)
                for name in ("query", "key", "value")
            )
            seen = (query @ key.transpose(2, 3)).float() * query.shape[-1] ** -0.5 + hidden_from
            mixed = (torch.softmax(seen, -1).bfloat16() @ value).transpose(1, 2).reshape(count, length, -1)
            states = norm(
                states + dropped(through("attention", at, mixed).float()),
                f"encoder.layer.{at}.attention.output.LayerNorm",
            )
            inner = functional.gelu(through("intermediate", at, states).float())
            states = norm(
                states + dropped(through("output", at, inner).float()), f"encoder.layer.{at}.output.LayerNorm"
            )
        return dropped(states, DROPPED_STATES)

    def span_scores(self, states: Tensor, inner: Tensor) -> Tensor:
        """Return the log odds by message, kind, start and end; `inner` marks the tokens of the text."""
        torch, length = self._torch, states.shape[1]
        hidden = self._gelu(self._linear("hidden", states))
        starts, ends = self._linear("start", hidden), self._linear("end", hidden)
        pairs = self._linear("query", states) @ self._linear("key", states).transpose(1, 2) / PAIR**0.5
        places = torch.arange(length)
        lengths = places[None, :] - places[:, None]
        pairs = pairs + self._adapter["head.length"][lengths.clamp(0, SPAN_PIECES_MAX - 1)]
        scores = pairs[:, None] + starts.transpose(1, 2)[..., None] + ends.transpose(1, 2)[:, :, None, :]
        allowed = (lengths >= 0) & (lengths < SPAN_PIECES_MAX)
        allowed = allowed[None] & inner[:, :, None] & inner[:, None, :]
        return scores.masked_fill(~allowed[:, None], NOTHING)

    def subjects_and_states(
        self, states: Tensor, rows: Tensor, kinds: Tensor, spans: Tensor, inner: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the scores of each token as start and as end of the subject, and the log odds that a fact ended."""
        adapter, own = self._adapter, states[rows]
        pair = self._torch.cat([states[rows, spans[:, 0]], states[rows, spans[:, 1]]], -1)
        asked = self._gelu(self._linear("subject", pair) + adapter["head.subject_kind"][kinds])[:, :, None]
        possible = inner[rows].clone()
        possible[:, 0] = True
        starts, ends = (
            ((self._linear(f"subject_{part}", own) @ asked)[..., 0] / SUBJECT**0.5).masked_fill(~possible, NOTHING)
            for part in ("start", "end")
        )
        ended = self._gelu(self._linear("ended", pair) + adapter["head.ended_kind"][kinds])
        return starts, ends, ended @ adapter["head.over"] + adapter["head.over_bias"]

    def _linear(self, name: str, values: Tensor) -> Tensor:
        return values @ self._adapter[f"head.{name}"] + self._adapter[f"head.{name}_bias"]

    def _gelu(self, values: Tensor) -> Tensor:
        return self._torch.nn.functional.gelu(values, approximate="tanh")


# Training


def batch_of(chosen: Sequence[Message], torch: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids, the mask of all tokens, and that of the tokens of the text, padded to the longest message."""
    length = max(len(one.ids) for one in chosen)
    ids = torch.zeros(len(chosen), length, dtype=torch.long)
    mask, inner = (torch.zeros(len(chosen), length, dtype=torch.bool) for _ in range(2))
    for row, one in enumerate(chosen):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        mask[row, : len(one.ids)] = True
        inner[row, 1 : len(one.ids) - 1] = True
    return ids, mask, inner


def loss(model: Model, chosen: Sequence[Message], masked: int, torch: Any) -> Tensor:
    """Return the loss of a batch per message; `masked` is the id of the word piece that stands for others."""
    functional = torch.nn.functional
    ids, mask, inner = batch_of(chosen, torch)
    ids = ids.masked_fill((torch.rand(ids.shape) < MASKED) & inner, masked)
    states = model.states(ids, mask, training=True)
    scores = model.span_scores(states, inner)
    wanted = torch.zeros_like(scores, dtype=torch.bool)
    facts = [(row, fact) for row, one in enumerate(chosen) for fact in one.facts]
    for row, fact in facts:
        wanted[row, fact.kind, fact.obj[0], fact.obj[1]] = True
    flat, right = scores.flatten(0, 1).flatten(1), wanted.flatten(0, 1).flatten(1)
    zero = torch.zeros(len(flat), 1)
    too_high = torch.logsumexp(torch.cat([flat.masked_fill(right, NOTHING), zero], 1), 1)
    too_low = torch.logsumexp(torch.cat([(-flat).masked_fill(~right, NOTHING), zero], 1), 1)
    total = (too_high + too_low).sum()
    if facts:
        rows, kinds = torch.tensor([row for row, _ in facts]), torch.tensor([fact.kind for _, fact in facts])
        spans = torch.tensor([fact.obj for _, fact in facts])
        subjects = torch.tensor([fact.subject for _, fact in facts])
        starts, ends, ended = model.subjects_and_states(states, rows, kinds, spans, inner)
        total = total + SUBJECTS * (
            functional.cross_entropy(starts, subjects[:, 0], reduction="sum")
            + functional.cross_entropy(ends, subjects[:, 1], reduction="sum")
        )
        over = torch.tensor([float(fact.ended) for _, fact in facts])
        total = total + STATES * functional.binary_cross_entropy_with_logits(ended, over, reduction="sum")
    return total / len(chosen)


def epoch(found: Sequence[Message], draw: random.Random) -> Iterator[list[Message]]:
    """Yield batches of messages of similar length, in random order."""
    order = [*found]
    draw.shuffle(order)
    batches = []
    for begin in range(0, len(order), BATCH * 20):
        near = sorted(order[begin : begin + BATCH * 20], key=lambda one: len(one.ids))
        batches += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
    draw.shuffle(batches)
    yield from batches


def trained(
    found: Sequence[Labelled],
    tokenizer: Tokenizer,
    base: Mapping[str, Tensor],
    language: str,
    torch: Any,
    start: Path | None,
) -> dict[str, Tensor]:
    """Return the adapter after AdamW (Loshchilov & Hutter 2019), as the mean of its last steps."""
    adapter = initial(base, torch) if start is None else started(start, torch)
    draw = random.Random(0)
    exchange = Exchange(found, random.Random(1))
    model = Model(base, adapter, HEADS[language], torch)
    masked = tokenizer.token_to_id("[MASK]")
    assert masked is not None
    mean = {name: value.detach().clone() for name, value in adapter.items()}
    epochs = EPOCHS[language]
    steps = math.ceil(len(found) / BATCH) * epochs
    optimizer = torch.optim.AdamW(adapter.values(), lr=RATE[language], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(step / (WARM_UP * steps), 1.0) * max(0.0, (steps - step) / steps)
    )
    for number in range(epochs):
        losses = []
        for chosen in epoch([encoded(exchange.changed(one), tokenizer) for one in found], draw):
            value = loss(model, chosen, masked, torch)
            optimizer.zero_grad()
            value.backward()
            torch.nn.utils.clip_grad_norm_(adapter.values(), 1.0)
            optimizer.step()
            schedule.step()
            with torch.no_grad():
                for name, one in adapter.items():
                    mean[name].lerp_(one, 1 - MEAN)
            losses.append(float(value.detach()))
        sys.stdout.write(f"epoch {number + 1}: loss {sum(losses) / len(losses):.3f}\n")
    return mean


def written(adapter: Mapping[str, Tensor], file: Path) -> None:
    """Write an adapter in the format that `extraction.tagging.tag_model` and `model_conversion` read."""
    np.savez_compressed(file, **{name: value.detach().numpy().astype(np.float16) for name, value in adapter.items()})


def figures(model: Model, aside: Sequence[Message], torch: Any) -> Callable[[float], tuple[float, float]]:
    """Return a function from log odds to precision and recall of facts with exact spans and states."""
    found: list[tuple[float, bool]] = []
    with torch.no_grad():
        for one in aside:
            ids, mask, inner = batch_of([one], torch)
            states = model.states(ids, mask, training=False)
            scores = model.span_scores(states, inner)[0]
            for kind, start, end in (scores > -2).nonzero().tolist():
                spans = torch.tensor([[start, end]])
                first, _, ended = model.subjects_and_states(
                    states, torch.tensor([0]), torch.tensor([kind]), spans, inner
                )
                key = (kind, (start, end), int(first[0].argmax()), bool(ended[0] > 0))
                right = any(key == (fact.kind, fact.obj, fact.subject[0], fact.ended) for fact in one.facts)
                found.append((float(scores[kind, start, end]), right))
    wanted = sum(len(one.facts) for one in aside)

    def at(odds: float) -> tuple[float, float]:
        kept = [right for score, right in found if score >= odds]
        return sum(kept) / max(len(kept), 1), sum(kept) / max(wanted, 1)

    return at


def main() -> None:
    """Train the model of a language, print its figures, and write its adapter."""
    import torch

    language, weights, tokenizer_file, out, *start = sys.argv[1:]
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_padding()
    tokenizer.enable_truncation(PIECES_MAX)
    found, aside = labelled_messages(language)
    base = published(Path(weights), torch)
    adapter = trained(found, tokenizer, base, language, torch, Path(start[0]) if start else None)
    kept = [encoded(one, tokenizer) for one in aside]
    at = figures(Model(base, adapter, HEADS[language], torch), kept, torch)
    for odds in (0.0, 1.5, 3.0):
        precision, recall = at(odds)
        sys.stdout.write(f"kept aside, odds of at least {odds}: precision {precision:.3f}, recall {recall:.3f}\n")
    written(adapter, Path(out))


if __name__ == "__main__":
    main()
