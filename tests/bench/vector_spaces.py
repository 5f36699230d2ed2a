"""Makes `extraction/*.npz`: what the vectors of a local model have in common, and the directions in which they differ.

    python -m tests.bench.vector_spaces

The corpus are the conversations of the demonstration (MIT) and our own sentences for the rule reader, in the language
of the model. Of all texts' unit vectors the mean is taken off; principal components of what is left carry the larger
model's vectors to 384 numbers, and those of the telling pieces' vectors all token vectors to 96; in 16 bits a number.
Files made anew get a new name (`SPACE` in `extraction/vector_space.py`): what they give cannot be compared with before.
"""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import platformdirs

from extraction.bert import Bert
from extraction.local_models import CHINESE, MODELS, LocalModel
from extraction.model_fetch import fetched_models
from extraction.vector_space import TOKEN_DIM, VECTOR_DIM, space_file
from extraction.wordpieces import WordPieces

Floats = npt.NDArray[np.float32]
HERE = Path(__file__)
DEMO = HERE.parents[2] / "graph_service" / "demo" / "conversations"


def corpus(lang: str) -> list[str]:
    """Sentences that may be shipped."""
    texts = []
    for path in sorted(DEMO.glob(f"madial-{lang}-*.json")):
        held = json.loads(path.read_text("utf-8"))
        texts += [turn["text"] for session in held["sessions"] for turn in session["turns"]]
    lines = HERE.with_name(f"rule_sentences_{lang}.tsv").read_text("utf-8").splitlines()
    return texts + [line.split("\t")[1] for line in lines if not line.startswith("#") and "\t" in line]


def main() -> None:
    """Writes the files and tells how much the directions hold."""
    cache = Path(platformdirs.user_cache_dir("mnemograph"))
    for model, folder in zip(MODELS, asyncio.run(fetched_models(MODELS, cache_dir=cache)), strict=True):
        sys.stdout.write(f"{model.name}: {made(model, folder)}\n")


def made(model: LocalModel, folder: Path) -> str:
    """Writes the file of one model."""
    pieces, bert = WordPieces(folder / "tokenizer.json", by_frequency=model.by_frequency), Bert(folder, calls=1)
    wholes, rows = [], []
    for cut in pieces.cut(corpus("zh" if model is CHINESE else "en"), prefix=model.said):
        (states,) = bert.token_vectors([cut.ids])
        wholes.append(states[0] if model.first_piece else states.mean(axis=0))
        rows.append(states[cut.telling])
    texts, tokens = unit(np.stack(wholes)), unit(np.concatenate(rows))
    parts = {"mean": texts.mean(axis=0), "token_mean": tokens.mean(axis=0)}
    parts["token_directions"], share = directions(tokens - parts["token_mean"], TOKEN_DIM)
    told = f"{len(texts)} texts, {len(tokens)} pieces; {TOKEN_DIM} directions hold {share:.3f} of the pieces"
    if texts.shape[1] > VECTOR_DIM:
        parts["directions"], share = directions(texts - parts["mean"], VECTOR_DIM)
        told += f", {VECTOR_DIM} hold {share:.3f} of the texts"
    np.savez_compressed(space_file(model), **{name: part.astype(np.float16) for name, part in parts.items()})
    return told


def directions(rows: Floats, count: int) -> tuple[Floats, float]:
    """The first principal components as columns, and the share of the spread that they hold."""
    _, spread, found = np.linalg.svd(rows.T @ rows)
    # The sign of a direction is arbitrary; the largest number positive makes it the same everywhere.
    chosen = found[:count]
    chosen = chosen * np.sign(chosen[np.arange(len(chosen)), np.abs(chosen).argmax(axis=1)])[:, None]
    return chosen.T, float(spread[:count].sum() / spread.sum())


def unit(rows: Floats) -> Floats:
    """Each row at length 1."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
