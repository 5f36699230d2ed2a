"""Train the model that tells whether a newer text replaces an older one (`extraction/embeddings/answer_scores.py`).

    python -m tests.benchmarks.replacement_model PUBLISHED.onnx TOKENIZER.json ANSWERS.npz OUT.npz [EPOCHS]

It needs `torch` besides the requirements of the tests: 20 minutes on two cores with matrix instructions for bfloat16.

The model reads a question, an older and a newer text, and returns the log odds that the newer one puts the older out of
date as an answer. It begins with the adapter of the answer scores, and learns from the outdated lines of
`answer_memories` and from `replacement_groups`. Chinese becomes English glosses, as in use. Every tenth memory and
group, and those of one author, are kept aside for the figures printed at the end.
"""

import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import read_adapter, write_adapter
from extraction.embeddings.answer_scores import COMPARED_PIECES_MAX, QUESTION_PIECES_MAX
from extraction.embeddings.splitters import WordSplitter
from extraction.text.glosses import english_gloss
from tests.benchmarks.answer_model import (
    AGENT,
    HEADS,
    MEMORIES,
    NAMES,
    Asked,
    Ids,
    Memory,
    Pieces,
    memory_of,
    packed,
    published,
)

GROUPS: Final = Path(__file__).with_name("replacement_groups")
RATE, EPOCHS, BATCH = 4e-4, 4, 48
REPORTED_AFTER: Final = 20
# Pairs of each kind from one group in an epoch.
OF_GROUP: Final = 10
# Newer messages of other groups, which replace nothing, and how near those are in the files.
OF_OTHERS, NEAR_GROUPS = 4, 60
# Share of negative pairs of an ordinary question that an epoch uses; they are many and easy.
OF_QUESTION: Final = 0.7
# Share of texts with the name of a speaker in front.
NAMED: Final = 0.6
DROPPED: Final = 0.1
# Labels are not certain.
SMOOTHED: Final = 0.02

