"""Writes the published weights of a BERT down as ctranslate2 reads them, in eight bits."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctranslate2.converters.utils import fuse_linear
from ctranslate2.specs import common_spec, transformer_spec

from extraction.onnx_weights import read_onnx


def convert(weights: Path, tokenizer: Path, target: Path, *, heads: int) -> None:
    """Writes the model into a new folder: about a second, and 25 to 35 MB.

    Args:
        weights: an ONNX file of a BERT, as PyTorch's export names its parts.
        tokenizer: its `tokenizer.json`, for the vocabulary.
        heads: of the attention; the weights do not tell.

    Raises:
        InstallError: the weights cannot be read.
        OSError: nothing can be written there.
    """
    # Copies: making them smaller writes into them.
    tensors = {name: tensor.copy() for name, tensor in read_onnx(weights).items()}
    words = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
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
    spec.register_vocabulary(sorted(words, key=lambda word: int(words[word])))
    spec.config.unk_token = "[UNK]"
    spec.config.layer_norm_epsilon = 1e-12
    spec.validate()
    spec.optimize(quantization="int8")
    target.mkdir()
    spec.save(str(target))


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
