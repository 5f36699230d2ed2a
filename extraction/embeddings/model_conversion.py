"""Convert the weights of a BERT to an 8-bit ctranslate2 model, and read them from an ONNX file."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from ctranslate2.converters.utils import fuse_linear
from ctranslate2.specs import common_spec, transformer_spec

from extraction.embeddings.adapters import read_adapter
from extraction.embeddings.token_vectors import Floats
from schema.errors import InstallError

# Minimal reader of the weights in an ONNX file; it does not run the graph.
#
# Source: onnx.proto3 (field numbers); PyTorch's exporter (names of initialisers and nodes).

# ModelProto.graph; of GraphProto: node and initializer; of NodeProto: input, name, op_type; of TensorProto: dims,
# data_type, name, raw_data.
_GRAPH: Final = 7
_NODE, _INITIALIZER = 1, 5
_INPUT, _NODE_NAME, _OP_TYPE = 1, 3, 4
_DIMS, _DATA_TYPE, _TENSOR_NAME, _RAW_DATA = 1, 2, 8, 9
_FLOAT: Final = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def read_onnx(path: Path) -> dict[str, Floats]:
    """Return the float tensors by their PyTorch names, such as `encoder.layer.0.attention.self.query.weight`.

    The exporter transposes the matrices of linear layers and drops their names; they are returned in shape (out, in),
    named after the node that multiplies by them.

    Raises:
        InstallError: the file is truncated or not an ONNX file.
    """
    try:
        (graph,) = _fields(memoryview(path.read_bytes()))[_GRAPH]
        parts = _fields(graph)
        tensors = dict(map(_tensor, (one for one in map(_fields, parts[_INITIALIZER]) if one[_DATA_TYPE] == [_FLOAT])))
        for node in map(_fields, parts[_NODE]):
            inputs = [str(name, "utf-8") for name in node[_INPUT]]
            if node[_OP_TYPE] == [b"MatMul"] and len(inputs) == 2 and inputs[1] in tensors:
                name = str(node[_NODE_NAME][0], "utf-8").removeprefix("/").removesuffix("/MatMul")
                tensors[name.replace("/", ".") + ".weight"] = tensors.pop(inputs[1]).T
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise InstallError(
            f"the embedding model in {path} cannot be read ({error}); it will be fetched again at the next start"
        ) from error
    return tensors


def _tensor(fields: Mapping[int, list[Any]]) -> tuple[str, Floats]:
    dims = (_varints(value) if isinstance(value, memoryview) else [value] for value in fields[_DIMS])
    (name,), (raw,) = fields[_TENSOR_NAME], fields[_RAW_DATA]
    return str(name, "utf-8"), np.frombuffer(raw, np.float32).reshape([*chain.from_iterable(dims)])


def _fields(message: memoryview) -> Mapping[int, list[Any]]:
    """Return the fields of a protocol-buffer message by their numbers, as numbers or bytes."""
    fields: defaultdict[int, list[Any]] = defaultdict(list)
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            fields[key >> 3].append(value)
            continue
        if kind == _BYTES:
            size, place = _varint(message, place)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"a field of kind {kind} at byte {place}")
        if place + size > len(message):
            raise ValueError(f"it ends within the field at byte {place}")
        fields[key >> 3].append(message[place : place + size])
        place += size
    return fields


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


def convert(
    published: Mapping[str, Floats],
    words: Sequence[str],
    target: Path,
    *,
    heads: int,
    unknown: str = "[UNK]",
    adapter: Path | None = None,
) -> None:
    """Write the converted model into a new folder in about a second.

    Args:
        published: weights of a BERT by their PyTorch names.
        words: its vocabulary in order.
        heads: number of attention heads, which cannot be derived from the weights.
        unknown: the word of the vocabulary for unknown ones.
        adapter: low-rank adapter to add to the weights; None for the model as published.

    Raises:
        OSError: the folder cannot be written.
    """
    # Copy the tensors, because quantization modifies them.
    tensors = {name: tensor.copy() for name, tensor in published.items()}
    if adapter is not None:
        _adapt(tensors, adapter)
    encoder = transformer_spec.TransformerEncoderSpec(
        sum(name.endswith("intermediate.dense.weight") for name in tensors),
        heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    spec = transformer_spec.TransformerEncoderModelSpec(encoder, pooling_layer=False)
    _fill(spec.encoder, tensors)
    spec.register_vocabulary(list(words))
    spec.config.unk_token = unknown
    spec.config.layer_norm_epsilon = 1e-12
    spec.validate()
    spec.optimize(quantization="int8")
    target.mkdir()
    spec.save(str(target))


# Linear layers of a BERT that an adapter changes, by their name in its file.
ADAPTED: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attention": "attention.output.dense",
    "intermediate": "intermediate.dense",
    "output": "output.dense",
}


def _adapt(tensors: dict[str, Any], adapter: Path) -> None:
    """Add the low-rank changes of an adapter to the weights, in place.

    Source: Hu et al. 2022 (LoRA): a change of a matrix is the product of a tall and a wide one.
    """
    # In 64 bits, so that the rounded sums are the same on every machine.
    changes = {name: values.astype(np.float64) for name, values in read_adapter(adapter).items()}
    tensors["embeddings.token_type_embeddings.weight"] = changes["token_types"].astype(np.float32)
    for name, layer_name in ADAPTED.items():
        for index, (down, up, bias) in enumerate(
            zip(changes[f"{name}.down"], changes[f"{name}.up"], changes[f"{name}.bias"], strict=True)
        ):
            linear = f"encoder.layer.{index}.{layer_name}"
            tensors[f"{linear}.weight"] = (tensors[f"{linear}.weight"] + (down @ up).T).astype(np.float32)
            tensors[f"{linear}.bias"] = (tensors[f"{linear}.bias"] + bias).astype(np.float32)


def _fill(encoder: Any, tensors: Mapping[str, Any]) -> None:
    encoder.scale_embeddings = False
    encoder.embeddings[0].weight = tensors["embeddings.word_embeddings.weight"]
    encoder.embeddings[1].weight = tensors["embeddings.token_type_embeddings.weight"]
    encoder.position_encodings.encodings = tensors["embeddings.position_embeddings.weight"]
    _norm(encoder.layernorm_embedding, tensors, "embeddings.LayerNorm")
    for index, layer in enumerate(encoder.layer):
        prefix = f"encoder.layer.{index}."
        parts = [common_spec.LinearSpec() for _ in range(3)]
        for part, name in zip(parts, ("query", "key", "value"), strict=True):
            _linear(part, tensors, f"{prefix}attention.self.{name}")
        fuse_linear(layer.self_attention.linear[0], parts)
        _linear(layer.self_attention.linear[1], tensors, f"{prefix}attention.output.dense")
        _norm(layer.self_attention.layer_norm, tensors, f"{prefix}attention.output.LayerNorm")
        _linear(layer.ffn.linear_0, tensors, f"{prefix}intermediate.dense")
        _linear(layer.ffn.linear_1, tensors, f"{prefix}output.dense")
        _norm(layer.ffn.layer_norm, tensors, f"{prefix}output.LayerNorm")


def _linear(spec: Any, tensors: Mapping[str, Any], name: str) -> None:
    spec.weight, spec.bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _norm(spec: Any, tensors: Mapping[str, Any], name: str) -> None:
    spec.gamma, spec.beta = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
