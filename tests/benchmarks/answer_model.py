"""Train the cross-encoders that score how well a text answers a question (`extraction/embeddings/answer_scores.py`).

    python -m tests.benchmarks.answer_model en PUBLISHED.onnx TOKENIZER.json OUT.npz

It needs `jax` besides the requirements of the tests. With a GPU of 80 GB a model takes two minutes; without one, days.

The published model stays as it is, rounded to eight bits as in use; learned are low-rank changes of its linear layers
(Hu et al. 2022) and a small head on the first state and the mean of all. A group is a question with twelve texts of its
memory. The loss is a listwise softmax over the group, if something answers, plus the binary cross-entropy of each text,
so that scores of different questions compare. Every tenth memory is kept aside for the figures printed at the end.

Tried for English: rank 8 (area under the curve .931 instead of .937), the lower six layers alone (.854), two thirds of
the memories (.926); for Chinese rank 32 and seven epochs (.897 instead of .863, but fewer first hits).
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import write_adapter
from extraction.embeddings.answer_scores import QUESTION_PIECES_MAX, TEXT_PIECES_MAX
from extraction.embeddings.model_conversion import ADAPTED, read_onnx
from extraction.embeddings.splitters import WordSplitter
from extraction.embeddings.unigram import Unigram

MEMORIES: Final = Path(__file__).with_name("answer_memories")
CONVERSATIONS: Final = Path(__file__).with_name("conversations")
HEADS: Final = {"en": 12, "zh": 8}
# Chosen among a few: half and twice the rank, .7 to 3 thousandths, 4 to 7 epochs.
RANK: Final = 16
RATE: Final = {"en": 7e-4, "zh": 1e-3}
EPOCHS: Final = {"en": 5, "zh": 4}
GROUP, GROUPS, PIECES = 12, 64, 96
# Weight of the binary cross-entropy, and of texts that answer in it.
BINARY, ANSWERS = 1.5, 3.0
DROPPED: Final = 0.1
HIDDEN: Final = 64
NAMES: Final = {
    "en": ["Ana", "Moira", "Ben", "Lucas", "Priya", "Tom", "Ingrid", "Kofi", "Sam", "Wei", "Maria", "Dave", "Nadia"],
    "zh": ["小林", "王芳", "阿杰", "李伟", "陈晨", "老周", "雅婷", "张浩", "思远", "Kevin", "小雨", "佳怡", "建国"],
}
AGENT: Final = {"en": "assistant: ", "zh": "助手: "}

Ids = list[int]
Arrays = Any  # a nested dict of arrays of jax, which is not installed with the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, with the indexes of the lines that answer it and of those with a value that is out of date."""

    pieces: Ids
    answers: frozenset[int]
    outdated: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The lines of a memory as word pieces, whether the assistant said each, and its questions.

    Attributes:
        named: the lines begin with the name of their speaker.
    """

    lines: Sequence[Ids]
    by_agent: Sequence[bool]
    questions: Sequence[Asked]
    named: bool


class Pieces:
    """The tokenizer of the published model."""

    def __init__(self, splitter: WordSplitter | Unigram) -> None:
        self._splitter = splitter
        self.start, self.separator = splitter.start, splitter.separator

    def of(self, text: str, most: int) -> Ids:
        return self._splitter.cut(text).ids[:most]


# Reading


def memories(language: str, pieces: Pieces) -> list[Memory]:
    """Return the memories and conversations of a language."""
    own = [
        memory_of(block, pieces)
        for file in sorted(MEMORIES.glob(f"{language}-*.txt"))
        for block in file.read_text("utf-8").split("\n# ")
    ]
    documents = [json.loads(file.read_text("utf-8")) for file in sorted(CONVERSATIONS.glob(f"{language}-*.json"))]
    return [*own, *(conversation_of(document, pieces) for document in documents)]


def memory_of(block: str, pieces: Pieces) -> Memory:
    """Read one memory; `answer_memories/README.md` describes the format."""
    lines: dict[int, str] = {}
    questions = []
    for line in filter(None, map(str.strip, block.splitlines()[1:])):
        if asked := re.fullmatch(r"\?\s*(.+?)\s*=\s*(-|[\d,\s]+)(?:\s*~\s*([\d,\s]+))?", line):
            questions.append(asked)
        elif said := re.match(r"(\d+)[.\s]\s*(.+)", line):
            lines[int(said[1])] = said[2]
    place = {number: at for at, number in enumerate(sorted(lines))}

    def places(numbers: str | None) -> frozenset[int]:
        return frozenset(place[int(one)] for one in re.findall(r"\d+", numbers or "") if int(one) in place)

    texts = [lines[number] for number in sorted(lines)]
    return Memory(
        lines=[pieces.of(text.removeprefix("A:").strip(), TEXT_PIECES_MAX) for text in texts],
        by_agent=[text.startswith("A:") for text in texts],
        questions=[
            Asked(pieces=pieces.of(one[1], QUESTION_PIECES_MAX), answers=places(one[2]), outdated=places(one[3]))
            for one in questions
        ],
        named=False,
    )


def conversation_of(document: Mapping[str, Any], pieces: Pieces) -> Memory:
    """Read a conversation of two people, in the format of `mnemoscene eval`."""
    turns = [turn for session in document["sessions"] for turn in session["turns"]]
    place = {turn["id"]: at for at, turn in enumerate(turns)}
    return Memory(
        lines=[pieces.of(f"{turn['speaker']}: {turn['text']}", TEXT_PIECES_MAX) for turn in turns],
        by_agent=[False] * len(turns),
        questions=[
            Asked(
                pieces=pieces.of(one["question"], QUESTION_PIECES_MAX),
                answers=frozenset(place[gold] for gold in one["gold"]),
                outdated=frozenset(),
            )
            for one in document["questions"]
        ],
        named=True,
    )


# Groups


class Groups:
    """Draw groups of a question and twelve texts; those of a long conversation share words or are near."""

    def __init__(self, found: Sequence[Memory], language: str, pieces: Pieces, *, seed: int) -> None:
        self._memories, self._pieces = found, pieces
        self._agent = pieces.of(AGENT[language], 4)
        self._names = [pieces.of(f"{name}:", 6) for name in NAMES[language]]
        self._random = random.Random(seed)
        self.asked = [(memory, one) for at, memory in enumerate(found) if at % 10 != 9 for one in memory.questions]

    def __len__(self) -> int:
        return len(self.asked) // GROUPS

    def epoch(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield ids, types and mask of all pairs of a batch, and which of them answer, in groups."""
        self._random.shuffle(self.asked)
        for begin in range(0, len(self) * GROUPS, GROUPS):
            pairs, answers = [], []
            for memory, asked in self.asked[begin : begin + GROUPS]:
                texts, right = self.group(memory, asked)
                pairs += [(asked.pieces, text) for text in texts]
                answers.append(right)
            yield *packed(pairs, self._pieces), np.array(answers)

    def group(self, memory: Memory, asked: Asked) -> tuple[list[Ids], list[bool]]:
        draw = self._random
        right = draw.sample(sorted(asked.answers), min(len(asked.answers), 4))
        others = self._others(memory, asked)
        chosen = [*right, *others[: GROUP - len(right)]]
        name = draw.choice(self._names) if not memory.named and draw.random() < 0.5 else []
        texts = [(self._agent if memory.by_agent[at] else name) + memory.lines[at] for at in chosen]
        while len(texts) < GROUP:
            texts.append(draw.choice(draw.choice(self._memories).lines))
        return texts, [at < len(right) for at in range(GROUP)]

    def _others(self, memory: Memory, asked: Asked) -> list[int]:
        draw = self._random
        wrong = [at for at in range(len(memory.lines)) if at not in asked.answers]
        draw.shuffle(wrong)
        if len(memory.lines) <= 20:
            return sorted(wrong, key=lambda at: at not in asked.outdated)
        words = set(asked.pieces)
        alike = sorted(
            wrong, key=lambda at: -len(words.intersection(memory.lines[at])) / (3 + len(memory.lines[at])) ** 0.5
        )
        near = [at for at in wrong if any(abs(at - right) <= 4 for right in asked.answers)]
        return list(dict.fromkeys([*draw.sample(alike[:14], 5), *near[:3], *wrong]))


