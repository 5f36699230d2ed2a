"""Vendors of models: address, key variable and peculiarities of each; the prefix of a model's name selects one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from extraction.text.toml_files import toml_of


class Api(StrEnum):
    """The API of an endpoint. Others than OpenAI's are translated (`transports.py`)."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    ANY_LLM = "any-llm"


@dataclass(frozen=True, slots=True)
class EmbeddingFields:
    """Differences of the request for embeddings from OpenAI's.

    Attributes:
        for_question, for_text: fields that say that texts are questions, or texts to be searched.
        dimensions: name of the field with the wanted dimension.
        encoding: whether `encoding_format` is accepted.
    """

    for_question: Mapping[str, str] = field(default_factory=dict)
    for_text: Mapping[str, str] = field(default_factory=dict)
    dimensions: str = "dimensions"
    encoding: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """A vendor, or a server that people run themselves.

    Attributes:
        address: base address; None if each account has its own.
        key_variable: environment variable with the API key; None if the server needs none.
        address_variable: environment variable with another address.
        address_path: what follows the address in that variable.
        start: how to start the server, if it runs on the user's machine.
    """

    name: str
    address: str | None = None
    key_variable: str | None = None
    address_variable: str | None = None
    address_path: str = ""
    api: Api = Api.OPENAI
    embedding: EmbeddingFields = EmbeddingFields()
    start: str | None = None

    def model_name(self, model: str) -> str:
        """Return the name that the endpoint knows: without the vendor's prefix."""
        return model.removeprefix(f"{self.name}/") if self.name else model


def _vendor(name: str, row: dict[str, Any]) -> Vendor:
    api, embedding = Api(row.pop("api", Api.OPENAI)), EmbeddingFields(**row.pop("embedding", {}))
    return Vendor(name=name, api=api, embedding=embedding, **row)


VENDORS: Final[Mapping[str, Vendor]] = {
    name: _vendor(name, row) for name, row in toml_of("extraction.openai_api", "vendors.toml").items()
}
# An endpoint with OpenAI's API, by default OpenAI's own.
UNNAMED: Final = Vendor(name="", key_variable="OPENAI_API_KEY")


def vendor_named(name: str | None) -> Vendor:
    """Return a vendor by its name; `UNNAMED` by None.

    Raises:
        KeyError: no vendor has this name.
    """
    return UNNAMED if name is None else VENDORS[name]


def vendor_by_prefix(model: str) -> Vendor | None:
    """Return the vendor that the prefix of a model's name selects: `groq` in `groq/llama-3.3-70b`; None for others."""
    prefix, slash, _ = model.partition("/")
    return VENDORS.get(prefix) if slash else None


def embedding_prefixes(model: str) -> tuple[str, str]:
    """Return what a model expects before a question, and before a text to be searched; empty for most models."""
    rows = toml_of("extraction.openai_api", "embedding_prefixes.toml").values()
    fitting = ((row["question"], row["text"]) for row in rows if re.search(row["family"], model.lower()))
    return next(fitting, ("", ""))
