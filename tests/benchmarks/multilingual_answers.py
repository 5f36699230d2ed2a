"""Train the cross-encoder of the multilingual model: how well a text answers a question (`answer_scores`).

    python -m tests.benchmarks.multilingual_answers PUBLISHED.bin OUT.npz STEPS [--questions N]

It needs `torch` besides the requirements of the tests. One model learns from the English and the Chinese memories and
conversations of `answer_model`, in batches of both languages; other languages are carried over. A step takes 1.7 s of
one core with AMX, 2.7 without. After each fifty steps the state is written to OUT.state.npz, from which the same
command goes on.
The losses are those of `answer_model`, with groups of eight texts. Prints the figures of memories that are kept aside.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import write_adapter
from extraction.embeddings.answer_scores import QUESTION_PIECES_MAX
from extraction.embeddings.model_conversion import ADAPTED
from extraction.embeddings.packed_weights import read_packed
from extraction.embeddings.unigram import Unigram, write_unigram
from extraction.training.tag_model import unchanged_layers
from tests.benchmarks import answer_model
from tests.benchmarks.answer_model import ANSWERS, BINARY, HIDDEN, RANK, Groups, Ids, Pieces, figures, memories

LANGUAGES: Final = ("en", "zh")
HEADS: Final = 12
# Of each language in a step; texts of a group; word pieces of a pair.
QUESTIONS, TEXTS, PIECES = 4, 8, 112
RATE: Final = 5e-4
SAVED_AFTER: Final = 50

Tensor = Any  # of torch, which is not installed with the tests


def rounded(name: str, weight: np.ndarray, torch: Any) -> Tensor:
    """Return a weight as a tensor; matrices are rounded to eight bits as in use, those of layers are of 16 bits."""
    if not name.endswith((*(f"{layer}.weight" for layer in ADAPTED.values()), "word_embeddings.weight")):
        return torch.tensor(weight)
    scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-9) / 127
    whole = torch.tensor(np.round(weight / scale) * scale)
    return whole if name.endswith("word_embeddings.weight") else whole.to(kind(torch))


def kind(torch: Any) -> Any:
    """Return the numbers of the layers: of 16 bits only where the processor multiplies tiles of them (AMX)."""
    return torch.bfloat16 if torch.cpu._is_amx_tile_supported() else torch.float32


def initial(base: Mapping[str, Tensor], torch: Any) -> dict[str, Tensor]:
    """Return an adapter that changes nothing, with a random head."""
    adapter = unchanged_layers(base, RANK, torch)
    size = 2 * base["embeddings.word_embeddings.weight"].shape[1]
    adapter["head.hidden"] = torch.randn(size, HIDDEN) * size**-0.5
    adapter["head.hidden_bias"] = torch.zeros(HIDDEN)
    adapter["head.out"] = 0.1 * torch.randn(HIDDEN)
    adapter["head.bias"] = torch.zeros(())
    return adapter


def log_odds(base: Mapping[str, Tensor], adapter: Mapping[str, Tensor], batch: Sequence[Tensor], torch: Any) -> Tensor:
    """Return the log odds of pairs: ids, types and mask, padded to one length."""
    ids, types, mask = batch
    functional, (count, length) = torch.nn.functional, ids.shape
    of_layers = {
        name: value.to(kind(torch)) for name, value in adapter.items() if not name.startswith(("head", "token"))
    }

    def norm(values: Tensor, name: str) -> Tensor:
        return functional.layer_norm(values, values.shape[-1:], base[f"{name}.weight"], base[f"{name}.bias"], 1e-12)

    def through(name: str, at: int, rows: Tensor) -> Tensor:
        layer = f"encoder.layer.{at}.{ADAPTED[name]}"
        down, up, bias = (of_layers[f"{name}.{part}"][at] for part in ("down", "up", "bias"))
        own = functional.linear(rows, base[f"{layer}.weight"], base[f"{layer}.bias"].to(bias.dtype) + bias)
        return own + (rows @ down) @ up

    places = base["embeddings.position_embeddings.weight"][:length]
    words = base["embeddings.word_embeddings.weight"][ids]
    states = norm(words + places + adapter["token_types"][types], "embeddings.LayerNorm")
    hidden_from = torch.where(mask[:, None, None, :], 0.0, -1e9).to(kind(torch))
    for at in range(len(of_layers["query.down"])):
        rows = states.to(kind(torch))
        query, key, value = (
            through(name, at, rows).view(count, length, HEADS, -1).transpose(1, 2) for name in ("query", "key", "value")
        )
        seen = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5 + hidden_from
        mixed = (torch.softmax(seen, -1) @ value).transpose(1, 2).reshape(count, length, -1)
        layer = f"encoder.layer.{at}"
        states = norm(states + through("attention", at, mixed).float(), f"{layer}.attention.output.LayerNorm")
        inner = functional.gelu(through("intermediate", at, states.to(kind(torch))))
        states = norm(states + through("output", at, inner).float(), f"{layer}.output.LayerNorm")
    shown = mask[..., None]
    pooled = torch.cat([states[:, 0], (states * shown).sum(1) / shown.sum(1)], -1)
    hidden = functional.gelu(pooled @ adapter["head.hidden"] + adapter["head.hidden_bias"], approximate="tanh")
    return hidden @ adapter["head.out"] + adapter["head.bias"]


def packed(pairs: Sequence[tuple[Ids, Ids]], pieces: Pieces, most: int, torch: Any) -> list[Tensor]:
    """Return ids, types and mask of pairs, padded to the longest."""
    length = min(most, 3 + max(len(question) + len(text) for question, text in pairs))
    return [torch.tensor(part) for part in answer_model.packed(pairs, pieces, length)]  # types are of torch's kinds


def loss(scores: Tensor, answers: Tensor, torch: Any) -> Tensor:
    """Return the loss of groups: arrays of shape (groups, texts)."""
    has_answer = answers.any(1)
    of_answers = torch.logsumexp(scores.masked_fill(~answers, -1e9), 1)
    listwise = ((torch.logsumexp(scores, 1) - of_answers) * has_answer).sum() / has_answer.sum().clamp(min=1)
    weights = torch.where(answers, ANSWERS, 1.0)
    binary = (weights * (torch.nn.functional.softplus(scores) - scores * answers)).sum() / weights.sum()
    return listwise + BINARY * binary


def batches(groups: Sequence[Groups], questions: int | None, draw: random.Random) -> Iterator[list[Any]]:
    """Yield the questions of each step without end, each language in an order of its own."""

    def endless(own: Groups) -> Iterator[Any]:
        asked = [*own.asked]
        draw.shuffle(asked)
        asked = asked[:questions]
        while True:
            yield from ((own, *one) for one in asked)
            draw.shuffle(asked)

    sources = [endless(own) for own in groups]
    while True:
        yield [next(source) for source in sources for _ in range(QUESTIONS)]


def trained(
    base: Mapping[str, Tensor], groups: Sequence[Groups], pieces: Pieces, given: argparse.Namespace, torch: Any
) -> dict[str, Tensor]:
    """Return the adapter after Adam with a rate that rises for 6 % of the steps and then falls."""
    state_file, adapter, done = given.out.with_suffix(".state.npz"), initial(base, torch), 0
    moments = {name: (torch.zeros_like(value), torch.zeros_like(value)) for name, value in adapter.items()}
    if state_file.exists():
        with np.load(state_file) as state:
            done = int(state["done"])
            for name in adapter:
                adapter[name] = torch.tensor(state[name])
                moments[name] = (torch.tensor(state[f"mean.{name}"]), torch.tensor(state[f"square.{name}"]))
    for value in adapter.values():
        value.requires_grad_()
    began, recent = time.perf_counter(), 0.0
    for at, chosen in enumerate(batches(groups, given.questions, random.Random(0)), start=1):
        if at > given.steps:
            break
        drawn = [own.group(*rest) for own, *rest in chosen]
        if at <= done:
            continue
        pairs = [
            (asked.pieces, text) for (_, _, asked), (texts, _) in zip(chosen, drawn, strict=True) for text in texts
        ]
        answers = torch.tensor([right for _, right in drawn])
        order = sorted(range(len(pairs)), key=lambda one: len(pairs[one][0]) + len(pairs[one][1]))
        scores = torch.cat(
            [
                log_odds(base, adapter, packed([pairs[one] for one in part], pieces, PIECES, torch), torch)
                for part in (order[first : first + 24] for first in range(0, len(order), 24))
            ]
        )
        scores = scores[torch.tensor(np.argsort(order))].reshape(answers.shape)
        value = loss(scores, answers, torch)
        slopes = torch.autograd.grad(value, list(adapter.values()))
        clipped = 1 / max(1.0, float(torch.sqrt(sum((one**2).sum() for one in slopes))))
        rate = RATE * min(at / (0.06 * given.steps), (given.steps - at) / (0.94 * given.steps) + 1e-3)
        with torch.no_grad():
            for (name, parameter), slope in zip(adapter.items(), slopes, strict=True):
                mean, square = moments[name]
                mean.mul_(0.9).add_(slope, alpha=0.1 * clipped)
                square.mul_(0.98).add_((slope * clipped) ** 2, alpha=0.02)
                change = mean / (1 - 0.9**at) / (torch.sqrt(square / (1 - 0.98**at)) + 1e-8)
                parameter.sub_(rate * (change + 0.01 * parameter))
        recent = float(value.detach()) if at == 1 else 0.97 * recent + 0.03 * float(value.detach())
        if at % SAVED_AFTER == 0 or at == given.steps:
            sys.stdout.write(f"step {at}: loss {recent:.3f}, {time.perf_counter() - began:.0f} s\n")
            sys.stdout.flush()
            saved: dict[str, Any] = {"done": at}
            for name, (mean, square) in moments.items():
                saved |= {name: adapter[name].detach().numpy(), f"mean.{name}": mean.numpy()}
                saved[f"square.{name}"] = square.numpy()
            np.savez(state_file, **saved)
            written(adapter, given.out)
    return adapter


def written(adapter: Mapping[str, Tensor], file: Path) -> None:
    """Write an adapter as `model_conversion` and `answer_scores` read it."""
    write_adapter(file, {name: value.detach().numpy() for name, value in adapter.items()})


def main() -> None:
    """Train the model, print its figures, and write its adapter."""
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("published", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("steps", type=int)
    parser.add_argument("--questions", type=int, help="of each language; all without it")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    answer_model.GROUP = TEXTS
    model, vocabulary = read_packed(given.published), given.out.with_suffix(".unigram.json")
    write_unigram(vocabulary, model.pieces, model.scores, model.characters)
    pieces = Pieces(Unigram(vocabulary))
    base = {name: rounded(name, np.array(weight), torch) for name, weight in model.tensors.items()}
    found = {language: memories(language, pieces) for language in LANGUAGES}
    groups = [Groups(found[language], language, pieces, seed=0) for language in LANGUAGES]
    adapter = trained(base, groups, pieces, given, torch)

    def score(pairs: Sequence[tuple[Ids, Ids]]) -> np.ndarray:
        with torch.no_grad():
            answer: np.ndarray = log_odds(
                base, adapter, packed(pairs, pieces, QUESTION_PIECES_MAX + PIECES, torch), torch
            ).numpy()
        return answer

    for language in LANGUAGES:
        first, area = figures(found[language], score)
        sys.stdout.write(
            f"{language}, kept aside: the best line answers {first:.3f}, area under the curve {area:.3f}\n"
        )


if __name__ == "__main__":
    main()
