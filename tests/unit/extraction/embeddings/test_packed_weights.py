"""Test that a file of four-bit weights is read, and that another one is refused."""

import struct
from pathlib import Path

import numpy as np
import pytest

from extraction.embeddings.packed_weights import read_packed
from schema.errors import InstallError

HIDDEN, INNER = 32, 64


def packed_file(pieces: list[str], tensors: dict[str, tuple[int, int, bytes]]) -> bytes:
    """Return a file with these pieces and tensors: kind (1 for four bits), count of numbers, and bytes."""
    blob = "".join(pieces).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in pieces)]).astype("<u4")
    head = struct.pack("<8i", 1, HIDDEN, 1, 1, INNER, len(pieces), 8, 2) + struct.pack("<fi", 1e-12, 32)
    words = struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, len(blob)) + ends.tobytes()
    words += np.arange(len(pieces), dtype="<f4").tobytes() + blob
    mapped = struct.pack("<IB2I", ord("½"), 2, ord("1"), ord("2"))
    words += struct.pack("<iI", 1, len(mapped)) + mapped
    directory_bytes = 4 + sum(2 + len(name) + 21 for name in tensors)
    offset = 4 + len(head) + len(words) + directory_bytes
    directory, data = struct.pack("<i", len(tensors)), b""
    for name, (kind, count, content) in tensors.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, offset + len(data), len(content))
        data += content
    return b"E5S1" + head + words + directory + data


def test_weights_pieces_and_normal_forms_are_read(tmp_path: Path) -> None:
    block = np.float16(0.5).tobytes() + bytes(range(16))
    tensors = {
        # A row more than pieces, as in the published file.
        "emb.word": (1, 3 * HIDDEN, block * 3),
        "emb.ln.w": (0, HIDDEN, np.arange(HIDDEN, dtype="<f4").tobytes()),
        "l0.fo.w": (1, HIDDEN * INNER, block * (HIDDEN * INNER // 32)),
        "l0.q.b": (0, HIDDEN, np.ones(HIDDEN, "<f4").tobytes()),
    }
    file = tmp_path / "model.bin"
    file.write_bytes(packed_file(["<s>", "▁吉他"], tensors))
    model = read_packed(file)
    assert (model.pieces, model.scores, model.characters) == (["<s>", "▁吉他"], [0.0, 1.0], {"½": "12"})
    assert {name: tensor.shape for name, tensor in model.tensors.items()} == {
        "embeddings.word_embeddings.weight": (2, HIDDEN),
        "embeddings.LayerNorm.weight": (HIDDEN,),
        "encoder.layer.0.output.dense.weight": (HIDDEN, INNER),
        "encoder.layer.0.attention.self.query.bias": (HIDDEN,),
    }
    row = model.tensors["embeddings.word_embeddings.weight"][0]
    # The low halves of the bytes 0 to 15 are 0 to 15, the high ones 0; eight is subtracted from each.
    assert row.tolist() == [0.5 * (step - 8) for step in range(16)] + [-4.0] * 16


@pytest.mark.parametrize("content", [b"", b"E5S1", b"PK\x03\x04" + b"\x00" * 200, packed_file(["<s>"], {})[:-10]])
def test_damaged_file_is_an_install_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.bin"
    file.write_bytes(content)
    with pytest.raises(InstallError, match=r"model\.bin cannot be read.*fetched again"):
        read_packed(file)
