"""Makes `extraction/token_projection.npy`: the directions in which MiniLM's token vectors differ most.

    python -m tests.bench.token_projection

The corpus are the English conversations of the demonstration (MIT) and our own sentences for the rule reader: about
5,500 telling pieces. Uncentred principal components of their unit token vectors, kept in 16 bits a number. A file made
anew gets a new name in `extraction/token_projection.py`, since what it compresses cannot be compared with the old.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import platformdirs

from extraction.minilm import MiniLM
from extraction.minilm_convert import converted_folder
from extraction.token_projection import PROJECTED_DIM, PROJECTION_FILE
from extraction.wordpieces import WordPieces

HERE = Path(__file__)
DEMO = HERE.parents[2] / "graph_service" / "demo" / "conversations"
RULES = HERE.with_name("rule_sentences_en.tsv")


def corpus() -> list[str]:
    """English sentences that may be shipped."""
    texts = []
    for path in sorted(DEMO.glob("madial-en-*.json")):
        held = json.loads(path.read_text("utf-8"))
        texts += [turn["text"] for session in held["sessions"] for turn in session["turns"]]
    lines = RULES.read_text("utf-8").splitlines()
    return texts + [line.split("\t")[1] for line in lines if not line.startswith("#") and "\t" in line]


def main() -> None:
    """Writes the file and tells its hash."""
    models = Path(platformdirs.user_cache_dir("mnemograph"))
    folder = next(path.parent for path in sorted(models.rglob("tokenizer.json")))
    pieces, model = WordPieces(folder / "tokenizer.json"), MiniLM(converted_folder(folder), calls=1)
    rows = []
    for ids in pieces.cut(corpus()):
        (states,) = model.token_vectors([ids])
        rows.append(states[pieces.telling(ids)])
    tokens = np.concatenate(rows)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    _, spread, directions = np.linalg.svd(tokens.T @ tokens)
    # The sign of a direction is arbitrary; the largest number positive makes it the same everywhere.
    chosen = directions[:PROJECTED_DIM]
    chosen = chosen * np.sign(chosen[np.arange(len(chosen)), np.abs(chosen).argmax(axis=1)])[:, None]
    np.save(PROJECTION_FILE, chosen.T.astype(np.float16))
    digest = hashlib.sha256(PROJECTION_FILE.read_bytes()).hexdigest()
    kept = spread[:PROJECTED_DIM].sum() / spread.sum()
    sys.stdout.write(f"{len(tokens)} tokens, {PROJECTED_DIM} directions hold {kept:.3f}, sha256 {digest}\n")


if __name__ == "__main__":
    main()