Arrays = Any  # tensors of torch, which is not installed with the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question, an older and a newer text as word pieces, and whether the newer one replaces the older."""

    question: Ids
    older: Ids
    newer: Ids
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Questions, older messages that answer them, and newer ones that replace those or do not."""

    questions: Sequence[Ids]
    older: Sequence[Ids]
    replacing: Sequence[Ids]
    others: Sequence[Ids]


class GlossedPieces(Pieces):
    """The tokenizer, after English glosses."""

    def of(self, text: str, most: int) -> Ids:
        return super().of(english_gloss(text), most)


# Reading


def memories(pieces: Pieces) -> list[Memory]:
    """Return the memories of both languages."""
    files = sorted(MEMORIES.glob("??-*.txt"))
    return [memory_of(block, pieces) for file in files for block in file.read_text("utf-8").split("\n# ")]


def groups(pieces: Pieces, *names: str) -> list[Group]:
    """Return the groups of files whose names match one of some patterns."""
    files = sorted(file for name in names for file in GROUPS.glob(name))
    return [group_of(block, pieces) for file in files for block in file.read_text("utf-8").split("\n# ")]


def group_of(block: str, pieces: Pieces) -> Group:
    """Read one group; `replacement_groups/README.md` describes the format."""

    def lines(mark: str) -> list[Ids]:
        found = re.findall(rf"^\s*{re.escape(mark)}\s*(.+?)\s*$", block.partition("\n")[2], re.MULTILINE)
        return [pieces.of(line, COMPARED_PIECES_MAX) for line in found]

    return Group(questions=lines("?"), older=lines("o"), replacing=lines("+"), others=lines("-"))


# Pairs


class Pairs:
    """Draw pairs for training."""

    def __init__(self, found: Sequence[Memory], drawn: Sequence[Group], pieces: Pieces, *, seed: int) -> None:
        self._memories, self._groups = found, drawn
        self._random = random.Random(seed)
        self._names = [pieces.of(f"{name}:", 6) for names in NAMES.values() for name in names]
        self._agent = pieces.of(AGENT["en"], 4)
        self._agents = [pieces.of(agent.strip(), 4) for agent in AGENT.values()]

    def epoch(self) -> list[Pair]:
        """Return other pairs each time, in random order."""
        pairs = [pair for memory in self._memories for pair in self.of_memory(memory)]
        pairs += [pair for group in self._groups for pair in self.of_group(group, most=OF_GROUP)]
        pairs += [self._of_others(at) for at in range(len(self._groups)) for _ in range(OF_OTHERS)]
        self._random.shuffle(pairs)
        return pairs

    def of_group(self, group: Group, *, most: int | None = None) -> list[Pair]:
        """Return pairs of a group: all, or at most so many that are replaced and as many that are not."""
        name = self._name()
        pairs = list[Pair]()
        for newer, replaced in ((group.replacing, True), (group.others, False)):
            every = [
                Pair(question=asked, older=self._named(old, name), newer=name + new, replaced=replaced)
                for asked, old, new in product(group.questions, group.older, newer)
            ]
            pairs += every if most is None else self._random.sample(every, min(most, len(every)))
        return pairs

    def _of_others(self, at: int) -> Pair:
        """Return a pair of a group's older message and a newer one of another group, mostly of its language."""
        draw, name, group = self._random, self._name(), self._groups[at]
        other = self._groups[(at + draw.randint(1, NEAR_GROUPS)) % len(self._groups)]
        newer = draw.choice([*other.older, *other.replacing, *other.others])
        return Pair(
            question=draw.choice(group.questions),
            older=self._named(draw.choice(group.older), name),
            newer=name + newer,
            replaced=False,
        )

    def of_memory(self, memory: Memory) -> list[Pair]:
        """Return pairs of lines of a memory, for each of its questions."""
        name = self._name()
        texts = [
            (self._agent if agent else name) + line for line, agent in zip(memory.lines, memory.by_agent, strict=True)
        ]
        return [
            Pair(question=asked.pieces, older=texts[older], newer=texts[newer], replaced=replaced)
            for asked in memory.questions
            for older, newer, replaced in self._lines(memory, asked)
        ]

    def _lines(self, memory: Memory, asked: Asked) -> Iterator[tuple[int, int, bool]]:
        """Yield an older and a newer line, and whether the newer replaces the older."""
        draw, last = self._random, len(memory.lines)
        for outdated, right in product(asked.outdated, asked.answers):
            if outdated < right:
                yield outdated, right, True
            else:
                yield right, outdated, False

        def after(line: int) -> list[int]:
            found = [at for at in range(line + 1, last) if at not in asked.answers and at not in asked.outdated]
            return sorted(found, key=lambda at: -alike(asked.pieces + memory.lines[line], memory.lines[at]))

        for outdated in asked.outdated:
            if later := after(outdated):
                yield outdated, draw.choice(later), False
        pool = [(right, at, False) for right in sorted(asked.answers)[:2] for at in after(right)[:6]]
        if pool and draw.random() < OF_QUESTION:
            yield draw.choice(pool)

    def _named(self, text: Ids, name: Ids) -> Ids:
        """Return the text with the speaker's name in front, unless it is the agent's, which has one."""
        return text if any(text[: len(agent)] == agent for agent in self._agents) else name + text

    def _name(self) -> Ids:
        return self._random.choice(self._names) if self._random.random() < NAMED else []


def alike(one: Ids, other: Ids) -> float:
    """Return how many pieces two texts share, less for longer ones."""
    shared = len(set(one).intersection(other))
    return shared / math.sqrt(3 + len(set(other)))