def packed(
    pairs: Sequence[tuple[Ids, Ids]], pieces: Pieces, length: int = PIECES
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ids, types and mask of pairs, padded to one length."""
    ids, types, mask = (np.zeros((len(pairs), length), kind) for kind in (np.int32, np.int32, np.bool_))
    for row, (question, text) in enumerate(pairs):
        whole = [pieces.start, *question, pieces.separator, *text[: length - 3 - len(question)], pieces.separator]
        ids[row, : len(whole)], mask[row, : len(whole)] = whole, True
        types[row, len(question) + 2 : len(whole)] = 1
    return ids, types, mask


# The model


def published(file: Path) -> dict[str, Any]:
    """Return the weights of all layers, stacked, the matrices rounded to eight bits."""
    tensors = read_onnx(file)
    layers = range(sum(name.endswith("intermediate.dense.weight") for name in tensors))

    def rounded(name: str) -> np.ndarray:
        weight = np.asarray(tensors[name], np.float32)
        scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-9) / 127
        levels: np.ndarray = np.round(weight / scale)
        whole: np.ndarray = levels * scale
        return whole

    def stacked(name: str) -> np.ndarray:
        return np.stack([tensors[f"encoder.layer.{at}.{name}"] for at in layers])

    linear = {
        name: {
            "weight": np.stack([rounded(f"encoder.layer.{at}.{layer}.weight").T for at in layers]),
            "bias": stacked(f"{layer}.bias"),
        }
        for name, layer in ADAPTED.items()
    }
    norms = {
        name: {"scale": stacked(f"{layer}.weight"), "shift": stacked(f"{layer}.bias")}
        for name, layer in (("attention", "attention.output.LayerNorm"), ("output", "output.LayerNorm"))
    }
    return {
        "words": rounded("embeddings.word_embeddings.weight"),
        "places": tensors["embeddings.position_embeddings.weight"],
        "types": tensors["embeddings.token_type_embeddings.weight"],
        "norm": {"scale": tensors["embeddings.LayerNorm.weight"], "shift": tensors["embeddings.LayerNorm.bias"]},
        "linear": linear,
        "norms": norms,
    }


def initial(base: Mapping[str, Any], *, seed: int) -> dict[str, Any]:
    """Return an adapter that changes nothing, with a random head."""
    draw = np.random.default_rng(seed)
    layers = {}
    for name, one in base["linear"].items():
        depth, before, after = one["weight"].shape
        layers[name] = {
            "down": draw.normal(size=(depth, before, RANK)).astype(np.float32) / before**0.5,
            "up": np.zeros((depth, RANK, after), np.float32),
            "bias": np.zeros((depth, after), np.float32),
        }
    size = 2 * base["words"].shape[1]
    head = {
        "hidden": draw.normal(size=(size, HIDDEN)).astype(np.float32) / size**0.5,
        "hidden_bias": np.zeros(HIDDEN, np.float32),
        "out": 0.1 * draw.normal(size=HIDDEN).astype(np.float32),
        "bias": np.float32(0),
    }
    return {"layers": layers, "types": base["types"], "head": head}


def log_odds(adapter: Arrays, base: Arrays, ids: Any, types: Any, mask: Any, key: Any, *, heads: int) -> Any:
    """Return the log odds of pairs; drops out a tenth of each layer's changes if there is a random key."""
    import jax
    import jax.numpy as jnp

    count, length = ids.shape
    size = base["words"].shape[1]
    number = jnp.bfloat16 if jax.default_backend() == "gpu" else jnp.float32
    depth = base["norms"]["output"]["scale"].shape[0]

    def norm(states: Any, one: Any) -> Any:
        centred = states - states.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * one["scale"] + one["shift"]

    def dropped(states: Any, random_key: Any) -> Any:
        if key is None:
            return states
        return states * jax.random.bernoulli(random_key, 1 - DROPPED, states.shape) / (1 - DROPPED)

    def layer(states: Any, parts: Any) -> Any:
        linear, changes, norms, keys = parts

        def through(name: str, rows: Any) -> Any:
            own, change, rows = linear[name], changes[name], rows.astype(number)
            low = (rows @ change["down"].astype(number)) @ change["up"].astype(number)
            return rows @ own["weight"].astype(number) + low + (own["bias"] + change["bias"]).astype(number)

        query, keyed, value = (
            through(name, states).reshape(count, length, heads, size // heads) for name in ("query", "key", "value")
        )
        seen = jnp.einsum("nthd,nshd->nhts", query, keyed).astype(jnp.float32) / (size // heads) ** 0.5
        seen = jax.nn.softmax(jnp.where(mask[:, None, None, :], seen, -1e9), -1).astype(number)
        mixed = jnp.einsum("nhts,nshd->nthd", seen, value).reshape(count, length, size)
        states = norm(states + dropped(through("attention", mixed).astype(jnp.float32), keys[0]), norms["attention"])
        inner = jax.nn.gelu(through("intermediate", states).astype(jnp.float32), approximate=False)
        after = dropped(through("output", inner).astype(jnp.float32), keys[1])
        return norm(states + after, norms["output"]), None

    states = norm(base["words"][ids] + base["places"][None, :length] + adapter["types"][types], base["norm"])
    keys = jnp.zeros((depth, 2, 2), jnp.uint32) if key is None else jax.random.split(key, (depth, 2))
    states, _ = jax.lax.scan(layer, states, (base["linear"], adapter["layers"], base["norms"], keys))
    shown = mask[..., None]
    pooled = jnp.concatenate([states[:, 0], (states * shown).sum(1) / shown.sum(1)], -1)
    head = adapter["head"]
    return jax.nn.gelu(pooled @ head["hidden"] + head["hidden_bias"]) @ head["out"] + head["bias"]


def loss(scores: Any, answers: Any) -> Any:
    """Return the loss of groups: arrays of shape (groups, texts)."""
    import jax
    import jax.numpy as jnp

    has_answer = answers.any(1)
    of_answers = jax.nn.logsumexp(jnp.where(answers, scores, -1e9), 1)
    listwise = jnp.where(has_answer, jax.nn.logsumexp(scores, 1) - of_answers, 0).sum() / jnp.maximum(
        has_answer.sum(), 1
    )
    weights = jnp.where(answers, ANSWERS, 1.0)
    binary = (weights * (jax.nn.softplus(scores) - scores * answers)).sum() / weights.sum()
    return listwise + BINARY * binary


def trained(groups: Groups, base: Arrays, *, heads: int, rate: float, epochs: int, seed: int) -> Arrays:
    """Return the adapter after Adam (Kingma & Ba 2015) with a rate that rises for 6 % of the steps and then falls."""
    import jax
    import jax.numpy as jnp

    adapter = jax.tree.map(jnp.asarray, initial(base, seed=seed))
    base = jax.tree.map(jnp.asarray, base)
    steps = len(groups) * epochs

    def objective(adapter: Arrays, base: Arrays, batch: Any, key: Any) -> Any:
        ids, types, mask, answers = batch
        return loss(log_odds(adapter, base, ids, types, mask, key, heads=heads).reshape(answers.shape), answers)

    def stepped(adapter: Arrays, mean: Arrays, square: Arrays, at: Any, base: Arrays, batch: Any, key: Any) -> Any:
        value, slope = jax.value_and_grad(objective)(adapter, base, batch, key)
        length = jnp.sqrt(sum((one**2).sum() for one in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda one: one * jnp.minimum(1.0, 1.0 / (length + 1e-6)), slope)
        mean = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, mean, slope)
        square = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new**2, square, slope)
        now = rate * jnp.minimum(at / (0.06 * steps), jnp.maximum((steps - at) / (0.94 * steps), 0))

        def moved(one: Any, first: Any, second: Any) -> Any:
            change = first / (1 - 0.9**at) / (jnp.sqrt(second / (1 - 0.98**at)) + 1e-8)
            return one - now * (change + 0.01 * one)

        return jax.tree.map(moved, adapter, mean, square), mean, square, value

    step = jax.jit(stepped)
    mean = square = jax.tree.map(jnp.zeros_like, adapter)
    key, at = jax.random.PRNGKey(seed), 0
    for epoch in range(epochs):
        for batch in groups.epoch():
            key, own = jax.random.split(key)
            at += 1
            adapter, mean, square, value = step(adapter, mean, square, float(at), base, batch, own)
        sys.stdout.write(f"epoch {epoch + 1}: loss {float(value):.3f}\n")
    return adapter


# Figures and the file


def figures(found: Sequence[Memory], score: Callable[[Sequence[tuple[Ids, Ids]]], np.ndarray]) -> tuple[float, float]:
    """Return how often the best line answers, and how well the best score tells whether something answers (AUC)."""
    first, with_answer, without = list[bool](), list[float](), list[float]()
    for memory in (one for at, one in enumerate(found) if at % 10 == 9 and not one.named):
        for asked in memory.questions:
            scores = score([(asked.pieces, line) for line in memory.lines])
            (with_answer if asked.answers else without).append(float(scores.max()))
            first += [int(scores.argmax()) in asked.answers] if asked.answers else []
    above = np.array(with_answer)[:, None] > np.array(without)[None]
    return float(np.mean(first)), float(above.mean())


def written(adapter: Arrays, file: Path) -> None:
    """Write an adapter as `model_conversion` and `answer_scores` read it."""
    layers = {f"{name}.{part}": values for name, parts in adapter["layers"].items() for part, values in parts.items()}
    head = {f"head.{name}": values for name, values in adapter["head"].items()}
    write_adapter(file, {"token_types": adapter["types"], **layers, **head})


def main() -> None:
    """Train the model of a language, print its figures, and write its adapter."""
    import jax

    language, weights, tokenizer, out = sys.argv[1:]
    pieces = Pieces(WordSplitter(Path(tokenizer)))
    found, base, heads = memories(language, pieces), published(Path(weights)), HEADS[language]
    groups = Groups(found, language, pieces, seed=0)
    adapter = trained(groups, base, heads=heads, rate=RATE[language], epochs=EPOCHS[language], seed=0)
    run = jax.jit(partial(log_odds, heads=heads))

    def score(pairs: Sequence[tuple[Ids, Ids]]) -> np.ndarray:
        padded = [*pairs, *[pairs[0]] * (-len(pairs) % 32)]
        return np.asarray(run(adapter, base, *packed(padded, pieces, 144), None))[: len(pairs)]

    first, area = figures(found, score)
    sys.stdout.write(f"kept aside: the best line answers {first:.3f}, area under the curve {area:.3f}\n")
    written(adapter, Path(out))


if __name__ == "__main__":
    main()
