"""Train the multilingual model that tells whether a newer text replaces an older one (`answer_scores`).

    python -m tests.benchmarks.multilingual_replacements PUBLISHED.bin ANSWERS.npz OUT.npz [--epochs N] [--threads N]

It needs `torch` besides the requirements of the tests.

As `replacement_model`, without glosses and for texts of six languages. It begins with the adapter of the multilingual
answer scores, and learns from the outdated lines of `answer_memories` and from `replacement_groups`. Every tenth memory
and group, and those of one author, are kept aside for the figures printed at the end. The adapter is written after each
epoch.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import read_adapter
from extraction.embeddings.answer_scores import COMPARED_PIECES_MAX, QUESTION_PIECES_MAX
from extraction.embeddings.packed_weights import read_packed
from extraction.embeddings.unigram import Unigram, write_unigram
from tests.benchmarks.answer_model import Pieces
from tests.benchmarks.multilingual_answers import log_odds, packed, rounded, written
from tests.benchmarks.replacement_model import BATCH, SMOOTHED, Pair, Pairs, batches, groups, memories, not_aside

LANGUAGES: Final = ("en", "zh", "de", "es", "fr", "ja")
RATE, EPOCHS = 3e-4, 4
REPORTED_AFTER: Final = 20

Tensor = Any  # of torch, which is not installed with the tests


def in_rows(pairs: Sequence[Pair], pieces: Pieces, torch: Any) -> list[Tensor]:
    """Return ids, types and mask, as `AnswerModel.encoded_changes` gives them: the older text follows the question."""
    rows = [
        (
            [*pair.question[:QUESTION_PIECES_MAX], pieces.separator, *pair.older[:COMPARED_PIECES_MAX]],
            pair.newer[:COMPARED_PIECES_MAX],
        )
        for pair in pairs
    ]
    return packed(rows, pieces, QUESTION_PIECES_MAX + 2 * COMPARED_PIECES_MAX + 4, torch)


def trained(
    base: Mapping[str, Tensor],
    adapter: dict[str, Tensor],
    pairs: Pairs,
    pieces: Pieces,
    given: argparse.Namespace,
    torch: Any,
) -> dict[str, Tensor]:
    """Return the adapter after AdamW, at a rate that rises for 6 % of the steps and then falls."""
    draw = random.Random(0)
    for value in adapter.values():
        value.requires_grad_()
    descent = torch.optim.AdamW(adapter.values(), lr=given.rate, betas=(0.9, 0.98), weight_decay=0.01)
    steps, at = given.epochs * (len(pairs.epoch()) // BATCH), 0
    began, recent = time.perf_counter(), 0.5
    for epoch in range(given.epochs):
        for batch in batches(pairs.epoch(), draw):
            at += 1
            for group in descent.param_groups:
                group["lr"] = given.rate * min(at / (0.06 * steps), max((steps - at) / (0.94 * steps), 0.02))
            right = torch.tensor([float(pair.replaced) for pair in batch])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                log_odds(base, adapter, in_rows(batch, pieces, torch), torch),
                right * (1 - 2 * SMOOTHED) + SMOOTHED,
                weight=1 + right / 2,
            )
            descent.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(adapter.values(), 1.0)
            descent.step()
            recent = 0.97 * recent + 0.03 * float(loss.detach())
            if at % REPORTED_AFTER == 0:
                sys.stdout.write(f"step {at} of {steps}: loss {recent:.3f}, {time.perf_counter() - began:.0f} s\n")
                sys.stdout.flush()
        sys.stdout.write(f"epoch {epoch + 1}\n")
        written(adapter, given.out)
    return adapter


def area(score: Callable[[Sequence[Pair]], Sequence[float]], pairs: Sequence[Pair]) -> float:
    """Return the area under the curve: how well the log odds tell which texts are replaced."""
    scores = dict[bool, list[float]]({True: [], False: []})
    for batch in batches(pairs, random.Random(0)):
        for pair, odds in zip(batch, score(batch), strict=True):
            scores[pair.replaced].append(odds)
    return float((np.array(scores[True])[:, None] > np.array(scores[False])[None]).mean())


def main() -> None:
    """Train the model, print its figures, and write its adapter."""
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("published", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    model, vocabulary = read_packed(given.published), given.out.with_suffix(".unigram.json")
    write_unigram(vocabulary, model.pieces, model.scores, model.characters)
    pieces = Pieces(Unigram(vocabulary))
    base = {name: rounded(name, np.array(weight), torch) for name, weight in model.tensors.items()}
    found = memories(pieces)
    drawn = {language: groups(pieces, f"{language}-*.txt") for language in LANGUAGES}
    for some in (found, *drawn.values()):
        random.Random(0).shuffle(some)
    learnt = Pairs([*not_aside(found)], [one for own in drawn.values() for one in not_aside(own)], pieces, seed=0)
    adapter = {name: torch.tensor(values) for name, values in read_adapter(given.answers).items()}
    if given.epochs:
        adapter = trained(base, adapter, learnt, pieces, given, torch)

    def score(pairs: Sequence[Pair]) -> Sequence[float]:
        with torch.no_grad():
            odds: list[float] = log_odds(base, adapter, in_rows(pairs, pieces, torch), torch).tolist()
        return odds

    aside = {f"groups, {language}": own[9::10] for language, own in drawn.items()}
    aside["groups of another author"] = groups(pieces, "aside-*.txt")
    kept = {name: [pair for one in own for pair in learnt.of_group(one)] for name, own in aside.items()}
    kept["memories"] = [pair for one in found[9::10] for pair in learnt.of_memory(one)]
    for name, pairs in kept.items():
        sys.stdout.write(f"{name} kept aside: {len(pairs)} pairs, area under the curve {area(score, pairs):.3f}\n")


if __name__ == "__main__":
    main()
