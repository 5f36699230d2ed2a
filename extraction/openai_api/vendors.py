"""Vendors of models: address, key variable and peculiarities of each; the prefix of a model's name selects one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


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


_VOYAGE: Final = EmbeddingFields(
    for_question={"input_type": "query"},
    for_text={"input_type": "document"},
    dimensions="output_dimension",
    encoding=False,
)
_JINA: Final = EmbeddingFields(for_question={"task": "retrieval.query"}, for_text={"task": "retrieval.passage"})

# By the vendors' documentation, November 2026.
_VENDORS: Final = (
    Vendor(
        name="anthropic",
        address="https://api.anthropic.com/v1",
        key_variable="ANTHROPIC_API_KEY",
        address_variable="ANTHROPIC_BASE_URL",
        address_path="/v1",
        api=Api.ANTHROPIC,
    ),
    Vendor(name="any-llm", api=Api.ANY_LLM),
    Vendor(
        name="azure",
        key_variable="AZURE_OPENAI_API_KEY",
        address_variable="AZURE_OPENAI_ENDPOINT",
        address_path="/openai/v1",
    ),
    Vendor(name="cerebras", address="https://api.cerebras.ai/v1", key_variable="CEREBRAS_API_KEY"),
    Vendor(name="cohere", address="https://api.cohere.ai/compatibility/v1", key_variable="COHERE_API_KEY"),
    Vendor(
        name="dashscope",
        address="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_variable="DASHSCOPE_API_KEY",
    ),
    Vendor(name="deepinfra", address="https://api.deepinfra.com/v1/openai", key_variable="DEEPINFRA_API_KEY"),
    Vendor(name="deepseek", address="https://api.deepseek.com/v1", key_variable="DEEPSEEK_API_KEY"),
    Vendor(name="fireworks", address="https://api.fireworks.ai/inference/v1", key_variable="FIREWORKS_API_KEY"),
    Vendor(
        name="gemini",
        address="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variable="GEMINI_API_KEY",
    ),
    Vendor(name="groq", address="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY"),
    Vendor(name="huggingface", address="https://router.huggingface.co/v1", key_variable="HF_TOKEN"),
    Vendor(name="jina", address="https://api.jina.ai/v1", key_variable="JINA_API_KEY", embedding=_JINA),
    Vendor(name="llamacpp", address="http://127.0.0.1:8080/v1", start="llama-server -m MODEL.gguf"),
    Vendor(name="lmstudio", address="http://127.0.0.1:1234/v1", start="lms server start"),
    Vendor(name="mistral", address="https://api.mistral.ai/v1", key_variable="MISTRAL_API_KEY"),
    Vendor(name="moonshot", address="https://api.moonshot.ai/v1", key_variable="MOONSHOT_API_KEY"),
    Vendor(name="nvidia", address="https://integrate.api.nvidia.com/v1", key_variable="NVIDIA_API_KEY"),
    Vendor(
        name="ollama",
        address="http://127.0.0.1:11434/v1",
        address_variable="OLLAMA_HOST",
        address_path="/v1",
        start="ollama serve",
    ),
    Vendor(name="openai", address="https://api.openai.com/v1", key_variable="OPENAI_API_KEY"),
    Vendor(name="openrouter", address="https://openrouter.ai/api/v1", key_variable="OPENROUTER_API_KEY"),
    Vendor(name="perplexity", address="https://api.perplexity.ai", key_variable="PERPLEXITY_API_KEY"),
    Vendor(name="siliconflow", address="https://api.siliconflow.com/v1", key_variable="SILICONFLOW_API_KEY"),
    Vendor(name="together", address="https://api.together.xyz/v1", key_variable="TOGETHER_API_KEY"),
    Vendor(name="vllm", address="http://127.0.0.1:8000/v1", start="vllm serve MODEL"),
    Vendor(name="voyage", address="https://api.voyageai.com/v1", key_variable="VOYAGE_API_KEY", embedding=_VOYAGE),
    Vendor(name="xai", address="https://api.x.ai/v1", key_variable="XAI_API_KEY"),
    Vendor(name="zai", address="https://api.z.ai/api/paas/v4", key_variable="ZAI_API_KEY"),
)
VENDORS: Final[Mapping[str, Vendor]] = {vendor.name: vendor for vendor in _VENDORS}
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


# Words that models of a family expect before questions and texts, whoever serves them; by their model cards.
_QUERY: Final = "Represent this sentence for searching relevant passages: "
_FAMILIES: Final = (
    (re.compile(r"nomic-embed-text"), "search_query: ", "search_document: "),
    (re.compile(r"\be5-(?:small|base|large)"), "query: ", "passage: "),
    (re.compile(r"embedding-?gemma"), "task: search result | query: ", "title: none | text: "),
    (re.compile(r"snowflake-arctic-embed.*(?:v2|2)"), "query: ", ""),
    (re.compile(r"mxbai-embed-large|snowflake-arctic-embed|bge-(?:small|base|large)-en"), _QUERY, ""),
    (re.compile(r"bge-(?:small|base|large)-zh"), "为这个句子生成表示以用于检索相关文章：", ""),
    (
        re.compile(r"qwen3-embedding"),
        "Instruct: Given a question, retrieve relevant passages that answer it\nQuery: ",
        "",
    ),
)


def embedding_prefixes(model: str) -> tuple[str, str]:
    """Return what a model expects before a question, and before a text to be searched; empty for most models."""
    name = model.lower()
    return next(((asked, text) for family, asked, text in _FAMILIES if family.search(name)), ("", ""))
