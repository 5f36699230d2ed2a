"""Test that the prefix of a model's name selects address and key, and that no key goes to another vendor."""

from pathlib import Path

import pytest

from graph_service.config.folder_trust import trust_folder
from graph_service.config.settings import Settings, load_settings
from schema.errors import InstallError


def loaded(folder: Path, **environ: str) -> Settings:
    return load_settings(environ=environ, here=folder, user_dir=folder / "user")


@pytest.mark.parametrize(
    ("model", "variable", "address"),
    [
        ("groq/llama-3.3-70b-versatile", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
        ("mistral/mistral-small-latest", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
        ("deepseek/deepseek-chat", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
        ("gemini/gemini-3-flash", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"),
        ("openai/gpt-5-mini", "OPENAI_API_KEY", "https://api.openai.com/v1"),
    ],
)
def test_prefix_sets_address_and_key(tmp_path: Path, model: str, variable: str, address: str) -> None:
    llm = loaded(tmp_path, LLM_MODEL=model, **{variable: "secret"}).llm
    assert (llm.vendor, llm.base_url, llm.api_key) == (model.partition("/")[0], address, "secret")


def test_key_of_openai_is_sent_to_no_other_vendor(tmp_path: Path) -> None:
    settings = loaded(tmp_path, LLM_MODEL="groq/x", OPENAI_API_KEY="openai's", EMBEDDING_MODEL="text-embedding-3-small")
    assert settings.llm.api_key is None
    assert settings.embedding.api_key == "openai's"


def test_key_of_the_settings_precedes_the_variable_of_the_vendor(tmp_path: Path) -> None:
    llm = loaded(tmp_path, LLM_MODEL="groq/x", MNEMOSCENE_LLM_API_KEY="set", GROQ_API_KEY="usual").llm
    assert llm.api_key == "set"


def test_prefix_behind_an_address_is_part_of_the_name(tmp_path: Path) -> None:
    llm = loaded(tmp_path, LLM_MODEL="groq/x", OPENAI_BASE_URL="http://127.0.0.1:4000/v1", GROQ_API_KEY="k").llm
    assert (llm.vendor, llm.base_url, llm.api_key) == (None, "http://127.0.0.1:4000/v1", None)


def test_vendor_of_an_own_address_can_be_set(tmp_path: Path) -> None:
    environ = {
        "LLM_MODEL": "claude",
        "MNEMOSCENE_LLM_VENDOR": "anthropic",
        "OPENAI_BASE_URL": "https://gate.example/v1",
    }
    llm = loaded(tmp_path, **environ, MNEMOSCENE_LLM_API_KEY="k", ANTHROPIC_API_KEY="not for the gate").llm
    assert (llm.vendor, llm.base_url, llm.api_key) == ("anthropic", "https://gate.example/v1", "k")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("0.0.0.0:11434", "http://127.0.0.1:11434/v1"),
        ("http://gpu.lan:11434/", "http://gpu.lan:11434/v1"),
        ("https://gpu.lan/v1", "https://gpu.lan/v1"),
        ("", "http://127.0.0.1:11434/v1"),
    ],
)
def test_own_server_is_found_by_its_own_variable(tmp_path: Path, host: str, address: str) -> None:
    assert loaded(tmp_path, LLM_MODEL="ollama/qwen3", OLLAMA_HOST=host).llm.base_url == address


def test_azure_needs_the_address_of_the_resource(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="AZURE_OPENAI_ENDPOINT"):
        loaded(tmp_path, LLM_MODEL="azure/gpt-5", AZURE_OPENAI_API_KEY="k")
    resource = "https://mine.openai.azure.com/"
    llm = loaded(tmp_path, LLM_MODEL="azure/gpt-5", AZURE_OPENAI_API_KEY="k", AZURE_OPENAI_ENDPOINT=resource).llm
    assert (llm.base_url, llm.api_key) == ("https://mine.openai.azure.com/openai/v1", "k")


def test_fallback_and_embeddings_have_vendors_of_their_own(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        LLM_MODEL="anthropic/claude",
        MNEMOSCENE_LLM_FALLBACK_MODEL="ollama/qwen3",
        EMBEDDING_MODEL="voyage/voyage-3.5",
        ANTHROPIC_API_KEY="a",
        VOYAGE_API_KEY="v",
    )
    assert (settings.llm.fallback_vendor, settings.llm.fallback_api_key) == ("ollama", None)
    assert settings.llm.fallback_base_url == "http://127.0.0.1:11434/v1"
    assert (settings.embedding.vendor, settings.embedding.api_key) == ("voyage", "v")


def test_fallback_at_the_address_of_the_first_model_is_named_whole(tmp_path: Path) -> None:
    environ = {"LLM_MODEL": "a", "OPENAI_BASE_URL": "http://127.0.0.1:4000/v1", "GROQ_API_KEY": "k"}
    llm = loaded(tmp_path, **environ, MNEMOSCENE_LLM_FALLBACK_MODEL="groq/x").llm
    assert (llm.fallback_vendor, llm.fallback_base_url) == (None, None)


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"LLM_MODEL": "x", "MNEMOSCENE_LLM_VENDOR": "grok"}, "known vendors: .*groq"),
        ({"EMBEDDING_MODEL": "anthropic/x", "ANTHROPIC_API_KEY": "k"}, "Anthropic has no embeddings"),
    ],
)
def test_wrong_vendors_are_refused(tmp_path: Path, environ: dict[str, str], word: str) -> None:
    with pytest.raises(InstallError, match=word):
        loaded(tmp_path, **environ)


def test_model_named_in_a_folder_sends_no_key_of_the_environment_elsewhere(tmp_path: Path) -> None:
    """A repository may select a vendor, whose own key goes to its own address, but not where a key of ours goes."""
    config = tmp_path / ".mnemoscene" / "config.toml"
    config.parent.mkdir()
    config.write_text('[llm]\nmodel = "groq/x"\n')
    trust_folder(tmp_path, tmp_path / "user")
    assert loaded(tmp_path, GROQ_API_KEY="k").llm.api_key == "k"
    with pytest.raises(InstallError, match=r"llm\.base_url comes from"):
        loaded(tmp_path, MNEMOSCENE_LLM_API_KEY="meant for another vendor")
