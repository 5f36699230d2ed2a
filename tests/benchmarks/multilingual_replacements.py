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
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.adapters import read_adapter
from extraction.embeddings.packed_weights import read_packed
from extraction.embeddings.unigram import Unigram, write_unigram
from tests.benchmarks.answer_model import Pieces
from tests.benchmarks.multilingual_answers import log_odds, rounded, written
from tests.benchmarks.replacement_model import Pair, Pairs, area, groups, in_rows, learn, memories, not_aside

LANGUAGES: Final = ("en", "zh", "de", "es", "fr", "ja")
RATE, EPOCHS = 3e-4, 4

Tensor = Any  # of torch, which is not installed with the tests


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

    def odds(pairs: Sequence[Pair]) -> Tensor:
        return log_odds(base, adapter, [torch.tensor(part) for part in in_rows(pairs, pieces)], torch)

    for value in adapter.values():
        value.requires_grad_()
    written_after = partial(written, adapter, given.out)
    learn(adapter, odds, learnt, rate=given.rate, epochs=given.epochs, torch=torch, after_epoch=written_after)
    aside = {f"groups, {language}": own[9::10] for language, own in drawn.items()}
    aside["groups of another author"] = groups(pieces, "aside-*.txt")
    kept = {name: [pair for one in own for pair in learnt.of_group(one)] for name, own in aside.items()}
    kept["memories"] = [pair for one in found[9::10] for pair in learnt.of_memory(one)]
    for name, pairs in kept.items():
        sys.stdout.write(
            f"{name} kept aside: {len(pairs)} pairs, area under the curve {area(odds, pairs, torch):.3f}\n"
        )


if __name__ == "__main__":
    main()
