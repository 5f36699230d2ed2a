"""Writes the published weights of MiniLM down as ctranslate2 reads them, in eight bits; once for each machine."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ctranslate2.converters.utils import fuse_linear
from ctranslate2.specs import common_spec, transformer_spec

from extraction.minilm_weights import read_tensors
from extraction.wide_registers import ctranslate2
from schema.errors import InstallError

_LAYERS: Final = 6
_HEADS: Final = 12


def converted_folder(folder: Path) -> Path:
    """The folder inside `folder` (which holds the published files) for the installed ctranslate2; made when missing.

    Takes about two seconds and 23 MB once. Several processes may do it at once: the first to finish is kept.

    Raises:
        InstallError: the weights cannot be read, or nothing can be written there.
    """
    ready = folder / f"int8-{ctranslate2.__version__}"
    if ready.is_dir():
        return ready
    try:
        work = Path(tempfile.mkdtemp(prefix="converting-", dir=folder))
        try:
            _spec(folder).save(str(work))
            work.rename(ready)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        if ready.is_dir():
            return ready
        raise InstallError(
            f"the embedding model cannot be written into {folder} ({error}); free some space or set another cache "
            "directory, or set no embedder: search then goes by words alone"
        ) from error
    return ready


def _spec(folder: Path) -> Any:
    # Copies: making them smaller writes into them, and the file is only mapped for reading.
    tensors = {name: tensor.copy() for name, tensor in read_tensors(folder / "model.safetensors").items()}
    words = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    encoder = transformer_spec.TransformerEncoderSpec(
        _LAYERS,
        _HEADS,
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
    return spec


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
