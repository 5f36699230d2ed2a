"""Test the table of vendors."""

from urllib.parse import urlsplit

import pytest

from extraction.openai_api.vendors import (
    UNNAMED,
    VENDORS,
    Api,
    embedding_prefixes,
    vendor_by_prefix,
    vendor_named,
)


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)
def test_every_vendor_has_an_address_and_a_key_or_runs_here(vendor: object) -> None:
    found = vendor_named(getattr(vendor, "name", ""))
    if found.api is Api.ANY_LLM:
        return
    assert found.address or found.address_variable
    url = urlsplit(found.address or "https://resource.example")
    assert (url.scheme == "https" and found.key_variable) or (url.hostname == "127.0.0.1" and found.start)


@pytest.mark.parametrize(
    ("model", "vendor", "sent"),
    [
        ("groq/llama-3.3-70b-versatile", "groq", "llama-3.3-70b-versatile"),
        ("groq/openai/gpt-oss-120b", "groq", "openai/gpt-oss-120b"),
        ("any-llm/bedrock/claude", "any-llm", "bedrock/claude"),
        ("ollama/qwen3:4b", "ollama", "qwen3:4b"),
    ],
)
def test_prefix_selects_the_vendor_and_is_not_sent(model: str, vendor: str, sent: str) -> None:
    found = vendor_by_prefix(model)
    assert found is not None
    assert found.name == vendor
    assert found.model_name(model) == sent


@pytest.mark.parametrize("model", ["gpt-5-mini", "meta-llama/Llama-3", "groq", "/groq", ""])
def test_other_names_select_no_vendor_and_are_sent_whole(model: str) -> None:
    assert vendor_by_prefix(model) is None
    assert UNNAMED.model_name(model) == model


def test_model_of_an_unnamed_endpoint_is_sent_whole() -> None:
    """A proxy may know a model as `openai/gpt-5`."""
    assert vendor_named(None).model_name("openai/gpt-5") == "openai/gpt-5"


@pytest.mark.parametrize(
    ("model", "question", "text"),
    [
        ("ollama/nomic-embed-text", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large-instruct", "query: ", "passage: "),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("text-embedding-3-small", "", ""),
        ("bge-m3", "", ""),
    ],
)
def test_families_of_models_expect_words_before_questions_and_texts(model: str, question: str, text: str) -> None:
    assert embedding_prefixes(model) == (question, text)
