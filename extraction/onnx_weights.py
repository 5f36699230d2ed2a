"""Reads the weights of a BERT encoder out of an ONNX file; only what its two message types need, no graph is run.

Source: onnx.proto3 (field numbers); the names are those that PyTorch's export leaves on initialisers and nodes.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from schema.errors import InstallError

Floats = npt.NDArray[np.float32]

# ModelProto.graph; of GraphProto: node and initializer; of NodeProto: input, name, op_type; of TensorProto: dims,
# data_type, name, raw_data.
_GRAPH: Final = 7
_NODE, _INITIALIZER = 1, 5
_INPUT, _NODE_NAME, _OP_TYPE = 1, 3, 4
_DIMS, _DATA_TYPE, _TENSOR_NAME, _RAW_DATA = 1, 2, 8, 9
_FLOAT: Final = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def read_onnx(path: Path) -> dict[str, Floats]:
    """The float tensors of the file, named as PyTorch names them: `encoder.layer.0.attention.self.query.weight`.

    The exporter turns the matrices of linear layers round and forgets their names; they come back as (out, in) under
    the name of the node that multiplies by them.

    Raises:
        InstallError: the file is cut short or is not such a file.
    """
    try:
        (graph,) = (value for field, value in _fields(memoryview(path.read_bytes())) if field == _GRAPH)
        tensors: dict[str, Floats] = {}
        multiplied: dict[str, str] = {}
        for field, value in _fields(_bytes(graph)):
            if field == _INITIALIZER:
                tensors |= _tensor(_bytes(value))
            elif field == _NODE:
                multiplied |= _multiplied(_bytes(value))
        for anonymous, name in multiplied.items():
            if anonymous in tensors:
                tensors[name] = tensors.pop(anonymous).T
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise InstallError(
            f"the embedding model in {path} cannot be read ({error}); it will be fetched again at the next start"
        ) from error
    return tensors


def _tensor(message: memoryview) -> dict[str, Floats]:
    dims: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for field, value in _fields(message):
        if field == _DIMS:
            dims += [value] if isinstance(value, int) else _varints(value)
        elif field == _DATA_TYPE and isinstance(value, int):
            kind = value
        elif field == _TENSOR_NAME:
            name = _text(value)
        elif field == _RAW_DATA:
            raw = _bytes(value)
    return {name: np.frombuffer(raw, np.float32).reshape(dims)} if kind == _FLOAT else {}


def _multiplied(message: memoryview) -> dict[str, str]:
    """Of a node that multiplies by a matrix: the matrix's name in the file → the name it has in PyTorch."""
    inputs: list[str] = []
    name = operation = ""
    for field, value in _fields(message):
        if field == _INPUT:
            inputs.append(_text(value))
        elif field == _NODE_NAME:
            name = _text(value)
        elif field == _OP_TYPE:
            operation = _text(value)
    if operation != "MatMul" or len(inputs) != 2:
        return {}
    return {inputs[1]: name.removeprefix("/").removesuffix("/MatMul").replace("/", ".") + ".weight"}


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a protocol-buffer message in their order: numbers as such, everything else as bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, place = _varint(message, place)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"a field of kind {kind} at byte {place}")
        if place + size > len(message):
            raise ValueError(f"it ends within the field at byte {place}")
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def _varints(packed: memoryview) -> list[int]:
    values, place = [], 0
    while place < len(packed):
        value, place = _varint(packed, place)
        values.append(value)
    return values


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where bytes belong")
    return value


def _text(value: int | memoryview) -> str:
    return bytes(_bytes(value)).decode("utf-8")