def batches(pairs: Sequence[Pair], draw: random.Random) -> Iterator[Sequence[Pair]]:
    """Yield batches of pairs of about equal length."""
    found = list[Sequence[Pair]]()
    for begin in range(0, len(pairs), 16 * BATCH):
        part = sorted(pairs[begin : begin + 16 * BATCH], key=pieces_n)
        found += [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
    draw.shuffle(found)
    yield from found


def pieces_n(pair: Pair) -> int:
    return len(pair.question) + len(pair.older) + len(pair.newer)


def in_rows(pairs: Sequence[Pair], pieces: Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ids, types and mask, as `AnswerModel.encoded` gives them: the older text follows the question."""
    rows = [
        (
            [*pair.question[:QUESTION_PIECES_MAX], pieces.separator, *pair.older[:COMPARED_PIECES_MAX]],
            pair.newer[:COMPARED_PIECES_MAX],
        )
        for pair in pairs
    ]
    return packed(rows, pieces, 3 + max(len(before) + len(newer) for before, newer in rows))


# Learning


def learn(
    adapter: Mapping[str, Arrays],
    log_odds: Callable[[Sequence[Pair]], Arrays],
    pairs: Pairs,
    *,
    rate: float,
    epochs: int,
    torch: Any,
    after_epoch: Callable[[], None],
) -> None:
    """Learn with AdamW, at a rate that rises for 6 % of the steps and then falls.

    Args:
        adapter: the numbers that learn, by name.
        log_odds: returns those of pairs.
    """
    draw = random.Random(0)
    descent = torch.optim.AdamW(adapter.values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
    steps, at = epochs * (len(pairs.epoch()) // BATCH), 0
    began, recent = time.perf_counter(), 0.5
    for _ in range(epochs):
        for batch in batches(pairs.epoch(), draw):
            at += 1
            for group in descent.param_groups:
                group["lr"] = rate * min(at / (0.06 * steps), max((steps - at) / (0.94 * steps), 0.02))
            right = torch.tensor([float(pair.replaced) for pair in batch])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                log_odds(batch), right * (1 - 2 * SMOOTHED) + SMOOTHED, weight=1 + right / 2
            )
            descent.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(adapter.values(), 1.0)
            descent.step()
            recent = 0.97 * recent + 0.03 * float(loss.detach())
            if at % REPORTED_AFTER == 0:
                sys.stdout.write(f"step {at} of {steps}: loss {recent:.3f}, {time.perf_counter() - began:.0f} s\n")
                sys.stdout.flush()
        after_epoch()


def area(log_odds: Callable[[Sequence[Pair]], Arrays], pairs: Sequence[Pair], torch: Any) -> float:
    """Return the area under the curve: how well the log odds tell which texts are replaced."""
    scores = dict[bool, list[float]]({True: [], False: []})
    with torch.no_grad():
        for batch in batches(pairs, random.Random(0)):
            for pair, odds in zip(batch, log_odds(batch).tolist(), strict=True):
                scores[pair.replaced].append(odds)
    return float((np.array(scores[True])[:, None] > np.array(scores[False])[None]).mean())


# The model


class Model:
    """The published model with an adapter that learns, in bfloat16 where that costs no precision that matters."""

    def __init__(self, weights: Path, adapter: Path, pieces: Pieces) -> None:
        import torch

        base = published(weights)
        self._pieces, self._torch = pieces, torch
        self._words, self._places = torch.tensor(base["words"]), torch.tensor(base["places"])
        self._norm = {part: torch.tensor(values) for part, values in base["norm"].items()}
        self._norms = {
            name: {part: torch.tensor(values) for part, values in one.items()} for name, one in base["norms"].items()
        }
        self._linear = {
            name: tuple(torch.tensor(one[part]).bfloat16() for part in ("weight", "bias"))
            for name, one in base["linear"].items()
        }
        self.adapter = {
            name: torch.nn.Parameter(torch.tensor(values)) for name, values in read_adapter(adapter).items()
        }

    def log_odds(self, pairs: Sequence[Pair], *, dropped: float = 0.0) -> Arrays:
        """Return the log odds of pairs; drops out this share of the changes of each layer."""
        torch, adapter = self._torch, self.adapter
        functions = torch.nn.functional
        ids, types, mask = (torch.from_numpy(one) for one in in_rows(pairs, self._pieces))
        (count, length), size = ids.shape, self._words.shape[1]
        heads = HEADS["en"]
        unseen = torch.zeros(count, 1, 1, length).masked_fill(~mask[:, None, None, :], -1e9).bfloat16()

        def norm(states: Arrays, scale: Arrays, shift: Arrays) -> Arrays:
            return functions.layer_norm(states, (size,), scale, shift, 1e-12)

        def through(name: str, at: int, rows: Arrays) -> Arrays:
            weight, bias = self._linear[name]
            down, up = adapter[f"{name}.down"][at].bfloat16(), adapter[f"{name}.up"][at].bfloat16()
            return rows @ weight[at] + (rows @ down) @ up + (bias[at] + adapter[f"{name}.bias"][at].bfloat16())

        def some(states: Arrays) -> Arrays:
            return functions.dropout(states, dropped, dropped > 0).float()

        states = self._words[ids] + self._places[None, :length] + adapter["token_types"][types]
        states = norm(states, self._norm["scale"], self._norm["shift"])
        for at in range(len(self._norms["output"]["scale"])):
            rows = states.bfloat16()
            query, key, value = (
                through(name, at, rows).view(count, length, heads, size // heads).transpose(1, 2)
                for name in ("query", "key", "value")
            )
            seen = torch.softmax(query * (size // heads) ** -0.5 @ key.transpose(2, 3) + unseen, -1)
            mixed = (seen @ value).transpose(1, 2).reshape(count, length, size)
            one = self._norms["attention"]
            states = norm(states + some(through("attention", at, mixed)), one["scale"][at], one["shift"][at])
            inner = functions.gelu(through("intermediate", at, states.bfloat16()))
            one = self._norms["output"]
            states = norm(states + some(through("output", at, inner)), one["scale"][at], one["shift"][at])
        shown = mask[..., None]
        pooled = torch.cat([states[:, 0], (states * shown).sum(1) / shown.sum(1)], -1)
        hidden = functions.gelu(pooled @ adapter["head.hidden"] + adapter["head.hidden_bias"])
        return hidden @ adapter["head.out"] + adapter["head.bias"]

    def write(self, file: Path) -> None:
        """Write the adapter as `model_conversion` and `answer_scores` read it."""
        write_adapter(file, {name: one.detach().numpy() for name, one in self.adapter.items()})


def main() -> None:
    """Train the model, print its figures, and write its adapter."""
    import torch

    weights, tokenizer, adapter, out = map(Path, sys.argv[1:5])
    epochs = int(sys.argv[5]) if len(sys.argv) > 5 else EPOCHS
    pieces = GlossedPieces(WordSplitter(tokenizer))
    found, drawn = memories(pieces), groups(pieces, "en-*.txt", "zh-*.txt")
    random.Random(0).shuffle(found)
    random.Random(0).shuffle(drawn)
    model = Model(weights, adapter, pieces)
    learnt = Pairs([*not_aside(found)], [*not_aside(drawn)], pieces, seed=0)
    torch.manual_seed(0)
    learn(
        model.adapter,
        partial(model.log_odds, dropped=DROPPED),
        learnt,
        rate=RATE,
        epochs=epochs,
        torch=torch,
        after_epoch=lambda: model.write(out),
    )
    for name, pairs in (
        ("memories", [pair for one in found[9::10] for pair in learnt.of_memory(one)]),
        ("groups", [pair for one in drawn[9::10] for pair in learnt.of_group(one)]),
        ("other author", [pair for one in groups(pieces, "aside-*.txt") for pair in learnt.of_group(one)]),
    ):
        sys.stdout.write(
            f"{name} kept aside: {len(pairs)} pairs, area under the curve {area(model.log_odds, pairs, torch):.3f}\n"
        )


def not_aside(found: Sequence[Any]) -> Iterator[Any]:
    """Yield what is not kept aside."""
    yield from (one for at, one in enumerate(found) if at % 10 != 9)


if __name__ == "__main__":
    main()
